"""Results of an evaluation run by slice: what was declared, what was counted, what stands out, what a gate decides."""

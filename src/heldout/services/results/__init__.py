"""Results of evaluation runs: by slice, against a dataset version, and one run against another."""

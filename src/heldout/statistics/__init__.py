"""Numbers that say how far a result can be trusted: intervals, corrections, sampling and power; counts in, fractions out."""

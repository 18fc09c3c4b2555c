"""Intervals, multiple testing and paired comparison, by exact or finite-sample methods; scipy is the tests' oracle."""

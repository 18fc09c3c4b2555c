"""Fuzzing: what holds for any bytes, what to start from, and the driver (`python -m tools.fuzz`)."""

"""What the benchmarks share: timing, and repositories to time."""

"""What the sampling commands print."""

"""What was shown to something: the exposure log, and canaries."""

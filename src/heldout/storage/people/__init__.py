"""What people decide and log, as committed files."""

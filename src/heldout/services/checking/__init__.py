"""`heldout check`: any files, no repository."""

"""`heldout sample`: from a frame to an estimate that can be replayed."""

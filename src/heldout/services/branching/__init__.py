"""What a branch changes, gathered from both of its ends."""

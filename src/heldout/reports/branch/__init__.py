"""What a branch changes, for those who review it: Markdown for a comment, JSON and text."""

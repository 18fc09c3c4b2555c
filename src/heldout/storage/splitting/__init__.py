"""Case files, locks, prompts and schemas of rows on disk."""

"""What Git's hooks do, and how they are installed beside those of others."""

"""What a page asks for again and again: one repository kept open, its findings indexed, its texts at hand."""

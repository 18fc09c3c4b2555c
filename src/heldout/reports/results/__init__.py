"""Results by slice and comparisons: as a table, JSON, Markdown and a chart of intervals."""

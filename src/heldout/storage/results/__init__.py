"""Files that results come from: runs, suites, and policies of comparisons."""

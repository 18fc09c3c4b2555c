"""One module a tab: its pages, and what its scripts ask for."""

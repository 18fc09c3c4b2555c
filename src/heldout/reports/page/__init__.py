"""What the page shows, as plain data: one module a tab, over the same domain values as the other reports."""

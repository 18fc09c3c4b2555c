"""The demo: a real leak found at commit and stopped at push."""

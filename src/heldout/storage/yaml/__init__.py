"""The one door to YAML."""

"""Decisions of people, and when they count."""

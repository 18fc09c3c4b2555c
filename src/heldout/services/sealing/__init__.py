"""Holdouts whose text this machine may not read: published signatures."""

"""Descriptions of datasets for other tools' catalogs, and where they are written."""

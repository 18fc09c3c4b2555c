"""What one state of a dataset is, for catalogs that know nothing of Heldout."""

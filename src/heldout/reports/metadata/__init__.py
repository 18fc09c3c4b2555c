"""A description in the forms of other tools' catalogs, one small module each. None of them holds an example's text."""

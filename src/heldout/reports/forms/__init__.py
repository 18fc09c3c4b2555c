"""One report in the form of its reader: a file a form, all over the same model (`heldout.domain.reporting`)."""

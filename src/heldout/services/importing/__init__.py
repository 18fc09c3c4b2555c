"""Exports of other tools become files of Heldout's own: examples for `heldout add`, runs for `heldout results`."""

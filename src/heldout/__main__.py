"""`python -m heldout`."""

from heldout.cli import main

main()

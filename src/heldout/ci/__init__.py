"""What CI runs, whichever service it is: `python -m heldout.ci STEP`, or `steps.sh STEP` where nothing is installed."""

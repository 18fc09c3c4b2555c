"""The one report model (`heldout.domain.reporting`), made of what each command found: an adapter a command."""

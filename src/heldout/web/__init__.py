"""The page: `heldout ui`. Handlers parse a request, call one service and render; nothing here decides anything."""

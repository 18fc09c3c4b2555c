"""Finding texts that are near or inside one another: arrays in, pairs out. Nothing here knows of files or Git."""

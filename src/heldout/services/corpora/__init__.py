"""Corpora that DVC does not track, streamed once past the held-out examples of frozen versions."""

"""The forms that a description can take."""

from __future__ import annotations

from enum import StrEnum


class Catalog(StrEnum):
    """Whose form it is."""

    CROISSANT = "croissant"
    HF_CARD = "hf-card"
    DVC_ARTIFACTS = "dvc-artifacts"

"""Errors of ours on their way from an executor to the driver, where they are raised as if they had happened there."""

from __future__ import annotations

import pickle

from heldout.errors import HeldoutError


def packed(error: HeldoutError) -> bytes:
    """Its class and fields: pickle would call the class with the message alone."""
    return pickle.dumps((type(error), error.args, vars(error)))


def unpacked(data: bytes) -> HeldoutError:
    kind, args, fields = pickle.loads(data)
    error: HeldoutError = kind.__new__(kind, *args)
    vars(error).update(fields)
    return error

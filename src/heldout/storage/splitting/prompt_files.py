"""Prompt files: text, or JSON documents and lines of them by the file's name."""

from __future__ import annotations

import posixpath
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Final

from heldout.domain.splitting.check import Prompt
from heldout.domain.splitting.prompt_text import texts_of_document
from heldout.storage.json_strict import JSONFault, parse_json

_DOCUMENTS: Final = (".json", ".ipynb")
_LINES: Final = (".jsonl", ".ndjson")


def parse_prompt(data: bytes, name: str) -> Prompt:
    """What stands in a prompt file. One that is not the JSON its name promises is read as plain text, and bytes that
    are no text separate words: a prompt is looked through, never refused."""
    suffix = posixpath.splitext(name)[1].lower()
    text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig", "replace")
    try:
        if suffix in _DOCUMENTS:
            return Prompt(name, tuple(texts_of_document(parse_json(data))))
        if suffix in _LINES:
            lines = [parse_json(line) for line in text.split("\n") if line.strip()]
            return Prompt(name, tuple(part for line in lines for part in texts_of_document(line)))
    except JSONFault:
        pass
    return Prompt(name, (text,), whole=True)

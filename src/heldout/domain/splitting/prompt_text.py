"""The texts of a prompt file: the file itself, or what a JSON document (a chat, a template) says."""

from __future__ import annotations

from collections.abc import Iterator

from heldout.domain.example import JSON


def texts_of_document(value: JSON) -> Iterator[str]:
    """Each string of a JSON document, wherever it stands; keys are structure.

    What a reader of the prompt sees as one text is one: a list of strings (lines of a notebook's cell), and the parts
    of a chat message (`content: [{"type": "text", "text": ...}]`).
    """
    stack: list[JSON] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed([*item.values()]))
        elif isinstance(item, list):
            if (joined := _joined(item)) is not None:
                yield joined
            else:
                stack.extend(reversed(item))


def _joined(items: list[JSON]) -> str | None:
    parts = [item.get("text") if isinstance(item, dict) else item for item in items]
    messages = any(isinstance(item, dict) and ("role" in item or "content" in item) for item in items)
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if items and len(texts) == len(items) and not messages else None

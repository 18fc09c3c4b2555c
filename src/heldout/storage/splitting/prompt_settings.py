"""`prompts` of heldout.yaml: a list of files and patterns, or a mapping with `files` and `block`."""

from __future__ import annotations

from heldout.domain.splitting.prompt_policy import PromptPolicy, pattern_problem
from heldout.errors import ConfigError


def parse_prompts(content: object, file: str) -> PromptPolicy:
    """Raises ConfigError (slugs wrong-type, unknown-key, bad-value) with the field."""
    if isinstance(content, list):
        return PromptPolicy(_files(content, file, "prompts"))
    if not isinstance(content, dict):
        message = "expected a list of files, or a mapping with files and block"
        raise ConfigError("wrong-type", message, file=file, field="prompts", hint="prompts: [prompts/**/*.md]")
    for key in content:
        if key not in ("files", "block"):
            message = f"unknown key {key!r}"
            raise ConfigError("unknown-key", message, file=file, field=f"prompts.{key}", hint="known: files, block")
    block = content.get("block", False)
    if not isinstance(block, bool):
        raise ConfigError("wrong-type", "expected true or false", file=file, field="prompts.block")
    return PromptPolicy(_files(content.get("files", []), file, "prompts.files"), block)


def _files(content: object, file: str, field: str) -> tuple[str, ...]:
    if not isinstance(content, list) or not all(isinstance(item, str) for item in content):
        raise ConfigError("wrong-type", "expected a list of files and patterns", file=file, field=field)
    for place, item in enumerate(content):
        if problem := pattern_problem(item):
            raise ConfigError("bad-value", f"{item!r}: {problem}", file=file, field=f"{field}[{place}]")
    return tuple(content)

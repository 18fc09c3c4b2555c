"""heldout.yaml, the project's settings file (`format: heldout/project@1`)."""

from __future__ import annotations

import re
from typing import Any

from heldout.domain.exposing.exposure import SPOILING, How
from heldout.domain.names import name_problem
from heldout.domain.settings import ApprovalPolicy, RequiredCorpus, Settings
from heldout.domain.sizes import parse_size
from heldout.errors import ConfigError
from heldout.storage.splitting.prompt_settings import parse_prompts
from heldout.storage.trees import FileTree
from heldout.storage.yaml.files import load_yaml

FILE = "heldout.yaml"
FORMAT = "heldout/project@1"
_KEYS = (
    *("format", "accept_methods", "protected_branches", "scan", "corpora", "prompts", "holdout_changes", "sealed"),
    "exposure",
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def read_settings(tree: FileTree) -> Settings:
    """The settings of a commit or the working copy. Raises ConfigError with file and field."""
    data = tree.read(FILE)
    return Settings() if data is None else parse_settings(data)


def parse_settings(data: bytes) -> Settings:
    content = load_yaml(data, FILE)
    if content is None:
        return Settings()
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping of settings", file=FILE)
    for key in content:
        if key not in _KEYS:
            raise _unknown(str(key), _KEYS)
    if content.get("format", FORMAT) != FORMAT:
        raise ConfigError(
            "unknown-format",
            f"format is {content['format']!r}, this Heldout reads {FORMAT!r}",
            file=FILE,
            field="format",
        )
    scan = content.get("scan", {})
    if not isinstance(scan, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field="scan")
    for key in scan:
        if key not in ("on_commit", "memory"):
            raise _unknown(f"scan.{key}", ("scan.on_commit", "scan.memory"))
    defaults = Settings()
    return Settings(
        accept_methods=_digests(content.get("accept_methods", [])),
        protected_branches=tuple(_strings(content, "protected_branches", defaults.protected_branches)),
        scan_on_commit=_flag(scan.get("on_commit", True), "scan.on_commit"),
        corpora=_corpora(content.get("corpora", {})),
        memory=_size(scan.get("memory"), "scan.memory"),
        prompts=parse_prompts(content.get("prompts", []), FILE),
        holdout_changes=_approval(content.get("holdout_changes", {})),
        accept_estimates=_accept_estimates(content.get("sealed", {})),
        exposure_contaminates=_exposure(content.get("exposure", {})),
        record_exports=_record_exports(content.get("exposure", {})),
    )


def _exposure(content: object) -> frozenset[How]:
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field="exposure")
    for key in content:
        if key not in ("contaminates", "record_exports"):
            raise _unknown(f"exposure.{key}", ("exposure.contaminates", "exposure.record_exports"))
    found = _strings(content, "contaminates", tuple(SPOILING), "exposure.contaminates")
    for name in found:
        if name not in list(How):
            known = ", ".join(How)
            raise ConfigError("wrong-type", f"{name!r} is none of {known}", file=FILE, field="exposure.contaminates")
    return frozenset(map(How, found))


def _record_exports(content: object) -> bool:
    wanted = content.get("record_exports", False) if isinstance(content, dict) else False
    return _flag(wanted, "exposure.record_exports")


def _accept_estimates(content: object) -> bool:
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field="sealed")
    for key in content:
        if key != "accept_estimates":
            raise _unknown(f"sealed.{key}", ("sealed.accept_estimates",))
    return _flag(content.get("accept_estimates", False), "sealed.accept_estimates")


def _approval(content: object) -> ApprovalPolicy:
    """With approvers named and no number, one of them has to approve."""
    field = "holdout_changes"
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field=field)
    for key in content:
        if key not in ("required", "approvers"):
            raise _unknown(f"{field}.{key}", (f"{field}.required", f"{field}.approvers"))
    approvers = tuple(_strings(content, "approvers", ()))
    required = content.get("required", 1 if approvers else 0)
    if not isinstance(required, int) or isinstance(required, bool) or required < 0:
        raise ConfigError("wrong-type", "expected a number of people", file=FILE, field=f"{field}.required")
    if approvers and required > len(set(approvers)):
        raise ConfigError(
            "wrong-type",
            f"{required} people have to approve, and {len(set(approvers))} may",
            file=FILE,
            field=f"{field}.required",
        )
    return ApprovalPolicy(required, approvers)


def _size(value: object, field: str) -> int | None:
    size = parse_size(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if size is None and value is not None:
        raise ConfigError("wrong-type", "expected a size like 1GiB", file=FILE, field=field)
    return size


def _unknown(key: str, known: tuple[str, ...]) -> ConfigError:
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(known)}"
    return ConfigError("unknown-key", f"unknown key {key!r}", file=FILE, field=key, hint=hint)


def _strings(content: dict[str, Any], key: str, default: tuple[str, ...], field: str | None = None) -> tuple[str, ...]:
    value = content.get(key, list(default))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError("wrong-type", "expected a list of texts", file=FILE, field=field or key)
    return tuple(value)


def _digests(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and _DIGEST.fullmatch(item) for item in value):
        raise ConfigError(
            "wrong-type",
            'expected a list of method digests, each "sha256:" and 64 hex digits',
            file=FILE,
            field="accept_methods",
            hint="a scan record names its method's digest",
        )
    return tuple(value)


def _corpora(content: object) -> tuple[RequiredCorpus, ...]:
    """`must_scan`: a list of corpora for every dataset, or lists by dataset."""
    if not isinstance(content, dict):
        raise ConfigError("wrong-type", "expected a mapping", file=FILE, field="corpora")
    for key in content:
        if key != "must_scan":
            raise _unknown(f"corpora.{key}", ("corpora.must_scan",))
    wanted = content.get("must_scan", [])
    if isinstance(wanted, dict):
        return tuple(item for dataset, names in wanted.items() for item in _required(names, str(dataset)))
    return _required(wanted, None)


def _required(names: object, dataset: str | None) -> tuple[RequiredCorpus, ...]:
    """Each `name`, or `name@sha256:...` for one state of it."""
    field = "corpora.must_scan" if dataset is None else f"corpora.must_scan.{dataset}"
    if not isinstance(names, list):
        hint = "must_scan: [common-crawl], or must_scan: {support: [common-crawl]}"
        raise ConfigError("wrong-type", "expected a list of corpora", file=FILE, field=field, hint=hint)
    required = []
    for text in names:
        name, at, manifest = text.partition("@") if isinstance(text, str) else ("", "", "")
        if name_problem(name) or (at and not _DIGEST.fullmatch(manifest)):
            message = f"expected the name of a corpus, or name@sha256:<64 hex digits>, found {text!r}"
            raise ConfigError("wrong-type", message, file=FILE, field=field, hint="heldout corpus list")
        required.append(RequiredCorpus(name, dataset, manifest or None))
    return tuple(required)


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("wrong-type", f"expected true or false, found {value!r}", file=FILE, field=key)
    return value

"""Slices as text and JSON: the table of counts, one definition, and what saving did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from heldout.domain.slicing.definition import Condition, Definition
from heldout.domain.slicing.language import render_condition
from heldout.domain.slicing.sample import Drawn
from heldout.domain.slicing.views import Chosen, Column, Counted, Required, Saved, SliceTable
from heldout.reports.answers import columns, plural, short


def definition_lines(definition: Definition, indent: str = "  ") -> list[str]:
    """The conditions in the little language, as they can be given to --where."""
    joined = {"all": "all of", "any": "any of"}[definition.match]
    lines = [f"{indent}{joined}:" if definition.conditions else f"{indent}every example"]
    lines += [f"{indent}  {render_condition(_brief(condition))}" for condition in definition.conditions]
    if (sample := definition.sample) is not None:
        shared = f", shared by metadata.{sample.stratify}" if sample.stratify else ""
        lines.append(f"{indent}a sample of {sample.size:,} with the seed {sample.seed!r}{shared}")
    return lines


def _brief(condition: Condition) -> Condition:
    """References to slices with as much of the digest as is shown elsewhere: it can be given to --where too."""
    return condition.renamed({text: text.partition("@")[0] + _short_mark(text) for text in condition.slices()})


def _short_mark(text: str) -> str:
    digest = text.partition("@")[2].removeprefix("sha256:")
    return f"@{digest[:12]}" if digest else ""


def count_text(counted: Counted) -> str:
    """`12 of 30`, and what nobody could check: it is never left out (B21)."""
    tally = counted.tally
    text = f"{tally.matched:,} of {tally.total:,}"
    if tally.unevaluable:
        text += f", {tally.unevaluable:,} unevaluable"
    if counted.drawn is not None:
        text += f"; sample {len(counted.drawn.members):,}" + (" (partial)" if counted.drawn.partial else "")
    return text


def sample_notes(drawn: Drawn | None) -> Iterator[str]:
    """What a sample has to say for itself (A13, A15, A16)."""
    if drawn is None:
        return
    if drawn.is_short:
        yield f"the sample asks for {drawn.size:,} and {drawn.matched:,} match: it takes them all"
    if drawn.partial:
        yield "the sample is partial: it is drawn from matching examples only, and some could not be checked"
    for stratum in drawn.empty_strata:
        yield f"warning: the stratum {stratum.value} ({plural(stratum.matched, 'example')}) gets none of the sample"


def unevaluable_note(counted: Counted) -> Iterator[str]:
    if counted.tally.unevaluable:
        yield (
            f"{plural(counted.tally.unevaluable, 'example')} could not be checked: the input is kept outside the data "
            "file, and a condition on it decides"
        )


def selection_notes(name: str, counted: Counted) -> list[str]:
    """Said beside examples that are handed out, so that nobody takes a part for the whole slice."""
    return [
        f"{name}: {text}" for text in (count_text(counted), *unevaluable_note(counted), *sample_notes(counted.drawn))
    ]


def table_lines(tables: Sequence[SliceTable]) -> list[str]:
    lines: list[str] = []
    for table in tables:
        if not table.rows:
            lines += [f"{table.dataset}: no slices", f"  next: heldout slice suggest {table.dataset}"]
            continue
        lines.append(f"{table.dataset}: {plural(len(table.rows), 'slice')}")
        lines += columns(_rows(table), indent="  ")
        lines += [f"  {note}" for note in _notes(table)]
    return lines


def _rows(table: SliceTable) -> Iterator[list[str]]:
    yield ["slice", "number", "required", *(_head(column) for column in table.columns)]
    for index, row in enumerate(table.rows):
        number = f"#{row.number}" if row.number else "not recorded"
        cells = [row.item.name, number, "required" if row.item.required else ""]
        yield [*cells, *(count_text(column.counts[index]) for column in table.columns if not column.problem)]


def _head(column: Column) -> str:
    return f"{column.subject}: {column.problem}" if column.problem else column.subject


def _notes(table: SliceTable) -> Iterator[str]:
    said: set[str] = set()
    for index, row in enumerate(table.rows):
        for column in table.columns:
            if column.problem:
                continue
            counted = column.counts[index]
            for note in (*unevaluable_note(counted), *sample_notes(counted.drawn)):
                text = f"{row.item.name}, {column.subject}: {note}"
                if text not in said:
                    said.add(text)
                    yield text
    for row in table.rows:
        if row.number is None:
            yield f"next: heldout slice save {table.dataset} {row.item.name} gives its definition a number"


def table_json(tables: Sequence[SliceTable], name: str) -> dict[str, Any]:
    return {"format": f"heldout/{name}@1", "datasets": [_table_json(table) for table in tables]}


def _table_json(table: SliceTable) -> dict[str, Any]:
    return {
        "dataset": table.dataset,
        "slices": [
            {
                **chosen_json(row),
                "counts": [
                    {"subject": column.subject, "problem": column.problem}
                    if column.problem
                    else {"subject": column.subject, **counted_json(column.counts[index])}
                    for column in table.columns
                ],
            }
            for index, row in enumerate(table.rows)
        ],
    }


def chosen_json(row: Chosen) -> dict[str, Any]:
    return {
        "name": row.item.name,
        "number": row.number,
        "digest": row.digest,
        "required": row.item.required,
        "description": row.item.description,
        "definition": row.definition.to_json(),
    }


def counted_json(counted: Counted) -> dict[str, Any]:
    tally = counted.tally
    result: dict[str, Any] = {
        "matched": tally.matched,
        "unmatched": tally.unmatched,
        "unevaluable": tally.unevaluable,
        "total": tally.total,
    }
    if (drawn := counted.drawn) is not None:
        result["sample"] = {
            "size": drawn.size,
            "drawn": len(drawn.members),
            "partial": drawn.partial,
            "took_all": drawn.is_short,
            "strata": [
                {"value": stratum.value, "matched": stratum.matched, "drawn": stratum.drawn} for stratum in drawn.strata
            ],
        }
    return result


def show_lines(chosen: Chosen) -> list[str]:
    item = chosen.item
    lines = [str(chosen) + (", required in suites" if item.required else "")]
    if item.description:
        lines.append(f"  {item.description}")
    lines += [f"  digest {chosen.digest}", *definition_lines(chosen.definition)]
    others = [entry for entry in item.history if entry.digest != chosen.digest]
    if others:
        lines.append("  other definitions:")
        lines += [
            f"    #{entry.number} {short(entry.digest)}{' (current)' if entry == item.current else ''}"
            for entry in others
        ]
    if chosen.number is None:
        lines.append(f"  next: heldout slice save {chosen.dataset} {item.name}")
    else:
        lines.append(f"  next: heldout slice count {chosen.dataset}/{item.name}#{chosen.number}")
    return lines


def show_json(chosen: Chosen) -> dict[str, Any]:
    return {
        "format": "heldout/slice-show@1",
        "dataset": chosen.dataset,
        **chosen_json(chosen),
        "current": chosen.is_current,
        "conditions": [render_condition(condition) for condition in chosen.definition.conditions],
        "history": [{"number": entry.number, "digest": entry.digest} for entry in chosen.item.history],
    }


def new_lines(chosen: Chosen, path: str) -> list[str]:
    return [
        f"{chosen}: written to {path}",
        f"  digest {chosen.digest}",
        *definition_lines(chosen.definition),
        f"  next: heldout slice count {chosen.dataset}/{chosen.item.name}, then commit the file",
    ]


def new_json(chosen: Chosen, path: str) -> dict[str, Any]:
    return {"format": "heldout/slice-new@1", "dataset": chosen.dataset, "file": path, **chosen_json(chosen)}


def save_lines(dataset: str, saved: Sequence[Saved]) -> list[str]:
    if not saved:
        return [f"{dataset}: no slices", f"  next: heldout slice suggest {dataset}"]
    lines: list[str] = []
    for item in saved:
        name = f"{dataset}/{item.name}"
        lines += [f"{name}: recorded as number {entry.number} ({short(entry.digest)})" for entry in item.added]
        lines += [
            f"{name}: two branches had a number {before}; {short(digest)} is number {now} now, its digest as it was"
            for digest, before, now in item.renumbered
        ]
        if not (item.added or item.renumbered):
            lines.append(f"{dataset}/{item.name}: nothing new, its definition has a number already")
    if any(item.added or item.renumbered for item in saved):
        lines.append("  next: git add and commit " + ("the file" if len(saved) == 1 else "the files"))
    return lines


def save_json(dataset: str, saved: Sequence[Saved]) -> dict[str, Any]:
    return {
        "format": "heldout/slice-save@1",
        "dataset": dataset,
        "slices": [
            {
                "name": item.name,
                "file": item.path,
                "added": [{"number": entry.number, "digest": entry.digest} for entry in item.added],
                "renumbered": [
                    {"digest": digest, "before": before, "now": now} for digest, before, now in item.renumbered
                ],
            }
            for item in saved
        ],
    }


def required_lines(subject: str, required: Sequence[Required]) -> list[str]:
    if not required:
        return [f"{subject}: no slice is required"]
    rows = [(item.name, f"#{item.number}", item.digest) for item in required]
    return [f"{subject}: a suite has to report {plural(len(required), 'slice')} on its own", *columns(rows)]


def required_json(subject: str, required: Sequence[Required]) -> dict[str, Any]:
    return {
        "format": "heldout/required-slices@1",
        "subject": subject,
        "slices": [{"name": item.name, "number": item.number, "digest": item.digest} for item in required],
    }

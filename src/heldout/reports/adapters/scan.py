"""A scan's verdict by dataset, for any form. Its findings are in the records: `heldout findings` lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heldout.domain.coverage import Version
from heldout.domain.outcomes import ScanDone
from heldout.domain.reporting import Item, Level, Location, Outcome, Report, Weight, item_id
from heldout.reports.adapters.rules import rules
from heldout.reports.scan import contamination_sentence, sweep_lines


def scan_report(
    scans: Sequence[ScanDone],
    failed: Sequence[tuple[Version, str]],
    recorded: str | None,
    advisory: bool,
    locate: Callable[[str], Location],
) -> Report:
    """`locate` finds the data of a dataset."""
    items = [
        *(item for scan in scans for item in _items(scan, locate)),
        *(
            _item(version.dataset, "not-scanned", f"{version.name}: still unknown: {reason}", locate)
            for version, reason in failed
        ),
    ]
    found = any(scan.record.contaminations for scan in scans)
    unknown = Outcome.UNKNOWN if any(item.weight is Weight.UNKNOWN for item in items) else Outcome.CLEAN
    return Report(
        "scan",
        ", ".join(dict.fromkeys(scan.record.dataset for scan in scans)),
        Outcome.FOUND if found else unknown,
        tuple(sweep_lines(scans, failed, recorded, advisory)),
        len(items),
        items,
        rules(item.rule for item in items),
    )


def _items(scan: ScanDone, locate: Callable[[str], Location]) -> Iterator[Item]:
    record, name = scan.record, scan.record.dataset
    if record.contaminations:
        text = f"{name}: {contamination_sentence(scan)}"
        yield Item(item_id("contaminated", name), "contaminated", Weight.BLOCK, Level.ERROR, text, locate(name))
    for reason in record.incomplete:
        yield _item(name, "scan-incomplete", f"{name}: {reason}", locate)
    for version, reason in scan.left_out:
        yield _item(name, "not-compared", f"{name}: not compared with {version.name}: {reason}", locate)


def _item(name: str, rule: str, text: str, locate: Callable[[str], Location]) -> Item:
    return Item(item_id(rule, text), rule, Weight.UNKNOWN, Level.ERROR, text, locate(name))

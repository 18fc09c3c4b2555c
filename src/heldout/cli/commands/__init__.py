"""Every command, one small module each; the order here is the order of `heldout --help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heldout.cli.commands.add import add
from heldout.cli.commands.canary import HELP as CANARY_HELP
from heldout.cli.commands.canary import canary_new, canary_scan
from heldout.cli.commands.changes import HELP as CHANGES_HELP
from heldout.cli.commands.changes import changes_approve, changes_list
from heldout.cli.commands.check import check
from heldout.cli.commands.clean import clean
from heldout.cli.commands.conflicts import conflicts
from heldout.cli.commands.corpus import HELP as CORPUS_HELP
from heldout.cli.commands.corpus import corpus_list, corpus_scan, corpus_show
from heldout.cli.commands.demo import demo
from heldout.cli.commands.diff import diff
from heldout.cli.commands.doctor import doctor
from heldout.cli.commands.expose import HELP as EXPOSURES_HELP
from heldout.cli.commands.expose import expose, exposures_check, exposures_list, exposures_repair
from heldout.cli.commands.findings import HELP as FINDINGS_HELP
from heldout.cli.commands.findings import findings_list, findings_show
from heldout.cli.commands.freeze import freeze
from heldout.cli.commands.gate import gate
from heldout.cli.commands.hooks import HELP as HOOKS_HELP
from heldout.cli.commands.hooks import hooks_install, hooks_run, hooks_status, hooks_uninstall
from heldout.cli.commands.init import init
from heldout.cli.commands.leak import HELP as LEAK_HELP
from heldout.cli.commands.leak import leak_check, leak_diff, leak_exact, leak_near, leak_report, leak_version
from heldout.cli.commands.load import load
from heldout.cli.commands.report import report
from heldout.cli.commands.required_slices import required
from heldout.cli.commands.results import HELP as RESULTS_HELP
from heldout.cli.commands.results import results_compare, results_report
from heldout.cli.commands.results_power import results_power
from heldout.cli.commands.retire import retire, unfreeze
from heldout.cli.commands.review import HELP as REVIEW_HELP
from heldout.cli.commands.review import review_accept, review_approve, review_list, review_reopen
from heldout.cli.commands.sample import HELP as SAMPLE_HELP
from heldout.cli.commands.sample import (
    sample_draw,
    sample_estimate,
    sample_frame,
    sample_label,
    sample_qualify,
    sample_replay,
)
from heldout.cli.commands.sample_design import sample_design
from heldout.cli.commands.scan import scan
from heldout.cli.commands.scans import scans
from heldout.cli.commands.semantic import semantic
from heldout.cli.commands.show import show
from heldout.cli.commands.signatures import HELP as SIGNATURES_HELP
from heldout.cli.commands.signatures import signatures_check, signatures_export
from heldout.cli.commands.slices import HELP as SLICES_HELP
from heldout.cli.commands.slices import (
    slice_count,
    slice_diff,
    slice_list,
    slice_members,
    slice_new,
    slice_preview,
    slice_save,
    slice_show,
    slice_suggest,
)
from heldout.cli.commands.split import HELP as SPLIT_HELP
from heldout.cli.commands.split import split_assign, split_check, split_lock
from heldout.cli.commands.split_make import split_make
from heldout.cli.commands.status import status
from heldout.cli.commands.ui import ui
from heldout.cli.commands.verify import verify
from heldout.cli.commands.versions import versions

COMMANDS: dict[str, Callable[..., Any]] = {
    "demo": demo,
    "check": check,
    "clean": clean,
    "conflicts": conflicts,
    "init": init,
    "add": add,
    "status": status,
    "doctor": doctor,
    "show": show,
    "versions": versions,
    "diff": diff,
    "scan": scan,
    "scans": scans,
    "gate": gate,
    "load": load,
    "required-slices": required,
    "freeze": freeze,
    "unfreeze": unfreeze,
    "semantic": semantic,
    "retire": retire,
    "expose": expose,
    "verify": verify,
    "ui": ui,
    "report": report,
}

GROUPS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "leak": (
        LEAK_HELP,
        {
            "report": leak_report,
            "exact": leak_exact,
            "near": leak_near,
            "check": leak_check,
            "diff": leak_diff,
            "version": leak_version,
        },
    ),
    "split": (
        SPLIT_HELP,
        {"make": split_make, "check": split_check, "lock": split_lock, "assign": split_assign},
    ),
    "slice": (
        SLICES_HELP,
        {
            "list": slice_list,
            "new": slice_new,
            "save": slice_save,
            "show": slice_show,
            "count": slice_count,
            "members": slice_members,
            "preview": slice_preview,
            "diff": slice_diff,
            "suggest": slice_suggest,
        },
    ),
    "results": (RESULTS_HELP, {"report": results_report, "compare": results_compare, "power": results_power}),
    "sample": (
        SAMPLE_HELP,
        {
            "frame": sample_frame,
            "design": sample_design,
            "draw": sample_draw,
            "label": sample_label,
            "estimate": sample_estimate,
            "qualify": sample_qualify,
            "replay": sample_replay,
        },
    ),
    "corpus": (CORPUS_HELP, {"scan": corpus_scan, "list": corpus_list, "show": corpus_show}),
    "signatures": (SIGNATURES_HELP, {"export": signatures_export, "check": signatures_check}),
    "findings": (FINDINGS_HELP, {"list": findings_list, "show": findings_show}),
    "changes": (CHANGES_HELP, {"list": changes_list, "approve": changes_approve}),
    "review": (
        REVIEW_HELP,
        {"list": review_list, "accept": review_accept, "approve": review_approve, "reopen": review_reopen},
    ),
    "exposures": (
        EXPOSURES_HELP,
        {"list": exposures_list, "check": exposures_check, "repair": exposures_repair},
    ),
    "canary": (CANARY_HELP, {"new": canary_new, "scan": canary_scan}),
    "hooks": (
        HOOKS_HELP,
        {"status": hooks_status, "install": hooks_install, "uninstall": hooks_uninstall, "run": hooks_run},
    ),
}

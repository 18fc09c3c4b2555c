"""Every command, one small module each; the order here is the order of `heldout --help`.

A command is named by its module, or by `module:function` where the two differ, and imported when it is asked for: a
gate, and a shell that completes a line, pay for one of them.
"""

from __future__ import annotations

from heldout.cli.commands_table import Commands, Groups

COMMANDS = Commands(
    {
        "demo": "demo",
        "check": "check",
        "clean": "clean",
        "conflicts": "conflicts",
        "init": "init",
        "add": "add",
        "import": "imports:import_dataset",
        "status": "status",
        "doctor": "doctor",
        "show": "show",
        "versions": "versions",
        "diff": "diff",
        "scan": "scan",
        "scans": "scans",
        "gate": "gate",
        "load": "load",
        "export": "export",
        "required-slices": "required_slices:required",
        "freeze": "freeze",
        "unfreeze": "retire:unfreeze",
        "semantic": "semantic",
        "retire": "retire",
        "expose": "expose",
        "verify": "verify",
        "ui": "ui",
        "report": "report",
    }
)

GROUPS = Groups(
    {
        "leak": (
            "leak",
            {
                "report": "leak:leak_report",
                "exact": "leak:leak_exact",
                "near": "leak:leak_near",
                "check": "leak:leak_check",
                "diff": "leak:leak_diff",
                "version": "leak:leak_version",
            },
        ),
        "split": (
            "split",
            {
                "make": "split_make",
                "check": "split:split_check",
                "lock": "split:split_lock",
                "assign": "split:split_assign",
            },
        ),
        "slice": (
            "slices",
            {
                "list": "slices:slice_list",
                "new": "slices:slice_new",
                "save": "slices:slice_save",
                "show": "slices:slice_show",
                "count": "slices:slice_count",
                "members": "slices:slice_members",
                "preview": "slices:slice_preview",
                "diff": "slices:slice_diff",
                "suggest": "slices:slice_suggest",
            },
        ),
        "results": (
            "results",
            {
                "report": "results:results_report",
                "compare": "results:results_compare",
                "import": "imports:results_import",
                "power": "results_power",
            },
        ),
        "sample": (
            "sample",
            {
                "frame": "sample:sample_frame",
                "design": "sample_design",
                "draw": "sample:sample_draw",
                "label": "sample:sample_label",
                "estimate": "sample:sample_estimate",
                "qualify": "sample:sample_qualify",
                "replay": "sample:sample_replay",
            },
        ),
        "corpus": (
            "corpus",
            {
                "scan": "corpus:corpus_scan",
                "list": "corpus:corpus_list",
                "show": "corpus:corpus_show",
            },
        ),
        "picture": (
            "picture",
            {
                "overlap": "picture:picture_overlap",
                "similarity": "picture:picture_similarity",
                "slices": "picture:picture_slices",
                "versions": "picture:picture_versions",
            },
        ),
        "signatures": (
            "signatures",
            {
                "export": "signatures:signatures_export",
                "check": "signatures:signatures_check",
            },
        ),
        "findings": (
            "findings",
            {
                "list": "findings:findings_list",
                "show": "findings:findings_show",
            },
        ),
        "changes": (
            "changes",
            {
                "list": "changes:changes_list",
                "approve": "changes:changes_approve",
            },
        ),
        "review": (
            "review",
            {
                "list": "review:review_list",
                "accept": "review:review_accept",
                "approve": "review:review_approve",
                "reopen": "review:review_reopen",
            },
        ),
        "exposures": (
            "expose",
            {
                "list": "expose:exposures_list",
                "check": "expose:exposures_check",
                "repair": "expose:exposures_repair",
            },
        ),
        "canary": (
            "canary",
            {
                "new": "canary:canary_new",
                "scan": "canary:canary_scan",
            },
        ),
        "hooks": (
            "hooks",
            {
                "status": "hooks:hooks_status",
                "install": "hooks:hooks_install",
                "uninstall": "hooks:hooks_uninstall",
                "run": "hooks:hooks_run",
            },
        ),
    }
)

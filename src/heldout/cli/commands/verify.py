"""`heldout verify`: the server's side of every check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from heldout.cli.forms import FormOption, deliver, session_for
from heldout.cli.session import Json, Quiet, Session
from heldout.domain.controls import escaped_line
from heldout.errors import ExitCode


def verify(
    base: Annotated[
        str | None, typer.Option("--base", help="What is new since this commit (default: the remote's default branch).")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Make every record again, not only new ones.")] = False,
    trust_records: Annotated[
        bool, typer.Option("--trust-records", help="Make no record again; check consistency only.")
    ] = False,
    require_signed: Annotated[
        bool, typer.Option("--require-signed", help="Versions have to be signed by an allowed signer.")
    ] = False,
    allowed_signers: Annotated[
        str | None,
        typer.Option("--allowed-signers", help="The file of allowed signers, in the protected branch's tree."),
    ] = None,
    pre_receive: Annotated[
        bool, typer.Option("--pre-receive", help="Judge a push: run by a server's pre-receive hook.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="One more folder with the data: a DVC cache, or a DVC remote on this disk."),
    ] = None,
    form: FormOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check datasets, records, versions and decisions, and make new records again from the data.

    Exit 0 verified, 1 something failed (a forged record, a contaminated holdout, a moved version), 3 unknown (the data
    could not be had). Commits nothing.

    Example: heldout verify --base origin/main
    """
    from heldout.domain.verification import Level
    from heldout.reports.adapters.verify import verify_report
    from heldout.reports.verify import verify_json, verify_lines
    from heldout.services.locating import Places
    from heldout.services.verifying.verify import Signing
    from heldout.services.verifying.verify import verify as run

    session = session_for(form, as_json=as_json, quiet=quiet, data=data)
    if pre_receive:
        _receive(session, replay=not trust_records, require_signed=require_signed, signers_file=allowed_signers)
    signing = Signing(allowed_signers) if require_signed or allowed_signers else None
    check = run(
        session.workspace,
        session.progress,
        base=base,
        everything=everything,
        replay=not trust_records,
        signing=signing,
    )
    session.progress.close()
    deliver(
        session,
        lines=lambda: verify_lines(check),
        data=lambda: verify_json(check),
        report=lambda: verify_report(check, Places(session.workspace).problem),
    )
    if check.has(Level.FAILED):
        session.end(ExitCode.FOUND)
    session.end(ExitCode.UNKNOWN if check.has(Level.UNKNOWN) else ExitCode.CLEAN)


def _receive(session: Session, *, replay: bool, require_signed: bool, signers_file: str | None) -> NoReturn:
    """Everything goes to standard error, which Git shows to who pushes; only exit 0 lets the push in."""
    from heldout.domain.verification import Level
    from heldout.reports.verify import received_lines
    from heldout.services.verifying.pre_receive import parse_received, receive

    updates = parse_received(sys.stdin.buffer.read().decode("utf-8", "surrogateescape"))
    received = receive(
        session.workspace,
        updates,
        session.progress,
        replay=replay,
        require_signed=require_signed or signers_file is not None,
        signers_file=signers_file,
    )
    session.progress.close()
    lines = received_lines(received.verdict, received.check)
    sys.stderr.write("".join(f"{escaped_line(line)}\n" for line in lines).encode("utf-8", "replace").decode())
    if received.verdict.refused or received.check.has(Level.FAILED):
        session.end(ExitCode.FOUND)
    session.end(ExitCode.UNKNOWN if received.check.has(Level.UNKNOWN) else ExitCode.CLEAN)

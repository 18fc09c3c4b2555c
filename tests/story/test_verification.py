"""`heldout verify`: what a server finds out that trusts no hook."""

from __future__ import annotations

import shutil
from dataclasses import replace

from story.conftest import CLEAN_TEST
from support.story import Team, rows

from heldout.domain.canonical import digest_bytes
from heldout.domain.record import Compared, ScanRecord
from heldout.storage.records import parse_record, render_record


def test_a_fresh_clone_makes_the_records_again(clean: Team) -> None:
    server = clean.clone("server")
    verified = server.heldout("verify", "--json")
    assert verified.code == 0, str(verified)
    assert verified.json["replayed"] == 1

    # a byte of the findings
    (record,) = server.records()
    findings = record.replace("scan.yaml", "findings.jsonl")
    text = server.show(f"HEAD:{findings}") + "\n"
    assert '"t5"' in text
    forged = text.replace('"t5"', '"t6"')
    server.write(findings, forged)
    server.bypass("commit", "-q", "-a", "-m", "A byte")
    changed = server.heldout("verify")
    assert changed.code == 1
    assert f"{findings} is not the file that the record names" in changed.out
    # and the record's digest of them with it: a finding's id no longer fits its sides
    content = server.show(f"HEAD:{record}") + "\n"
    old = parse_record(content.encode(), record).findings_digest
    server.write(record, content.replace(old, digest_bytes(forged.encode())))
    server.bypass("commit", "-q", "-a", "-m", "And its digest")
    assert "are not written the way Heldout writes them" in server.heldout("verify", "--all").out
    assert server.heldout("verify").code == 1
    assert server.heldout("verify", "--trust-records").code == 1  # records are only ever added


def test_without_the_data_nothing_is_verified(clean: Team) -> None:
    shutil.rmtree(clean.path.parent / "store")
    server = clean.clone("server")
    unknown = server.heldout("verify")
    assert unknown.code == 3, str(unknown)
    assert "could not be made again" in unknown.out
    assert server.heldout("verify", "--trust-records").code == 0


def test_a_claim_that_cannot_be_made_again_is_not_believed_for_a_neighbour(clean: Team) -> None:
    """A record that also names a version nobody has cannot be replayed; what it says of the others stays unproven."""
    clean.dataset("corpus", holdout=None, train={**rows("c", 3), "c9": CLEAN_TEST["h3"]})
    clean.bypass("commit", "-q", "-m", "No record")
    # its honest record names only itself, as where no other data was at hand
    tag = clean.git("rev-parse", "support@v1.0.0")
    clean.bypass("tag", "-d", "support@v1.0.0")
    clean.succeeds("scan", "corpus@HEAD", "--commit")
    (own,) = clean.records(dataset="corpus")
    clean.git("update-ref", "refs/tags/support@v1.0.0", tag)
    record = parse_record(clean.show(f"HEAD:{own}").encode() + b"\n", own)
    (support,) = clean.records(dataset="support")
    source = parse_record(clean.show(f"HEAD:{support}").encode() + b"\n", support).source
    clean.bypass("tag", "-a", "corpus@v1.0.0", "-m", "x")
    forge(clean, record, source)
    clean.git("add", "datasets")
    clean.bypass("commit", "-q", "-m", "Claim a comparison")
    assert clean.gate("support@v1.0.0") == 0  # the gate trusts records
    found = clean.heldout("verify", "--all")
    assert found.code == 3, str(found)
    assert "a version it was compared with is not in this clone" in found.out


def forge(team: Team, record: ScanRecord, source: str) -> None:
    """A record of the same content that says it was compared with `source`, and with something nobody has."""
    nobody = Compared("support", "sha256:" + "0" * 64)
    forged = replace(record, compared=(Compared("support", source), nobody))
    team.write(f"{forged.folder()}/scan.yaml", render_record(forged))
    team.write(f"{forged.folder()}/findings.jsonl", b"")

"""Fuzz the readers and codecs by coverage, for a bounded time.

    python -m tools.fuzz --seconds 30             each target in turn; the seconds are shared among them
    python -m tools.fuzz --target yaml-values     one
    python -m tools.fuzz --target yaml-values --replay FILE

Atheris (libFuzzer) drives them; it is in requirements/dev.lock for Linux on x86-64. Prints executions a target. Exit 1
when an input breaks a promise of tools/fuzzing/targets.py, runs for more than 10 seconds or takes more than 2 GiB; the
input is kept in .fuzz/findings, and what was learnt in .fuzz/corpus. A finding becomes a row of
tests/files/test_fuzz_targets.py.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_SECONDS_PER_INPUT: Final = 10
_MIB: Final = 2048
_MODULES: Final = ["heldout.storage", "heldout.domain", "ruamel.yaml"]
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)|^Done (\d+) (?:runs )?in", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together; 60 by default")
    parser.add_argument("--target", action="append", help="one of them; may be repeated")
    parser.add_argument("--replay", type=Path, help="run one input, and show what breaks")
    parser.add_argument("--work", type=Path, default=ROOT / ".fuzz", help="where inputs are kept; .fuzz by default")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.inside:
        _fuzz_here(asked.inside, asked.seconds, asked.work)
        return 0
    from tools.fuzzing.targets import TARGETS

    names = asked.target or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"no target is called {unknown[0]}; there are {', '.join(TARGETS)}")
    if asked.replay:
        for name in names:
            TARGETS[name](asked.replay.read_bytes())
        return 0
    clean = [_fuzz(name, max(1, asked.seconds // len(names)), asked.work) for name in names]
    return int(not all(clean))


def _fuzz(name: str, seconds: int, work: Path) -> bool:
    """In a process of its own, for libFuzzer ends its process. Prints one line, and the finding if there is one."""
    command = [sys.executable, "-m", "tools.fuzz", "--inside", name, "--seconds", str(seconds), "--work", str(work)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    told = ran.stderr.decode(errors="replace") + ran.stdout.decode(errors="replace")
    executed = [int(one or other) for one, other in _EXECUTED.findall(told)]
    count = f"{executed[-1]:>9,}" if executed else "        ?"
    print(f"{name:<14} {count} executions in {seconds} s: {'clean' if ran.returncode == 0 else 'FOUND'}", flush=True)
    if ran.returncode:
        print("\n".join(line for line in told.splitlines() if not line.startswith(("#", "INFO:")))[-4000:], flush=True)
    return ran.returncode == 0


def _fuzz_here(name: str, seconds: int, work: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=_MODULES):
        from tools.fuzzing.targets import TARGETS
    from tools.fuzzing.seeds import TOKENS, seeds

    corpus, first, found = work / "corpus" / name, work / "seeds" / name, work / "findings"
    for folder in (corpus, first, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (first / str(number)).write_bytes(data)
    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_SECONDS_PER_INPUT}",
        f"-rss_limit_mb={_MIB}",
        f"-artifact_prefix={found}/{name}-",
        "-print_final_stats=1",
    ]
    if tokens := TOKENS.get(name):
        words = work / f"{name}.dict"
        words.write_text("".join(f'"{_escaped(token)}"\n' for token in tokens), encoding="ascii")
        options.append(f"-dict={words}")
    atheris.Setup([sys.argv[0], *options, str(corpus), str(first)], TARGETS[name])
    atheris.Fuzz()


def _escaped(token: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token.encode("utf-8"))


if __name__ == "__main__":
    sys.exit(main())

"""Fuzz the readers and codecs for a bounded time.

    python -m tools.fuzz --seconds 30             each target in turn; the seconds are shared among them
    python -m tools.fuzz --target yaml-values     one
    python -m tools.fuzz --target yaml-values --replay FILE

Atheris (libFuzzer) drives them by coverage; it is in requirements/dev.lock for Linux on x86-64. Where it is not,
hypothesis mutates the seeds instead. Prints which of the two ran, and executions a target. Exit 1 when an input breaks
a promise of tools/fuzzing/targets.py, or, with atheris, runs for more than 10 seconds or takes more than 2 GiB. The
input is kept in .fuzz/findings, printed with how to run it again, and what was learnt is kept in .fuzz/corpus. What is
found becomes a row of tests/files/test_fuzz_targets.py.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_SECONDS_PER_INPUT: Final = 10
_MIB: Final = 2048
_SHOWN: Final = 1024  # bytes of a finding that are printed: a machine in CI is gone when somebody looks
_MODULES: Final = ["heldout.storage", "heldout.domain", "ruamel.yaml"]
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)|^Done (\d+) (?:runs )?in", re.MULTILINE)
_KEPT = re.compile(r"Test unit written to (.+)")
_HEADS: Final = {
    "atheris": "by atheris, by coverage",
    "hypothesis": "by hypothesis, which mutates the seeds and sees no coverage: atheris is for Linux on x86-64",
}


@dataclass(frozen=True)
class Plan:
    """How each target is fuzzed."""

    engine: str
    seconds: int
    seed: int
    work: Path

    @property
    def findings(self) -> Path:
        return self.work / "findings"


@dataclass(frozen=True)
class Outcome:
    """What became of one target: inputs tried (None: it did not say), and what was found."""

    name: str
    executed: int | None
    told: str = ""
    kept: Path | None = None
    clean: bool = True


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.inside:
        _fuzz_here(asked.inside, asked.seconds, asked.work, asked.seed)
        return 0
    from tools.fuzzing.targets import TARGETS

    names = asked.target or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        sys.exit(f"no target is called {unknown[0]}; there are {', '.join(TARGETS)}")
    if asked.replay:
        for name in names:
            TARGETS[name](asked.replay.read_bytes())
        return 0
    plan = Plan(asked.engine or _engine(), max(1, asked.seconds // len(names)), asked.seed, asked.work)
    plan.findings.mkdir(parents=True, exist_ok=True)
    print(f"{len(names)} targets, {plan.seconds} s each, seed {plan.seed}, {_HEADS[plan.engine]}", flush=True)
    run = _by_coverage if plan.engine == "atheris" else _by_mutations
    with ThreadPoolExecutor(asked.jobs if plan.engine == "atheris" else 1) as pool:
        outcomes = [_show(outcome, plan) for outcome in pool.map(partial(run, plan=plan), names)]
    return int(not all(outcome.clean for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together; 60 by default")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time, by atheris; 1 by default")
    parser.add_argument("--target", action="append", help="one of them; may be repeated")
    parser.add_argument("--replay", type=Path, help="run one input, and show what breaks")
    parser.add_argument("--engine", choices=[*_HEADS], help="atheris where it is installed, by default")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random; 1 by default")
    parser.add_argument("--work", type=Path, default=ROOT / ".fuzz", help="where inputs are kept; .fuzz by default")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    return parser


def _engine() -> str:
    try:
        return "atheris" if importlib.util.find_spec("atheris") else "hypothesis"
    except ValueError:  # it was said to be absent
        return "hypothesis"


def _show(outcome: Outcome, plan: Plan) -> Outcome:
    """One line, and the finding if there is one, with what it takes to see it again."""
    count = "?" if outcome.executed is None else f"{outcome.executed:,}"
    found = "clean" if outcome.clean else "FOUND"
    print(f"{outcome.name:<16} {count:>9} executions in {plan.seconds} s: {found}", flush=True)
    if outcome.clean:
        return outcome
    print(outcome.told[-4000:])
    if outcome.kept is not None:
        data = outcome.kept.read_bytes()
        print(f"the input, {len(data)} bytes: {data!r}" if len(data) <= _SHOWN else f"the input has {len(data)} bytes")
        print(f"again: python -m tools.fuzz --target {outcome.name} --replay {outcome.kept}", flush=True)
    return outcome


def _by_coverage(name: str, plan: Plan) -> Outcome:
    """In a process of its own, for libFuzzer ends its process."""
    command = [sys.executable, "-m", "tools.fuzz", "--inside", name, "--seconds", str(plan.seconds)]
    command += ["--work", str(plan.work), "--seed", str(plan.seed)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    told = ran.stderr.decode(errors="replace") + ran.stdout.decode(errors="replace")
    executed = [int(one or other) for one, other in _EXECUTED.findall(told)]
    kept = _KEPT.search(told)
    quiet = "\n".join(line for line in told.splitlines() if not line.startswith(("#", "INFO:")))
    return Outcome(
        name, executed[-1] if executed else None, quiet, Path(kept[1]) if kept else None, ran.returncode == 0
    )


def _by_mutations(name: str, plan: Plan) -> Outcome:
    from tools.fuzzing.mutations import Found, mutate

    try:
        return Outcome(name, mutate(name, plan.seconds, plan.seed))
    except Found as found:
        kept = plan.findings / f"{name}-mutation"
        kept.write_bytes(found.data)
        return Outcome(name, None, "".join(traceback.format_exception(found.__cause__)), kept, clean=False)


def _fuzz_here(name: str, seconds: int, work: Path, seed: int) -> None:
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
        f"-seed={seed}",
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

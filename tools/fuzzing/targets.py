"""What the fuzzers hold the readers and codecs to, whatever bytes they are given.

Each target takes bytes and raises nothing, or `Broken` where a promise does not hold: a value that an independent
reader of the standard library or of ruamel.yaml would not give, an error of another kind than the documented one, or
time that runs away. Any other exception is a finding as well. `tools/fuzz.py` drives them by coverage, and
tests/files/test_fuzz_targets.py with mutations by hypothesis.
"""

from __future__ import annotations

from tools.fuzzing import codecs, readers, run_files
from tools.fuzzing.promise import TARGETS, Broken

__all__ = ["TARGETS", "Broken", "codecs", "readers", "run_files"]

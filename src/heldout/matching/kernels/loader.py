"""Kernels as functions: object code from a cache file, mapped into the process, called through ctypes.

A cache file is named by a digest of the kernels' source and the processor, so another version or another machine makes
one of its own; it is written aside and renamed, and one that does not match its own digest counts as absent. It lies
beside the package, or in the user's cache folder where the package cannot be written to.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from heldout.matching.kernels import arithmetic
from heldout.matching.kernels.compiler import MODULES, Compiled, compile_kernels, expanded

_MAGIC = b"heldout kernels 2\n"
_TYPES = {"B": np.uint8, "H": np.uint16, "I": np.uint32, "Q": np.uint64, "i": np.int32, "q": np.int64}


class Kernel:
    """One compiled function. It is called without the interpreter's lock, so threads run it side by side."""

    __slots__ = ("_address", "_call", "_letters")

    def __init__(self, address: int, letters: str) -> None:
        codes = [ctypes.c_int64 if letter == "n" else ctypes.c_void_p for letter in expanded(letters)]
        self._address = address
        self._letters = letters
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *codes)(address)

    def __call__(self, *given: Any) -> int:
        """Arrays must be contiguous and of the signature's types: a kernel sees addresses only."""
        arguments: list[int] = []
        for letter, value in zip(self._letters, given, strict=True):
            if letter == "n":
                arguments.append(int(value))
                continue
            if not value.flags.c_contiguous or (letter != "t" and value.dtype != _TYPES[letter]):
                raise TypeError(f"a kernel was given {value.dtype} where it takes {_TYPES.get(letter, 'a text')}")
            address = value.ctypes.data
            arguments.extend([address, address, address, value.itemsize] if letter == "t" else [address])
        return self._call(*arguments)  # type: ignore[no-any-return]


class Kernels(NamedTuple):
    """All kernels by name, as the modules that `compiler.MODULES` lists define them."""

    collapse: Kernel
    highest: Kernel
    sign: Kernel
    keys: Kernel
    group: Kernel
    join: Kernel
    spread: Kernel
    sizes: Kernel
    admit: Kernel
    verify: Kernel
    family: Kernel
    sample: Kernel
    tally: Kernel
    choose: Kernel
    lowest: Kernel
    locate: Kernel
    mark: Kernel
    tally_marked: Kernel
    rarest: Kernel
    index: Kernel
    occurrences: Kernel
    part_keys: Kernel
    in_lists: Kernel
    family_by_lists: Kernel


def load_cached() -> Kernels | None:
    """The kernels, if a cache file of this version for this processor exists."""
    name = _file_name()
    for folder in _folders():
        compiled = _read(folder / name)
        if compiled is not None:
            return _mapped(compiled)
    return None


def compile_and_store() -> Kernels:
    """Compile, keep the object code for later processes if any cache folder takes it, and load it."""
    compiled = compile_kernels()
    for folder in _folders():
        with contextlib.suppress(OSError):
            _write(folder / _file_name(), compiled)
            break
    return _mapped(compiled)


def is_cached() -> bool:
    return any((folder / _file_name()).exists() for folder in _folders())


def _folders() -> Iterable[Path]:
    yield Path(__file__).parent / "__pycache__"
    base = os.environ.get("XDG_CACHE_HOME", "")
    yield (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "heldout"


def _file_name() -> str:
    import llvmlite.binding as llvm

    state = hashlib.sha256(_MAGIC)
    for module in (*MODULES, arithmetic):
        state.update(Path(str(module.__file__)).read_bytes())
    processor = (
        platform.system(),
        platform.machine(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )
    state.update("\n".join(processor).encode())
    return f"kernels-{state.hexdigest()[:24]}.bin"


def _read(path: Path) -> dict[str, Compiled] | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    start = len(_MAGIC) + 64
    body = data[start:]
    if data[:start] != _MAGIC + hashlib.sha256(body).hexdigest().encode():
        return None
    head, _, rest = body.partition(b"\n")
    compiled = {}
    for name, symbol, needs, size in json.loads(head):
        compiled[name], rest = Compiled(symbol, needs, rest[:size]), rest[size:]
    return compiled


def _write(path: Path, compiled: dict[str, Compiled]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps([[name, one.symbol, one.needs, len(one.code)] for name, one in compiled.items()])
    body = head.encode() + b"\n" + b"".join(one.code for one in compiled.values())
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_MAGIC + hashlib.sha256(body).hexdigest().encode() + body)
        os.chmod(aside, 0o644)
        os.replace(aside, path)
    except BaseException:
        os.unlink(aside)
        raise


_ENGINES: list[Any] = []
"""What keeps mapped code alive, for the life of the process."""


def _mapped(compiled: dict[str, Compiled]) -> Kernels:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    process = ctypes.CDLL(None)
    for name in {name for one in compiled.values() for name in one.needs}:
        if llvm.address_of_symbol(name) is None:
            # What is found nowhere belongs to numba's reports of exceptions, of which there are none.
            found = getattr(process, name, process.abort)
            llvm.add_symbol(name, ctypes.cast(found, ctypes.c_void_p).value)
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    for one in compiled.values():
        engine.add_object_file(llvm.ObjectFileRef.from_data(one.code))
    engine.finalize_object()
    _ENGINES.append(engine)
    letters = {function.__name__: code for module in MODULES for function, code in module.KERNELS.items()}
    addresses = {name: engine.get_function_address(one.symbol) for name, one in compiled.items()}
    return Kernels(**{name: Kernel(address, letters[name]) for name, address in addresses.items()})

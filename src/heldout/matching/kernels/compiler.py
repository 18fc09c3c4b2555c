"""The one door to numba: kernels in, object code out.

numba is needed once on each machine. What it makes is ordinary object code that calls nothing, which
`heldout.matching.kernels.loader` maps into any later process without importing numba: that alone would take longer
than a small scan.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, NamedTuple

from heldout.matching.kernels import arithmetic, crowding, joining, searching, verifying, writing

MODULES: tuple[ModuleType, ...] = (writing, joining, verifying, searching, crowding)


class Compiled(NamedTuple):
    """Object code of one kernel: the name of its function, and the names that it leaves to be resolved.

    These are memset and its like, and what numba's wrapper would call to report an exception. No kernel raises one.
    """

    symbol: str
    needs: list[str]
    code: bytes


def compile_kernels() -> dict[str, Compiled]:
    """Every kernel as object code for this processor; seconds of work. Raises whatever numba raises."""
    from numba import cfunc, types
    from numba.extending import register_jitable

    pointer: Any = types.CPointer
    codes = {code: pointer(getattr(types, name)) for code, name in _POINTERS.items()} | {"n": types.int64}
    for helper in (*arithmetic.HELPERS, *(helper for module in MODULES for helper in module.HELPERS)):
        register_jitable(helper)
    made: dict[str, Compiled] = {}
    for module in MODULES:
        for function, letters in module.KERNELS.items():
            arguments = [codes[letter] for letter in expanded(letters)]
            made[function.__name__] = _object_of(cfunc(types.int64(*arguments), error_model="numpy")(function))
    return made


_POINTERS = {"B": "uint8", "H": "uint16", "I": "uint32", "Q": "uint64", "i": "int32", "q": "int64"}


def expanded(letters: str) -> str:
    """A signature as the compiled function takes it: a text is one address in three types, and its width."""
    return letters.replace("t", "BHIn")


def _object_of(kernel: Any) -> Compiled:
    library = kernel._library  # noqa: SLF001  # numba offers no public way to the object code
    needs = sorted({name for name in _DECLARED.findall(library.get_llvm_str()) if not name.startswith("llvm.")})
    return Compiled(kernel.native_name, needs, library._get_compiled_object())  # noqa: SLF001


_DECLARED = re.compile(r"^declare [^@\n]*@([\w.$]+)\(", re.MULTILINE)

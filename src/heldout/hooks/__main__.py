"""`python -m heldout.hooks HOOK ...`: what the shims in this package's `shims` folder start."""

from __future__ import annotations

import sys

from heldout.hooks.entry import main

sys.exit(main(sys.argv[1:]))

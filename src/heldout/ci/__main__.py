"""`python -m heldout.ci STEP`: the script beside this file, wherever the package was installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    script = str(Path(__file__).with_name("steps.sh"))
    os.execvp("sh", ["sh", script, *sys.argv[1:]])

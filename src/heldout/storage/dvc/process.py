"""Runs DVC (the worker) with a limit on time and an environment of our choosing."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from heldout.errors import MissingDataError, RepositoryError
from heldout.storage.git.process import LOCAL_VARIABLES

DEFAULT_TIMEOUT = 900.0
"""Seconds for one call of DVC. A large download may need more: the environment variable HELDOUT_DVC_TIMEOUT."""


def call(top: Path, action: str, timeout: float | None = None, **arguments: Any) -> list[str]:
    """One action of the worker in the repository at `top`.

    Raises RepositoryError (slug dvc-failed) with DVC's reason, MissingDataError (slug dvc-timeout) when it takes longer
    than `timeout` seconds.
    """
    limit = timeout if timeout is not None else _timeout()
    # -P keeps the repository itself off the module path: a data folder called json/ must not become our json.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "heldout.storage.dvc.worker"],
        cwd=top,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A session of its own has no terminal, so nothing can ask for a password and wait; and it can be ended whole.
        start_new_session=True,
    )
    try:
        out, err = process.communicate(json.dumps({"action": action, **arguments}).encode(), timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise MissingDataError(
            "dvc-timeout",
            f"DVC did not finish within {limit:g} s ({action})",
            hint=f"try it by hand (dvc {action}), or set HELDOUT_DVC_TIMEOUT to more seconds",
        ) from error
    finally:
        _end(process)
    return _result(action, out, err)


def _result(action: str, out: bytes, err: bytes) -> list[str]:
    try:
        reply = json.loads(out)
    except ValueError:
        last = err.decode(errors="replace").strip().splitlines()[-1:]
        reply = {"error": last[0] if last else "it ended without an answer"}
    if "error" in reply:
        raise RepositoryError("dvc-failed", f"dvc {action}: {reply['error']}", hint=f"try it by hand: dvc {action}")
    result: list[str] = reply["result"]
    return result


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends DVC and what it started; nothing to do when it has finished."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _environment() -> dict[str, str]:
    # A hook has some of Git's own variables set, and DVC (dulwich, pygit2) obeys a few of them.
    kept = {name: value for name, value in os.environ.items() if name not in LOCAL_VARIABLES}
    return {**kept, "DVC_NO_ANALYTICS": "1", "GIT_TERMINAL_PROMPT": "0"}


def _timeout() -> float:
    try:
        return float(os.environ.get("HELDOUT_DVC_TIMEOUT", DEFAULT_TIMEOUT))
    except ValueError:
        return DEFAULT_TIMEOUT

"""Starting and stopping the page."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from heldout.errors import UsageError
from heldout.services.browsing.project import Project
from heldout.web.guard import Guard
from heldout.web.routes import ROUTES
from heldout.web.server import Server
from heldout.web.site import Site


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers in threads of its own until it is stopped."""

    server: Server
    guard: Guard

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def start(folder: Path, port: int = 0, data: Path | None = None) -> Running:
    """Serve the repository around a folder. Findings are read meanwhile, so that the first look is fast.

    Raises UsageError (slug port-taken), and what opening a repository raises.
    """
    project = Project(folder, data)
    try:
        server = Server(port)
    except (OSError, OverflowError) as error:
        raise UsageError("port-taken", f"cannot listen on port {port}: {error}", hint="heldout ui --port 0") from None
    guard = Guard(server.port)
    server.site = Site(project, guard, ROUTES)
    threading.Thread(target=server.serve_forever, name="page", daemon=True).start()
    threading.Thread(target=_read_ahead, args=(project,), name="read ahead", daemon=True).start()
    return Running(server, guard)


def _read_ahead(project: Project) -> None:
    from heldout.errors import HeldoutError

    try:
        project.findings()
    except HeldoutError:
        return  # whoever asks is told

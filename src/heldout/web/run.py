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
    project: Project

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def read_ahead(self) -> None:
        """Read the findings meanwhile, so that the first look is as fast as the others."""
        threading.Thread(target=_read, args=(self.project,), name="read ahead", daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def start(folder: Path, port: int = 0, data: Path | None = None) -> Running:
    """Serve the repository around a folder.

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
    return Running(server, guard, project)


def _read(project: Project) -> None:
    from heldout.errors import HeldoutError

    try:
        project.findings()
    except HeldoutError:
        return  # whoever asks is told

"""The wheel holds what the program needs at run time, and the layers import what they may."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.console import ROOT

PACKAGE = ROOT / "src" / "heldout"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("heldout-*.whl")
    return zipfile.ZipFile(built)


def test_wheel_holds_every_file_of_the_package_and_the_licence(wheel: zipfile.ZipFile) -> None:
    held = set(wheel.namelist())
    wanted = {
        f"heldout/{path.relative_to(PACKAGE).as_posix()}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - held == set()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in held)
    assert "heldout/py.typed" in held
    assert not [name for name in held if name.startswith(("tests/", "tools/"))]


def test_wheel_gives_both_commands(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    text = wheel.read(name).decode()
    assert "heldout = heldout.cli:main" in text
    assert "git-heldout = heldout.cli:main" in text
    assert "[pytest11]\nheldout = heldout.integrations.pytest_plugin" in text


def test_wheel_puts_the_man_page_where_man_looks(wheel: zipfile.ZipFile) -> None:
    placed = {name.split(".data/data/")[1] for name in wheel.namelist() if ".data/data/" in name}
    assert placed == {"share/man/man1/heldout.1", "share/man/man1/git-heldout.1"}


def imported_by(path: Path) -> set[str]:
    """Top-level names of every import in a file, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found


def test_rules_use_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"heldout"}
    foreign = {
        path.name: imported_by(path) - allowed for path in [*(PACKAGE / "domain").glob("*.py"), PACKAGE / "errors.py"]
    }
    assert {name: names for name, names in foreign.items() if names} == {}


def test_methods_use_numpy_and_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"heldout", "numpy"}
    foreign = {path.name: imported_by(path) - allowed for path in (PACKAGE / "matching").glob("*.py")}
    assert {name: names for name, names in foreign.items() if names} == {}


def test_what_is_imported_is_declared() -> None:
    """Every library the package imports is one of its own dependencies, not a dependency's dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module_of = {"GitPython": "git", "ruamel.yaml": "ruamel", "dvc-data": "dvc_data", "inspect-ai": "inspect_ai"}
    optional = project["optional-dependencies"]
    extras = [name for extra in ("spark", "semantic", "integrations") for name in optional[extra]]
    declared = {name.split(">")[0] for name in [*project["dependencies"], *extras]}
    modules = {module_of.get(name, name) for name in declared} | {"heldout"}
    used = set().union(*(imported_by(path) for path in PACKAGE.rglob("*.py"))) - sys.stdlib_module_names - {"_typeshed"}
    assert used - modules == set()


@pytest.mark.parametrize("module", ["heldout", "heldout.hooks.entry"])
def test_heavy_libraries_are_not_loaded_at_start(module: str) -> None:
    """Hooks run on every commit; importing any of these costs between 0.1 and 1.2 seconds."""
    heavy = {"datasketch", "dvc", "git", "numpy", "pyarrow", "rich", "scipy", "typer"}
    code = f"import sys, importlib; importlib.import_module({module!r}); print(*({heavy} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


WRITERS = {
    "cli/completion/scripts.py": "the person's own configuration",
    "services/placing.py": "what stood there before",
    "services/corpora/use.py": "below the local folder",
    "storage/corpora/state.py": "below the local folder",
    "storage/git/index.py": "after asking for links itself",
    "storage/splitting/excerpt_index.py": "below the local folder",
    "storage/working_files.py": "the door",
}
"""Who may write a file over another without asking whether a link lies on the way, and what is written."""


def test_files_of_the_working_copy_are_written_by_one_door() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "heldout.storage.atomic import" in path.read_text(encoding="utf-8")
    }
    assert found == set(WRITERS)

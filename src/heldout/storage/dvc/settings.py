"""Where DVC keeps its objects, from its configuration files, without starting DVC."""

from __future__ import annotations

import configparser
import os
import sys
from pathlib import Path

from heldout.errors import ConfigError


def cache_folders(top: Path, main_top: Path | None = None) -> tuple[Path, ...]:
    """The cache of the repository at `top`, then that of the main worktree when `top` is a linked one.

    A linked worktree has the committed .dvc/config but not the cache, nor .dvc/config.local.
    """
    tops = [top] if main_top is None or main_top == top else [top, main_top]
    return tuple(dict.fromkeys(_cache_folder(item) for item in tops))


def default_remote(top: Path) -> tuple[str, str] | None:
    """Name and address of the remote that `dvc push` and `dvc fetch` use; None where none is configured."""
    name, addresses = None, dict[str, str]()
    for file in _config_files(top):
        parser = _parsed(file)
        if parser is None:
            continue
        name = parser.get("core", "remote", fallback=name)
        for section in parser.sections():
            remote = section.strip("'\"").removeprefix('remote "').rstrip('"')
            if 'remote "' in section and parser.has_option(section, "url"):
                addresses[remote] = parser.get(section, "url").strip("'\"")
    return (name, addresses[name]) if name in addresses and name is not None else None


def _config_files(top: Path) -> tuple[Path, ...]:
    """Later files win, as in DVC."""
    return (_system_config(), _user_config(), top / ".dvc" / "config", top / ".dvc" / "config.local")


def _cache_folder(top: Path) -> Path:
    folder = top / ".dvc" / "cache"
    for file in _config_files(top):
        written = _cache_dir(file)
        if written:
            # Relative paths in DVC's configuration are relative to the file they stand in.
            folder = Path(os.path.normpath(file.parent / Path(written).expanduser()))
    return folder


def _cache_dir(file: Path) -> str | None:
    parser = _parsed(file)
    value = None if parser is None else parser.get("cache", "dir", fallback=None)
    return value.strip("'\"") if value else None


def _parsed(file: Path) -> configparser.ConfigParser | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",))
    try:
        parser.read_string(file.read_text(encoding="utf-8"), source=str(file))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (configparser.Error, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError("dvc-config", f"DVC's configuration cannot be read: {reason}", file=str(file)) from error
    return parser


def _user_config() -> Path:
    """DVC's per-user configuration (its library platformdirs decides the folder)."""
    override = os.environ.get("DVC_GLOBAL_CONFIG_DIR")
    if override:
        return Path(override) / "config"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "dvc" / "config"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "iterative" / "dvc" / "config"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "dvc" / "config"


def _system_config() -> Path:
    override = os.environ.get("DVC_SYSTEM_CONFIG_DIR")
    if override:
        return Path(override) / "config"
    if sys.platform == "darwin":
        return Path("/Library/Application Support/dvc/config")
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", "C:/ProgramData")) / "iterative" / "dvc" / "config"
    return Path("/etc/xdg/dvc/config")

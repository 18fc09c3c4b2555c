"""The error slugs that the code uses, found in its syntax tree.

    python -m tools.slugs             list them: slug, where it is raised, the start of its message

A slug may be given to an error class directly, or travel through a function, a dataclass or an internal exception
before it gets there. All of these have a parameter called `slug`; so what is collected is every literal in that
position of a call to such a callable, and every `slug="..."`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
HEADING = re.compile(r"^### `?([^`\n]+?)`?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Use:
    """One place that names a slug; `message` is the first literal text after it, empty where there is none."""

    slug: str
    file: str
    line: int
    message: str


def uses(package: Path) -> list[Use]:
    """Every slug literal in a package, by slug and place."""
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    positions = _slug_positions(modules.values())
    found = {
        Use(slug, path.relative_to(package).as_posix(), node.lineno, _message(node))
        for path, module in modules.items()
        for constants in (_constants(module),)
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        for slug in _slugs_of(node, positions, constants)
    }
    return sorted(found, key=lambda use: (use.slug, use.file, use.line))


def documented(page: str) -> list[str]:
    """The slugs that a page has a third-level heading for, in its order."""
    return HEADING.findall(page)


def _slug_positions(modules: Iterable[ast.Module]) -> dict[str, int]:
    """Callables with a parameter `slug`: where it stands, not counting self. Subclasses take their base's position."""
    positions: dict[str, int] = {}
    bases: dict[str, list[str]] = {}
    for module in modules:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
                position = _position_in_class(node)
            elif isinstance(node, ast.FunctionDef) and node.name != "__init__":
                position = _position_in(node)
            else:
                continue
            if position is not None:
                positions[node.name] = position
    for _ in bases:  # as often as the longest chain of bases could need
        for name, parents in bases.items():
            inherited = [positions[parent] for parent in parents if parent in positions]
            if inherited:
                positions.setdefault(name, inherited[0])
    return positions


def _position_in(function: ast.FunctionDef) -> int | None:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = [name for name in names if name not in ("self", "cls")]
    return names.index("slug") if "slug" in names else None


def _position_in_class(node: ast.ClassDef) -> int | None:
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return _position_in(member)
    fields = [
        member.target.id
        for member in node.body
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name)
    ]
    return fields.index("slug") if "slug" in fields else None


def _constants(module: ast.Module) -> dict[str, str]:
    """Texts that a module names once and raises often."""
    return {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _slugs_of(call: ast.Call, positions: dict[str, int], constants: dict[str, str]) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    arguments = [keyword.value for keyword in call.keywords if keyword.arg == "slug"]
    position = positions.get(name)
    if position is not None and position < len(call.args):
        arguments.append(call.args[position])
    for argument in arguments:
        yield from _literals(argument, constants)


def _literals(node: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in constants:
        yield constants[node.id]
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body, constants)
        yield from _literals(node.orelse, constants)


def _message(call: ast.Call) -> str:
    texts = [
        "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in argument.values)
        if isinstance(argument, ast.JoinedStr)
        else str(argument.value)
        for argument in call.args[1:]
        if isinstance(argument, ast.JoinedStr)
        or (isinstance(argument, ast.Constant) and isinstance(argument.value, str))
    ]
    return next((text for text in texts if " " in text), "")


def main() -> None:
    for use in uses(ROOT / "src" / "heldout"):
        print(f"{use.slug:28} {use.file}:{use.line}  {use.message}")


if __name__ == "__main__":
    main()

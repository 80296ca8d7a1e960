"""The package is a house of floors: imports go down only, never to a sibling, and the light rooms stay light."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tensorcopy

ROOT = Path(tensorcopy.__path__[0])
FLOORS = (
    {"errors", "_discovery", "wording", "__version__"},
    {"catalogue"},
    {"live"},
    {"reporting"},
    {"conversion", "inspection", "linting", "tracing", "benchmarking"},
    {"cli", "testing", "pytest_plugin", "jupyter", "lsp"},
    {"__main__"},
)
FLOOR_OF = {name: number for number, names in enumerate(FLOORS, start=1) for name in names}
LIGHT = ("tensorcopy", "errors", "catalogue", "reporting", "linting", "cli")
ARRAY_LIBRARIES = {
    "torch", "numpy", "pandas", "pyarrow", "polars", "PIL", "jax", "jaxlib", "cupy", "ml_dtypes", "safetensors",
    "matplotlib",
}  # fmt: skip
EXPENSIVE = {
    "asyncio", "ast", "ctypes", "dataclasses", "importlib.metadata", "inspect", "json", "pkgutil", "subprocess",
}  # fmt: skip
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def module_of(path: Path, root: Path = ROOT) -> tuple[str, ...]:
    parts = ("tensorcopy", *path.relative_to(root).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def room_of(module: tuple[str, ...]) -> str:
    """The first name below the package, or the package itself."""
    return module[1] if len(module) > 1 else "tensorcopy"


def imported_modules(node: ast.AST, package: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Full names that one import statement, or one ``import_module("...")`` call, loads."""
    match node:
        case ast.Import(names=names):
            return [tuple(alias.name.split(".")) for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = (*package[: len(package) - level + 1], *filter(None, [module])) if level else (module,)
            base = tuple(".".join(base).split("."))
            return [(*base, alias.name) for alias in names] if base == ("tensorcopy",) else [base]
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value), *_]):
            return [tuple(str(value).split("."))] if called in {"import_module", "__import__"} else []
    return []


def imports_of(path: Path, root: Path = ROOT) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """Line, full name, and whether it runs when the module is loaded, of every import in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = module_of(path, root) if path.name == "__init__.py" else module_of(path, root)[:-1]
    later = {id(node) for part in ast.walk(tree) if runs_later(part) for node in ast.walk(part)}
    for node in ast.walk(tree):
        for module in imported_modules(node, package):
            yield getattr(node, "lineno", 0), module, id(node) not in later


def runs_later(node: ast.AST) -> bool:
    """Whether loading the module leaves this part out: a function's body, or what only a type checker reads."""
    checking = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return checking or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def breaches(path: Path, root: Path = ROOT) -> list[str]:
    """Imports of a file that go up or sideways, type-checking ones included: a type is knowledge too."""
    here = room_of(module_of(path, root))
    found = []
    for line, module, _ in imports_of(path, root):
        there = room_of(module)
        below = there == "__version__" or FLOOR_OF.get(there, 99) < FLOOR_OF[here]
        if module[0] == "tensorcopy" and there != here and not below:
            found.append(f"line {line}: {here} imports {there}")
    return found


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_module_stands_on_a_named_floor(path: Path) -> None:
    assert room_of(module_of(path)) in FLOOR_OF


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_go_down_and_never_to_a_sibling(path: Path) -> None:
    assert breaches(path) == []


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        ("catalogue/a.py", "from tensorcopy.errors import TensorcopyError", []),
        ("catalogue/a.py", "from .model import Entry", []),
        ("catalogue/a.py", "from ..conversion import planning", ["line 1: catalogue imports conversion"]),
        ("catalogue/__init__.py", "from ..live import arrays", ["line 1: catalogue imports live"]),
        ("catalogue/a.py", "from .. import live", ["line 1: catalogue imports live"]),
        ("conversion/a.py", "import tensorcopy.inspection.overlap", ["line 1: conversion imports inspection"]),
        ("conversion/sources/a.py", "from ...inspection import x", ["line 1: conversion imports inspection"]),
        ("conversion/a.py", "from tensorcopy import copy", ["line 1: conversion imports copy"]),
        ("cli/a.py", "from .. import __version__", []),
        ("live/a.py", "def f():\n    from tensorcopy.reporting import Report", ["line 2: live imports reporting"]),
        ("live/a.py", "if TYPE_CHECKING:\n    import tensorcopy.cli", ["line 2: live imports cli"]),
        ("live/a.py", "import_module('tensorcopy.conversion')", ["line 1: live imports conversion"]),
    ],
)
def test_the_floor_check_sees_every_spelling_of_an_import(
    tmp_path: Path, place: str, text: str, expected: list[str]
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert breaches(path, tmp_path) == expected


@pytest.mark.parametrize("path", [p for p in FILES if room_of(module_of(p)) in LIGHT], ids=name_of)
def test_light_modules_name_no_array_library_when_loaded(path: Path) -> None:
    assert [m for _, m, at_load in imports_of(path) if at_load and m[0] in ARRAY_LIBRARIES] == []


@pytest.mark.parametrize("path", [p for p in FILES if room_of(module_of(p)) not in LIGHT], ids=name_of)
def test_optional_libraries_are_imported_only_where_an_object_asks_for_them(path: Path) -> None:
    optional = ARRAY_LIBRARIES - {"torch", "numpy"}
    assert [m for _, m, at_load in imports_of(path) if at_load and m[0] in optional] == []


def loaded_by(*names: str) -> set[str]:
    """Modules that a fresh interpreter holds after importing *names*, less those that it starts with."""
    code = (
        "import sys; before = set(sys.modules); from importlib import import_module\n"
        f"for name in {names!r}: import_module(name)\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def modules_in(room: str) -> list[str]:
    paths = [path for path in FILES if room_of(module_of(path)) == room and path.stem != "__main__"]
    return ["tensorcopy", *(".".join(module_of(path)) for path in paths)]


@pytest.mark.parametrize("room", [room for room in LIGHT if len(modules_in(room)) > 1 or room == "tensorcopy"])
def test_light_modules_load_no_array_library(room: str) -> None:
    assert loaded_by(*modules_in(room)) & ARRAY_LIBRARIES == set()


def test_import_tensorcopy_loads_nothing_expensive() -> None:
    assert loaded_by("tensorcopy") & (ARRAY_LIBRARIES | EXPENSIVE) == set()

"""Which linted file an import means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensorcopy.linting.modules import Modules

FILES = (
    "src/pkg/__init__.py", "src/pkg/a.py", "src/pkg/sub/__init__.py", "src/pkg/sub/b.py", "src/pkg/space/c.py",
    "scripts/train.py", "scripts/helper.py", "other/helper.py", "loose/deep/m.py", "stubs/numpy.py", "json.py",
    "one/twin/__init__.py", "two/twin/__init__.py", "two/near.py",
)  # fmt: skip


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return Modules([name.replace("/", os.sep) for name in FILES], ["."])


@pytest.mark.parametrize(
    ("file", "name", "is_package"),
    [
        ("src/pkg/__init__.py", "pkg", True),
        ("src/pkg/sub/b.py", "pkg.sub.b", False),
        ("scripts/train.py", "scripts.train", False),
        ("src/pkg/space/c.py", "pkg.space.c", False),
        ("json.py", "json", False),
    ],
)
def test_a_module_is_named_by_the_packages_around_it_or_from_the_nearest_root(
    modules: Modules, file: str, name: str, is_package: bool
) -> None:
    found = modules.of(file)
    assert (found.dotted, found.is_package) == (name, is_package)


@pytest.mark.parametrize(
    ("name", "importer", "expected"),
    [
        ("pkg.a", "scripts/train.py", "src/pkg/a.py"),
        ("pkg.sub", "src/pkg/a.py", "src/pkg/sub/__init__.py"),
        ("pkg.sub.b", "src/pkg/a.py", "src/pkg/sub/b.py"),
        ("pkg.space.c", "src/pkg/a.py", "src/pkg/space/c.py"),
        ("src.pkg.a", "scripts/train.py", "src/pkg/a.py"),
        ("helper", "scripts/train.py", "scripts/helper.py"),
        ("helper", "src/pkg/a.py", None),
        ("scripts.helper", "src/pkg/a.py", "scripts/helper.py"),
        ("loose.deep.m", "scripts/train.py", "loose/deep/m.py"),
        ("twin", "two/near.py", "two/twin/__init__.py"),
        ("twin", "scripts/train.py", None),
        ("numpy", "scripts/train.py", None),
        ("json", "scripts/train.py", None),
        ("pkg.nothing", "src/pkg/a.py", None),
        ("pkg.a", "src/pkg/a.py", None),
    ],
)
def test_an_import_means_one_linted_file_or_none(
    modules: Modules, name: str, importer: str, expected: str | None
) -> None:
    found = modules.find(name, modules.of(importer))
    assert (found and found.replace(os.sep, "/")) == expected


def test_a_file_alone_still_knows_its_package(modules: Modules) -> None:
    alone = Modules(["src/pkg/sub/b.py"])
    assert alone.of("src/pkg/sub/b.py").dotted == "pkg.sub.b"
    assert alone.find("pkg.a", alone.of("src/pkg/sub/b.py")) is None

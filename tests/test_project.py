"""The project's own promises: what it needs and ships, how long its functions are, that the commands it names exist."""

from __future__ import annotations

import ast
import os
import re
import statistics
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import tensorcopy

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
SOURCE = Path(tensorcopy.__path__[0])
FILES = sorted(SOURCE.rglob("*.py"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VAGUE = {"utils", "helpers", "common", "manager", "base"}
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def functions() -> list[tuple[str, int]]:
    """Place and length in lines, docstring left out, of every function of the package."""
    return [
        (f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", length(node))
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = span(function.body[0]) if documented else 0
    return span(function) - docstring


def span(node: ast.stmt) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def test_no_function_is_longer_than_fifty_lines() -> None:
    assert [(place, length) for place, length in functions() if length > 50] == []


def test_most_functions_fit_in_ten_lines_and_nine_in_ten_in_twenty_five() -> None:
    lengths = sorted(length for _, length in functions())
    assert statistics.median(lengths) <= 10
    assert lengths[len(lengths) * 9 // 10] <= 25


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_source_file_promises_work_to_nobody(path: Path) -> None:
    assert re.findall(r"\b(?:TODO|FIXME|XXX|HACK)\b", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_names_say_what_a_module_does(path: Path) -> None:
    assert VAGUE.isdisjoint(path.relative_to(SOURCE).with_suffix("").parts)


def test_only_rich_and_a_toml_reader_are_needed_and_the_extra_names_the_oldest_supported_releases() -> None:
    assert PROJECT["project"]["dependencies"] == ["rich>=13", "tomli>=2; python_version < '3.11'"]
    assert PROJECT["project"]["optional-dependencies"]["torch"] == ["torch>=2.2", "numpy>=1.26"]


def test_the_supported_pythons_are_the_same_everywhere() -> None:
    classifiers = PROJECT["project"]["classifiers"]
    named = [c.rpartition(" ")[2] for c in classifiers if re.search(r":: 3\.\d+$", c)]
    tested = re.search(r"python: (\[.*\])", text_of(".github/workflows/ci.yml"))
    assert named == PYTHONS
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert tested is not None
    assert ast.literal_eval(tested[1]) == PYTHONS
    assert "Python 3.10 to 3.14" in text_of("README.md")


def test_the_version_is_said_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "tensorcopy.__version__"}
    assert {"Unreleased", tensorcopy.__version__} & set(re.findall(r"^## \[(.+)\]", text_of("CHANGELOG.md"), re.M))


def test_the_installed_package_has_that_version_and_needs_what_the_project_says() -> None:
    try:
        installed = metadata.distribution("tensorcopy")
    except metadata.PackageNotFoundError:
        pytest.skip("tensorcopy runs from its source tree here")
    assert installed.version == tensorcopy.__version__
    needs = [need.replace('"', "'") for need in installed.requires or [] if "extra ==" not in need]
    assert needs == PROJECT["project"]["dependencies"]


def test_the_package_is_marked_as_typed() -> None:
    assert (SOURCE / "py.typed").read_text(encoding="utf-8") == ""


def test_the_verbs_tell_a_type_checker_what_they_give() -> None:
    given = {verb: getattr(tensorcopy, verb).__annotations__["return"] for verb in ("copy", "to_torch", "to_numpy")}
    assert given == {"copy": "T", "to_torch": "torch.Tensor", "to_numpy": "numpy.ndarray[Any, Any]"}
    assert tensorcopy.copy.__annotations__["x"] == "T"


def test_development_pins_torch() -> None:
    assert re.findall(r"^torch.*$", text_of("requirements-dev.txt"), re.M) == ["torch==2.13.0"]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no executable bit")
def test_continuous_integration_runs_make_test() -> None:
    assert re.search(r"^exec make test", text_of(".ci/run"), re.M)
    assert os.access(ROOT / ".ci/run", os.X_OK)


def commands_in(page: str) -> str:
    """What a page sets as code, or the whole of a script."""
    text = text_of(page)
    return "\n".join(re.findall(r"```console\n.*?^```|`[^`\n]+`", text, re.M | re.S)) if page.endswith(".md") else text


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run", ".github/workflows/ci.yml"])
def test_every_make_target_that_is_named_exists(page: str) -> None:
    named = " ".join(re.findall(r"\bmake ((?:[a-z]+ ?)+)", commands_in(page))).split()
    assert named
    assert set(named) <= set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.M))


def test_files_that_the_contributing_page_names_exist() -> None:
    named = re.findall(r"`((?:src|tests|docs|bench|examples|\.ci|\.github)/[\w./-]+)`", text_of("CONTRIBUTING.md"))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", sorted(getattr(tensorcopy, "__all__", ())))
def test_every_public_name_exists_and_has_a_docstring(name: str) -> None:
    pytest.importorskip("torch")
    value = getattr(tensorcopy, name)
    if name != "__version__":
        assert (value.__doc__ or "").strip()


def test_dir_lists_the_public_names() -> None:
    assert set(tensorcopy.__all__) <= set(dir(tensorcopy))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = tensorcopy.no_such_name

"""``tensorcopy explain``."""

from __future__ import annotations

import json
import re

import pytest

from tensorcopy.catalogue import find, operations
from tensorcopy.cli.main import main


@pytest.fixture(autouse=True)
def _a_hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["explain", *arguments]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_a_call_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "x.detach().clone()")
    assert text.startswith("torch.Tensor.detach().clone()\n═════")
    for line in (
        "memory           copies",
        "graph            cuts",
        "requires_grad    never",
        "    x.detach().clone()",
    ):
        assert f"\n{line}\n" in text


@pytest.mark.parametrize(
    "asked", ["clone", "torch.clone", "x.clone()", "torch.as_tensor", "np.asarray", "torch.Tensor.data"]
)
def test_every_way_to_name_an_operation_finds_it(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(explained(capsys, asked, "--output-format", "json"))["data"]["operations"]
    assert [operation["name"] for operation in found] == [operation.name for operation in find(asked)]


def test_words_need_no_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, "x.detach()", ".clone()").startswith("torch.Tensor.detach().clone()\n")


def test_the_list_names_every_operation(capsys: pytest.CaptureFixture[str]) -> None:
    families = json.loads(explained(capsys, "--list", "--output-format", "json"))["data"]["families"]
    assert [name for names in families.values() for name in names] == list(operations())


def test_all_tells_everything_about_many(capsys: pytest.CaptureFixture[str]) -> None:
    assert explained(capsys, "torch.as_tensor", "--all").count("What it does") == len(find("torch.as_tensor"))


def test_an_unknown_name_gets_the_close_ones_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "torch.from_nunpy"]) == 2
    what, why, fix = capsys.readouterr().err.splitlines()
    assert what == "error: no operation is known as 'torch.from_nunpy'"
    assert why == f"  why: the catalogue has {len(operations())} operations, none by that name"
    assert re.fullmatch(r"  fix: did you mean torch\.from_numpy.*\? tensorcopy explain --list shows all", fix)


def test_a_name_like_no_other_gets_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "quux", "17"]) == 2
    assert "  fix: tensorcopy explain --list shows all\n" in capsys.readouterr().err


def test_nothing_to_explain_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 2
    assert capsys.readouterr().err == (
        "error: nothing to explain\n"
        "  why: no operation was named\n"
        "  fix: name one, or list them all: tensorcopy explain --list\n"
    )


def test_the_facts_are_those_of_the_installed_release(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = next(operation for operation in operations().values() if operation.was and operation.was[0].facts)
    library, _, release = changed.was[0].before.partition(" ")
    old = "1.0" if release else "0"
    monkeypatch.setattr("tensorcopy.cli.commands.explain._installed", lambda: {library: old})
    assert f"the facts below are those of {library} {old}" in explained(capsys, changed.name)


def test_an_explanation_does_without_torch_and_numpy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tensorcopy.cli.commands.explain._installed", dict)
    assert json.loads(explained(capsys, "clone", "--output-format", "json"))["data"]["releases"] == {}

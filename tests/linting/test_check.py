"""The check as a function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy import check
from tensorcopy.errors import BadArgumentError
from tests.linting.fake import ANALYSIS


@pytest.fixture(autouse=True)
def _in_a_folder_with_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tensorcopy.linting.analysis.shipped", lambda: ANALYSIS)
    Path("a.py").write_text("import torch\ny = x.clone().detach()\nz = x.data\n")
    Path("pyproject.toml").write_text('[tool.tensorcopy]\nignore = ["TCY801"]\n')


def codes(*paths: str, **options: object) -> list[str]:
    return [finding.code for finding in check(*paths, **options).findings]


def test_findings_are_values() -> None:
    assert codes("a.py") == codes() == ["TCY802"]
    assert codes(use_settings=False) == ["TCY801", "TCY802"]
    assert codes(select=["ALL"], ignore=["hidden-data"]) == ["TCY801"]
    assert {path.name for path in Path().iterdir()} == {"a.py", "pyproject.toml"}


def test_an_outcome_shows_itself() -> None:
    outcome = check("a.py")
    assert "a.py:3:5 TCY802 hidden-data" in str(outcome)
    assert "autograd does not see what is done to it" in str(outcome)
    assert "hidden-data" in outcome._repr_html_()


def test_nothing_there_is_an_error() -> None:
    with pytest.raises(BadArgumentError, match="there is nothing at gone"):
        check("gone")

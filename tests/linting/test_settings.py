"""The settings of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.linting.settings import Settings, settings_for, settings_from


def project(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text(text)
    return file


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
    [tool.tensorcopy]
    select = ["TCY1"]
    extend-select = ["late-zeros"]
    ignore = []
    per-file-ignores = { "tests/*" = ["TCY101", "TCY102"] }
    exclude = ["a"]
    extend-exclude = ["b/c"]
    respect-gitignore = false
    baseline = "known.json"
    cache-dir = ".cache"
    """
    assert settings_from(str(project(tmp_path, text))) == Settings(
        select=("TCY1",),
        extend_select=("late-zeros",),
        per_file_ignores={"tests/*": ("TCY101", "TCY102")},
        exclude=("a",),
        extend_exclude=("b/c",),
        respect_gitignore=False,
        baseline="known.json",
        cache_dir=".cache",
        root=str(tmp_path),
    )


def test_the_nearest_file_that_has_settings_counts(tmp_path: Path) -> None:
    project(tmp_path, '[tool.tensorcopy]\nselect = ["ALL"]')
    project(tmp_path / "in", "[tool.other]\nx = 1 # not for tensorcopy")
    (tmp_path / "in/deep").mkdir()
    (tmp_path / "in/deep/a.py").write_text("")
    expected = Settings(select=("ALL",), root=str(tmp_path))
    assert settings_for(str(tmp_path / "in/deep/a.py")) == expected
    assert settings_for(str(tmp_path / "in/deep")) == expected
    assert settings_for(str(tmp_path / "not/there.py")) == expected


def test_without_a_file_there_are_the_usual_settings(tmp_path: Path) -> None:
    assert settings_for(str(tmp_path)) == Settings()


def test_a_file_of_its_own_has_them_at_the_top(tmp_path: Path) -> None:
    (tmp_path / "lint.toml").write_text('ignore = ["TCY101"]')
    assert settings_from(str(tmp_path / "lint.toml")) == Settings(ignore=("TCY101",), root=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "what", "why", "fix"),
    [
        ("selct = []", "unknown setting 'selct'", "the settings are select, extend-select", "did you mean select?"),
        ("zzz = []", "unknown setting 'zzz'", "the settings are select", "take it out"),
        ('select = "ALL"', "select = 'ALL'", "the setting select is a list of texts", "write it so"),
        ("ignore = [1]", r"ignore = \[1\]", "the setting ignore is a list of texts", "write it so"),
        ("baseline = []", r"baseline = \[\]", "the setting baseline is a text", "write it so"),
        ("per-file-ignores = []", "per-file-ignores", "a table of lists of texts", "write it so"),
        ("select = [", "cannot read the settings", "", "mend the TOML there"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(tmp_path: Path, text: str, what: str, why: str, fix: str) -> None:
    file = project(tmp_path, f"[tool.tensorcopy]\n{text}")
    with pytest.raises(BadArgumentError, match=what) as caught:
        settings_for(str(tmp_path))
    assert str(file) in caught.value.what
    assert why in caught.value.why
    assert caught.value.fix.startswith(fix)


def test_a_file_that_is_named_has_to_be_there_and_to_have_settings(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match=r"cannot read the settings in .* · No such file or directory · name a"):
        settings_from(str(tmp_path / "none.toml"))
    with pytest.raises(BadArgumentError, match=r"no settings in .* · it has no table \[tool.tensorcopy\] · add"):
        settings_from(str(project(tmp_path, "[project]\nname = 'x'")))


@pytest.mark.parametrize("text", ["tool = 1  # tensorcopy", "[tool]\ntensorcopy = 1"])
def test_odd_files_are_no_crash(tmp_path: Path, text: str) -> None:
    project(tmp_path, text)
    assert settings_for(str(tmp_path)).select is None

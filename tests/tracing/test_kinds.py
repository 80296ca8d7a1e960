"""Every kind of finding has a page, and what the page calls wrong is found, and what it calls right is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorcopy.tracing import kinds
from tensorcopy.tracing.kinds import KINDS, Kind, here_of, page_of
from tensorcopy.tracing.viewing.reporting import in_order
from tests.tracing.programs import traced

ALL = list(KINDS.values())
NAMES = [kind.name for kind in ALL]
ROOT = Path(__file__).parents[2]


def examples(kind: Kind, title: str) -> list[str]:
    section = page_of(kind).partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def test_codes_and_names_are_each_given_once_and_in_order() -> None:
    assert [kind.code for kind in ALL] == sorted({kind.code for kind in ALL})
    assert all(re.fullmatch(r"TCY6\d\d", kind.code) for kind in ALL)
    assert {kind.level for kind in ALL} <= {"error", "warning"}


def test_every_kind_has_a_page_and_every_page_a_kind() -> None:
    pages = {path.stem for path in Path(kinds.__path__[0]).glob("*.md")}

    assert pages == {kind.code.lower() for kind in ALL}


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
def test_a_page_begins_with_code_and_name_and_has_all_parts(kind: Kind) -> None:
    page = page_of(kind)

    assert page.startswith(f"# {kind.code} {kind.name}\n\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == ["What happens", "Wrong", "Right"]


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_what_a_page_calls_wrong_is_found_at_its_line(
    kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for code in examples(kind, "Wrong"):
        (line,) = [n for n, text in enumerate(code.splitlines(), 1) if text.endswith("# found")]
        capture = traced(code, tmp_path)

        assert [(f.code, f.level, f.place.line) for f in in_order(capture)] == [(kind.code, kind.level, line)]


@pytest.mark.parametrize("kind", ALL, ids=NAMES)
@pytest.mark.filterwarnings("ignore")
def test_what_a_page_calls_right_is_silent(kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code in examples(kind, "Right"):
        capture = traced(code, tmp_path)

        assert (capture.findings, capture.ended) == ((), "normally")


def test_the_documentation_lists_every_kind_as_the_table_of_kinds_has_it() -> None:
    rows = re.findall(r"^\| `(TCY\d+)` \| `(.+?)` \| (.+) \|$", (ROOT / "docs/run.md").read_text("utf-8"), re.MULTILINE)

    assert rows == [(kind.code, kind.name, kind.when) for kind in ALL]


def test_a_kind_of_a_newer_release_is_called_by_its_name() -> None:
    assert here_of("of-a-newer-release") == "of-a-newer-release"

"""A whole check: files, processes, cache, comments, baseline, fixes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.linting.analysis import Analysis
from tensorcopy.linting.baselines import read_baseline, write_baseline
from tensorcopy.linting.formats import names, render
from tensorcopy.linting.model import Finding
from tensorcopy.linting.outcome import Outcome
from tensorcopy.linting.request import Request, Session
from tensorcopy.linting.settings import Settings
from tensorcopy.linting.sources import Source
from tensorcopy.linting.writing_back import diff
from tensorcopy.reporting import format_names
from tests.linting.fake import ANALYSIS, findings_in
from tests.linting.test_notebooks import notebook

CLONE = "import torch\ny = x.clone().detach()\n"
DATA = "import torch\ny = x.data\n"
checked_files: list[str] = []


def noting(source: Source) -> list[Finding]:
    checked_files.append(source.name)
    return findings_in(source)


def passes_on(source: Source) -> list[Finding]:
    """Looks into what is imported by what is imported."""
    checked_files.append(source.name)
    for name in ("p.b", "p.a") if source.name.endswith("c.py") else ():
        source = source.imports(name)
    return []


NOTING = replace(ANALYSIS, start=lambda: noting)


def dying(source: Source) -> list[Finding]:
    if "die" in source.text:
        os._exit(1)
    return findings_in(source)


def starts_dying() -> object:
    return dying


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENSORCOPY_CACHE_DIR", str(tmp_path / ".tensorcopy_cache"))
    checked_files.clear()


def write(**files: str) -> None:
    write_at({f"{name}.py": text for name, text in files.items()})


def write_at(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).write_text(text)


def session(*paths: str, analysis: Analysis = ANALYSIS, **options: object) -> Session:
    return Session(Request(paths=paths or (".",), **options), analysis)


def told(outcome: Outcome) -> list[str]:
    return [f"{f.place.file}:{f.place.line} {f.code}" for f in outcome.findings]


def test_findings_of_all_files_come_by_file_and_line() -> None:
    write(b=DATA, a=DATA + CLONE, c="import os\n")
    outcome = session().outcome()
    assert told(outcome) == ["a.py:2 TCY802", "a.py:4 TCY801", "b.py:2 TCY802"]
    assert (outcome.files, outcome.lines, outcome.gates, outcome.is_finished) == (3, 7, True, True)


def test_a_file_that_mentions_no_array_library_is_not_even_decoded() -> None:
    Path("a.py").write_bytes(b"x.data \xff\n")
    assert session(analysis=NOTING).outcome() == Outcome(findings=(), files=1, lines=1, rules=ANALYSIS.rules)


def test_files_that_cannot_be_read_are_findings_and_the_rest_goes_on() -> None:
    write(a=DATA, bad="import torch\nx = (")
    Path("link.py").symlink_to("gone.py")
    outcome = session(".", "nothing").outcome()
    assert told(outcome) == ["a.py:2 TCY802", "bad.py:2 TCY901", "link.py:1 TCY900", "nothing:1 TCY900"]
    messages = [f.message for f in outcome.findings[2:]]
    assert messages == [
        "it cannot be read: no such file or directory",
        "it cannot be read: there is no such file or folder",
    ]


def test_paths_none_of_which_exists_are_wrong_usage() -> None:
    with pytest.raises(BadArgumentError, match=r"there is nothing at a, b · no file or folder of that name"):
        session("a", "b")


def test_notes_and_other_rules_are_reported_if_they_are_selected() -> None:
    write(a="y = torch.zeros(1)\n" + DATA)
    assert told(session().outcome()) == ["a.py:3 TCY802"]
    outcome = session(settings=Settings(select=("TCY85",))).outcome()
    assert (told(outcome), outcome.gates) == (["a.py:1 TCY851"], False)


def test_comments_silence_and_idle_ones_are_reported() -> None:
    write(a="import torch\ny = x.data  # noqa: TCY802\nz = 1  # noqa: TCY802\n")
    outcome = session().outcome()
    assert (told(outcome), outcome.silenced) == (["a.py:3 TCY910"], 1)


def test_a_comment_for_a_note_that_is_not_selected_is_not_idle() -> None:
    write(a="y = torch.zeros(1)  # noqa: TCY851\n")
    assert told(session().outcome()) == []


def test_comments_in_a_file_that_is_not_understood_are_not_called_idle() -> None:
    write(a="import torch  # noqa: TCY801\ndeep\n")
    assert told(session().outcome()) == ["a.py:1 TCY903"]


def test_what_has_not_changed_is_taken_from_the_cache() -> None:
    write(a=DATA, b=CLONE, c="import torch\n")
    first = session(analysis=NOTING).outcome()
    assert sorted(checked_files) == ["a.py", "b.py", "c.py"]
    checked_files.clear()
    assert session(analysis=NOTING).outcome() == first
    assert checked_files == []
    write(b=DATA)
    assert told(session(analysis=NOTING).outcome()) == ["a.py:2 TCY802", "b.py:2 TCY802"]
    assert checked_files == ["b.py"]


def test_what_imports_a_changed_file_is_checked_anew() -> None:
    importing = "from p.a import shared_a  # torch\n"
    write_at({"p/__init__.py": "", "p/a.py": "shared_a = 1  # torch\n", "p/b.py": importing, "p/c.py": "import torch"})
    assert told(session(analysis=NOTING).outcome()) == ["p/b.py:1 TCY811"]
    checked_files.clear()
    write_at({"p/a.py": "\n\nfree_a = 1\n"})
    assert told(session(analysis=NOTING).outcome()) == []
    assert checked_files == ["p/b.py"]
    checked_files.clear()
    Path("p/a.py").unlink()
    session(analysis=NOTING).outcome()
    assert checked_files == ["p/b.py"]


def test_a_change_reaches_through_files_that_only_pass_it_on() -> None:
    write_at({"p/__init__.py": "", "p/a.py": "free_a = 1\n", "p/b.py": "from p.a import free_a\n"})
    write_at({"p/c.py": "from p.b import free_a  # torch\n", "p/d.py": "import torch\n"})
    passing = replace(NOTING, start=lambda: passes_on)
    session(analysis=passing).outcome()
    assert sorted(checked_files) == ["p/c.py", "p/d.py"]
    checked_files.clear()
    write_at({"p/a.py": "free_a = 2\n"})
    session(analysis=passing).outcome()
    assert checked_files == ["p/c.py"]


def test_imports_of_a_notebook_are_followed_and_kept() -> None:
    write(helper="shared_a = 1\n")
    Path("n.ipynb").write_text(notebook("import torch", "from helper import shared_a"))
    assert told(session(analysis=NOTING).outcome()) == ["n.ipynb:1 TCY811"]
    checked_files.clear()
    assert told(session(analysis=NOTING).outcome()) == ["n.ipynb:1 TCY811"]
    assert checked_files == []
    write(helper="other = 1\n")
    assert told(session(analysis=NOTING).outcome()) == []


def test_a_new_file_that_an_import_means_is_taken_notice_of() -> None:
    write_at({"p/__init__.py": "", "p/b.py": "from p.a import shared_a  # torch\n"})
    assert told(session(analysis=NOTING).outcome()) == []
    write_at({"p/a.py": "shared_a = 1\n"})
    assert told(session(analysis=NOTING).outcome()) == ["p/b.py:1 TCY811"]


@pytest.mark.parametrize("change", ["key", "name"])
def test_another_analysis_or_another_place_in_the_packages_makes_the_cache_worthless(change: str) -> None:
    write_at({"q/p/a.py": "import torch\n"})
    session(analysis=NOTING).outcome()
    checked_files.clear()
    if change == "name":
        write_at({"q/p/__init__.py": ""})
    session(analysis=replace(NOTING, key=lambda: "new") if change == "key" else NOTING).outcome()
    assert checked_files == ["q/p/a.py"]


DAMAGED = [
    lambda kept: b"",
    lambda kept: kept[: len(kept) // 2],
    lambda kept: kept.partition(b"\n")[2],
    lambda kept: kept.replace(b'"a.py":[', b'"a.py":[[1],'),
    lambda kept: kept.replace(b"autograd", b"AUTOGRAD"),
    lambda kept: kept.replace(b'"followed":{', b'"followed":{"a.py":7,'),
    lambda kept: b"\xff\xfe" + kept,
    lambda kept: b"[" * 100_000,
]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_cache_is_done_without_and_mended(damage: Callable[[bytes], bytes]) -> None:
    write(a=DATA)
    first = session(analysis=NOTING).outcome()
    (cache,) = Path(".tensorcopy_cache").glob("*.json")
    kept = cache.read_bytes()
    cache.write_bytes(damage(kept))
    assert cache.read_bytes() != kept
    assert session(analysis=NOTING).outcome() == first
    assert session(analysis=NOTING).outcome() == first
    assert checked_files == ["a.py", "a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_place_of_the_cache_is_not_waited_for() -> None:
    write(a=DATA)
    first = session().outcome()
    (cache,) = Path(".tensorcopy_cache").glob("*.json")
    cache.unlink()
    os.mkfifo(cache)
    assert session().outcome() == first


def test_the_cache_is_marked_as_one_and_hidden_from_git() -> None:
    write(a=DATA)
    session().outcome()
    names = {path.name for path in Path(".tensorcopy_cache").iterdir()}
    assert {"CACHEDIR.TAG", ".gitignore"} < names
    assert Path(".tensorcopy_cache/CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_without_a_cache_nothing_is_kept() -> None:
    write(a=DATA)
    session(use_cache=False).outcome()
    assert not Path(".tensorcopy_cache").exists()


def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=DATA, file="")
    monkeypatch.setenv("TENSORCOPY_CACHE_DIR", str(Path("file.py/x").absolute()))
    assert told(session().outcome()) == ["a.py:2 TCY802"]


def test_processes_find_the_same() -> None:
    write(**{f"f{n}": DATA if n % 2 else CLONE for n in range(20)}, broken="import torch (")
    alone = session(jobs=1, use_cache=False).outcome()
    done: list[tuple[int, int]] = []
    asked = Session(Request(paths=(".",), jobs=2, use_cache=False), ANALYSIS, lambda *at: done.append(at))
    assert asked.outcome() == alone
    assert done == [(number, 21) for number in range(1, 22)]


def test_a_file_that_ends_the_process_is_reported_and_the_rest_goes_on() -> None:
    write(**{f"f{n}": DATA for n in range(6)}, bad="import torch  # die\n")
    outcome = session(jobs=2, analysis=replace(ANALYSIS, start=starts_dying)).outcome()
    assert told(outcome) == ["bad.py:1 TCY902", *(f"f{n}.py:2 TCY802" for n in range(6))]
    assert not outcome.is_finished


def test_contents_that_are_given_stand_in_for_a_file() -> None:
    write(a=DATA)
    outcome = Session(Request(paths=(), given={"a.py": CLONE.encode()}, use_cache=False), ANALYSIS).outcome()
    assert told(outcome) == ["a.py:2 TCY801"]
    assert outcome.contents.line_of(outcome.findings[0]) == "y = x.clone().detach()"


def test_what_was_found_before_an_interruption_is_kept() -> None:
    write(a=DATA, b=DATA)

    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        Session(Request(paths=(".",), jobs=1), NOTING, interrupted).outcome()
    session(jobs=1, analysis=NOTING).outcome()
    assert checked_files == ["a.py", "b.py"]


ODD_NAMES = [
    " a.py",
    "-x.py",
    "a b%20.py",
    "é 模型.py",
    "q'\"&<>.py",
    "new\nline.py",
    "\x1b[31m.py",
    "\udcff.py",
    "[0].py",
]


@pytest.mark.skipif(os.name == "nt", reason="Windows has rules for names")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_name_of_a_file_is_too_strange(name: str) -> None:
    write_at({name: CLONE})
    outcome = session().outcome()
    assert [finding.place.file for finding in outcome.findings] == [name]
    for form in (*names(), *format_names()):
        assert "\x1b" not in render(outcome, form).encode().decode()
    write_baseline("known.json", outcome.findings, line_of(outcome))
    assert session(settings=Settings(baseline="known.json")).outcome().known == 1
    assert session(settings=Settings(per_file_ignores={name.replace("[", "[[]"): ("ALL",)})).outcome().findings == ()
    asked = session()
    changes = asked.fixed(asked.outcome(), unsafe=False)
    diff(name, changes[name]).encode()
    assert (asked.changed(changes).mended, session(f"./{name}").outcome().findings) == (1, ())


def line_of(outcome: Outcome) -> Callable[[Finding], str]:
    return outcome.contents.line_of


def test_findings_in_the_baseline_are_known_wherever_they_moved() -> None:
    write(a=DATA, b=CLONE)
    outcome = session().outcome()
    assert write_baseline("known.json", outcome.findings, line_of(outcome)) == 2
    write(a="\n\n" + DATA + "if x:\n    " + DATA.split("\n")[1] + "\n" + CLONE)
    again = session(settings=Settings(baseline="known.json")).outcome()
    assert (told(again), again.known) == (["a.py:6 TCY802", "a.py:8 TCY801"], 2)


def test_a_baseline_is_found_from_every_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    write_at({"p/a.py": DATA})
    outcome = session().outcome()
    write_baseline("known.json", outcome.findings, line_of(outcome))
    monkeypatch.chdir("p")
    settings = Settings(baseline="known.json", root=str(Path.cwd().parent))
    assert session(settings=settings).outcome().findings == ()


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_a_file_that_is_no_baseline_is_refused(text: str) -> None:
    Path("known.json").write_text(text)
    with pytest.raises(BadArgumentError, match=r"cannot read the baseline known.json · it is not what --write"):
        read_baseline("known.json")


def test_a_baseline_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadArgumentError, match="cannot read the baseline gone · No such file or directory · write one"):
        read_baseline("gone")


def fix(*paths: str, unsafe: bool = False, **options: object) -> Outcome:
    asked = session(*paths, **options)
    return asked.changed(asked.fixed(asked.outcome(), unsafe=unsafe))


def test_fixes_are_written_and_what_is_left_is_reported() -> None:
    write(a=CLONE + DATA)
    Path("a.py").chmod(0o755)
    outcome = fix()
    assert Path("a.py").read_text() == CLONE.replace("clone().detach", "detach().clone") + DATA
    assert (told(outcome), outcome.mended) == (["a.py:4 TCY802"], 1)
    assert stat.S_IMODE(Path("a.py").stat().st_mode) == 0o755


def test_findings_that_are_silenced_or_not_selected_are_not_fixed() -> None:
    write(a=CLONE.replace("\ny", "\n# tensorcopy: ignore-file\ny"), b=CLONE)
    assert fix(settings=Settings(ignore=("TCY801",))).mended == 0
    assert Path("b.py").read_text() == CLONE
    assert fix().mended == 1
    assert "clone().detach()" in Path("a.py").read_text()


def test_notebooks_are_fixed_in_their_cells() -> None:
    raw = notebook("import torch", ["%time\n", "y = x.clone().detach()  # é\n"], indent=1)
    Path("n.ipynb").write_text(raw)
    assert fix().mended == 1
    assert Path("n.ipynb").read_text() == raw.replace("clone().detach", "detach().clone")


def test_a_file_that_was_changed_meanwhile_is_not_overwritten() -> None:
    write(a=CLONE)
    asked = session()
    changes = asked.fixed(asked.outcome(), unsafe=False)
    write(a=DATA)
    outcome = asked.changed(changes)
    first = outcome.findings[0]
    assert (first.code, first.message) == ("TCY900", "it was not fixed: it was changed meanwhile")
    assert Path("a.py").read_text() == DATA


def test_comments_are_added_and_then_silence() -> None:
    lines = [
        "import torch",
        "y = x.data  # why",
        "z = x.data  # noqa: E501",
        'f("""',
        'x""", x.data)',
        "a = x \\",
        "  .data",
    ]
    write(a="\n".join([*lines, "(x.clone().detach().data, torch.zeros(1))\n"]))
    Path("n.ipynb").write_text(notebook("import torch\ny = x.data", "z = x.data\n"))
    asked = session()
    outcome = asked.changed(asked.with_comments(asked.outcome()))
    assert told(outcome) == []
    assert Path("a.py").read_text().split("\n") == [
        "import torch",
        "y = x.data  # why  # noqa: TCY802",
        "z = x.data  # noqa: E501, TCY802",
        'f("""',
        'x""", x.data)  # noqa: TCY802',
        "a = x \\",
        "  .data  # noqa: TCY802",
        "(x.clone().detach().data, torch.zeros(1))  # noqa: TCY801, TCY802",
        "",
    ]
    sources = [cell["source"] for cell in json.loads(Path("n.ipynb").read_text())["cells"]]
    assert sources == ["import torch\ny = x.data  # noqa: TCY802", "z = x.data  # noqa: TCY802\n"]


def test_the_standard_input_is_fixed_without_writing() -> None:
    asked = Session(Request(paths=(), given={"a.py": CLONE.encode()}), ANALYSIS)
    changes = asked.fixed(asked.outcome(), unsafe=False)
    outcome = asked.changed(changes)
    assert changes["a.py"].new == CLONE.replace("clone().detach", "detach().clone").encode()
    assert (told(outcome), Path("a.py").exists()) == ([], False)

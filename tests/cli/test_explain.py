"""``tensorcopy explain``."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys

import pytest

from tensorcopy.catalogue import find, operations
from tensorcopy.catalogue.messages import messages
from tensorcopy.cli.main import main
from tensorcopy.tracing.kinds import KINDS
from tests.cli.commanding import environment


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
    assert what == "error: nothing is known as 'torch.from_nunpy'"
    known = f"{len(operations())} operations and {len(messages())} warnings and errors"
    assert why == f"  why: the catalogue has {known}, none like it"
    assert re.fullmatch(r"  fix: did you mean torch\.from_numpy.*\? tensorcopy explain --list shows all", fix)


def test_a_name_like_no_other_gets_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "quux", "17"]) == 2
    assert "  fix: tensorcopy explain --list shows all\n" in capsys.readouterr().err


def test_nothing_to_explain_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 2
    assert capsys.readouterr().err == (
        "error: nothing to explain\n"
        "  why: no operation was named and no text was pasted\n"
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


TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    loss.backward()
  File "/usr/lib/python3/site-packages/torch/_tensor.py", line 626, in backward
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation:
[torch.cuda.FloatTensor [64, 256]], which is output 0 of ReluBackward0, is at version 1; expected version 0 instead.
"""


def test_a_pasted_error_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "RuntimeError: Can't call numpy() on Tensor that requires grad.")
    for line in (
        "An array has no graph, so the conversion would cut it silently. Also raised by np.asarray,",
        "What to write",
        "    a = x.detach().numpy().copy()  # its own memory",
        "class  RuntimeError",
        '    tensorcopy explain "torch.Tensor.numpy"',
    ):
        assert f"\n{line}\n" in text


def test_a_whole_traceback_from_standard_input_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = b"\xff\x00 step 1 " * 200_000
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(noise + TRACEBACK.encode()), "utf-8"))
    found = json.loads(explained(capsys, "-", "--output-format", "json"))["data"]["messages"]
    assert [message["name"] for message in found] == ["modified-in-place"]


def test_several_texts_in_one_are_explained_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, messages()["backward-twice"].text + messages()["copy-unavoidable"].text)
    assert text.startswith("2 messages\n")
    assert 0 < text.index("Trying to backward") < text.index("Unable to avoid copy")


def test_the_list_names_every_message(capsys: pytest.CaptureFixture[str]) -> None:
    themes = json.loads(explained(capsys, "--list", "--output-format", "json"))["data"]["messages"]
    assert [name for names in themes.values() for name in names] == list(messages())


def test_an_unknown_text_gets_the_nearest_ones_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "RuntimeError: this numpy array was not writable"]) == 2
    error = capsys.readouterr().err
    assert "did you mean array-not-writable or buffer-not-writable? tensorcopy explain --list shows all" in error


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("The given NumPy array is not writable", "array-not-writable"),
        ("a view of a leaf Variable that requires grad \u2026", "view-of-leaf-in-place"),
        ("RuntimeError: a view of a leaf Variable ...", "view-of-leaf-in-place"),
    ],
)
def test_a_message_that_was_cut_off_is_explained(part: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [
        found["name"] for found in json.loads(explained(capsys, part, "--output-format", "json"))["data"]["messages"]
    ] == [name]


def test_two_words_of_a_message_explain_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "not writable"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_a_huge_unknown_text_is_shortened_in_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "words and words " * 50_000]) == 2
    assert len(capsys.readouterr().err) < 600


@pytest.mark.parametrize("name", messages())
def test_every_message_is_explained_in_sixty_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert explained(capsys, name)


def test_explaining_a_message_loads_no_array_library() -> None:
    code = (
        "import sys; from tensorcopy.cli.main import main; main(['explain', 'backward-twice'])\n"
        "print({'torch', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, check=True)
    assert done.stdout.endswith(b"set()\n")


@pytest.mark.parametrize("asked", ["TCY301", "integers-through-float32"])
def test_a_rule_of_the_linter_is_explained_by_its_page(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, asked)
    assert text.startswith("TCY301 integers-through-float32\n═════")
    assert "\nname   integers-through-float32\n" in text
    assert "    print(torch.Tensor(ids).long().tolist())\n" in text


def test_a_rule_and_a_message_of_one_name_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(explained(capsys, "deepcopy-of-non-leaf", "--output-format", "json"))
    assert found["title"] == "TCY212 deepcopy-of-non-leaf"
    assert found["blocks"][-1]["title"].startswith("The message: ")
    assert (found["data"]["code"], found["data"]["messages"][0]["name"]) == ("TCY212", "deepcopy-of-non-leaf")


@pytest.mark.parametrize("asked", ["TCY612", "tcy612", "shared-array-changed"])
def test_a_finding_of_run_is_explained(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, asked)

    assert text.startswith("TCY612 shared-array-changed\n═════")
    for title in ("What happens", "Wrong", "Right"):
        assert f"\n{title}\n" in text


def test_a_name_that_check_and_run_share_tells_both(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(explained(capsys, "changing-snapshot", "--output-format", "json"))

    assert found["title"] == "TCY101 changing-snapshot"
    assert found["blocks"][-1]["title"] == "While a program runs: TCY601 changing-snapshot"


def test_every_finding_of_run_has_a_page_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in KINDS.values():
        for name in ("text", "markdown", "html", "json"):
            assert kind.name in explained(capsys, kind.code, "--output-format", name)

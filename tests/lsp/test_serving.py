"""The language server, driven over its standard streams as an editor drives it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commanding import environment
from tests.lsp.client import WITH_FAKE, Client

pytest.importorskip("pygls")
TEXT = "import torch\ny = '😀', x.clone().detach()\r\nz = x.data\n"
SPAN = {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 28}}
"""In units of UTF-16, where the picture takes two."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client("-c", WITH_FAKE) as one:
        one.start(tmp_path)
        yield one


def span(line: int, start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def test_findings_are_published_when_a_file_is_opened(client: Client, tmp_path: Path) -> None:
    published = client.open(tmp_path / "a.py", TEXT)
    clone, data = published["diagnostics"]
    assert (published["uri"], published["version"]) == ((tmp_path / "a.py").as_uri(), 1)
    assert clone == {
        "range": SPAN,
        "message": "the copy is made on the graph",
        "severity": 1,
        "code": "TCY801",
        "source": "tensorcopy",
        "relatedInformation": [
            {
                "location": {"uri": (tmp_path / "a.py").as_uri(), "range": span(1, 10, 11)},
                "message": "the graph that is copied too",
            }
        ],
    }
    assert (data["code"], data["severity"]) == ("TCY802", 2)


def test_findings_follow_what_is_typed(client: Client, tmp_path: Path) -> None:
    client.open(tmp_path / "a.py", TEXT)
    document = {"uri": (tmp_path / "a.py").as_uri(), "version": 2}
    change = {"range": span(2, 4, 10), "text": "x"}
    client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    published = client.notice("textDocument/publishDiagnostics")
    assert [d["code"] for d in published["diagnostics"]] == ["TCY801"]
    client.tell("textDocument/didClose", {"textDocument": {"uri": document["uri"]}})
    assert client.notice("textDocument/publishDiagnostics")["diagnostics"] == []


def test_a_broken_text_is_one_finding(client: Client, tmp_path: Path) -> None:
    published = client.open(tmp_path / "a.py", "import torch\nx = (\n")
    assert [(d["code"], d["message"]) for d in published["diagnostics"]] == [("TCY901", "'(' was never closed")]


def actions(client: Client, file: Path, where: dict[str, Any], **context: Any) -> list[dict[str, Any]]:
    asked = {"textDocument": {"uri": file.as_uri()}, "range": where, "context": {"diagnostics": [], **context}}
    return client.ask("textDocument/codeAction", asked)


def test_fixes_and_comments_are_offered_for_the_line(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    client.open(file, TEXT)
    fix, comment, every = actions(client, file, span(1, 0, 0))
    assert (fix["title"], fix["kind"], fix["isPreferred"]) == ("detach first", "quickfix", True)
    assert fix["edit"]["changes"] == {file.as_uri(): [{"range": SPAN, "newText": "x.detach().clone()"}]}
    assert comment["title"] == "silence TCY801 here"
    assert comment["edit"]["changes"][file.as_uri()] == [{"range": span(1, 28, 28), "newText": "  # noqa: TCY801"}]
    assert every["kind"] == "source.fixAll.tensorcopy"
    unsafe = actions(client, file, span(2, 0, 0), only=["quickfix"])
    assert [a["title"] for a in unsafe] == ["say detach (read it before you keep it)", "silence TCY802 here"]
    assert not unsafe[0]["isPreferred"]


def test_all_safe_fixes_are_offered_as_one(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    client.open(file, TEXT)
    (every,) = actions(client, file, span(0, 0, 0), only=["source.fixAll"])
    (edit,) = every["edit"]["changes"][file.as_uri()]
    assert edit["newText"] == TEXT.replace("clone().detach", "detach().clone").replace("\r\n", "\n")
    assert edit["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}


def test_a_hover_shows_the_page_of_the_operation(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    client.open(file, TEXT)
    asked = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 1, "character": 21}}
    found = client.ask("textDocument/hover", asked)
    assert found["range"] == span(1, 20, 26)
    assert found["contents"]["kind"] == "markdown"
    assert found["contents"]["value"].startswith("# torch.Tensor.detach\n")
    assert client.ask("textDocument/hover", {**asked, "position": {"line": 0, "character": 1}}) is None


def test_of_a_document_that_is_not_open_there_is_nothing_to_show(client: Client, tmp_path: Path) -> None:
    document = {"uri": (tmp_path / "no such.py").as_uri()}
    assert client.ask("textDocument/hover", {"textDocument": document, "position": {"line": 0, "character": 0}}) is None
    assert actions(client, tmp_path / "no such.py", span(0, 0, 0)) == []


def test_imports_of_the_workspace_are_followed_and_saved_ones_read_anew(client: Client, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("shared_a = 1\n")
    published = client.open(tmp_path / "a.py", "import torch\nfrom helper import shared_a\n")
    (finding,) = published["diagnostics"]
    assert finding["relatedInformation"][0]["location"]["uri"] == (tmp_path / "helper.py").as_uri()
    (tmp_path / "helper.py").write_text("other = 1\n")
    client.tell("textDocument/didSave", {"textDocument": {"uri": (tmp_path / "a.py").as_uri()}})
    assert client.notice("textDocument/publishDiagnostics")["diagnostics"] == []


def test_the_settings_of_the_project_count_and_wrong_ones_are_told(client: Client, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tensorcopy]\nignore = ["TCY801"]\n')
    published = client.open(tmp_path / "a.py", TEXT)
    assert [d["code"] for d in published["diagnostics"]] == ["TCY802"]
    (tmp_path / "pyproject.toml").write_text("[tool.tensorcopy]\nselct = []\n")
    client.tell("textDocument/didSave", {"textDocument": {"uri": (tmp_path / "a.py").as_uri()}})
    assert "unknown setting 'selct'" in client.notice("window/showMessage")["message"]


def test_the_server_starts_as_a_module_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    with Client("-m", "tensorcopy.lsp") as client:
        can = client.start(tmp_path)
        assert (can["hoverProvider"], can["codeActionProvider"]["codeActionKinds"]) == (
            True,
            ["quickfix", "source.fixAll.tensorcopy"],
        )
        assert client.open(tmp_path / "a.py", "import torch\n")["diagnostics"] == []
        assert client.ask("shutdown", None) is None
        client.tell("exit", None)
        assert client.process.wait(20) == 0


def test_without_pygls_the_server_says_what_to_install() -> None:
    code = "import sys; sys.modules['pygls'] = None; from tensorcopy.lsp import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: the language server cannot start",
        "  why: pygls is not installed",
        "  fix: pip install 'tensorcopy[lsp]'",
    ]

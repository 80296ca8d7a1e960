"""A client of a language server over its standard streams."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.commanding import environment

ROOT = Path(__file__).parents[2]
WITH_FAKE = (
    "from tensorcopy.lsp.serving import make_server; from tests.linting.fake import ANALYSIS;"
    "make_server('0', ANALYSIS).start_io()"
)


class Client:
    """Talks to a server in a process of its own; ends it when left."""

    def __init__(self, *arguments: str) -> None:
        path = f"{environment()['PYTHONPATH']}:{ROOT}"
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(PYTHONPATH=path),
        )
        self.number = 0
        self.notices: list[dict[str, Any]] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def start(self, folder: Path) -> dict[str, Any]:
        """Introduce oneself, and return what the server can do."""
        folders = [{"uri": folder.as_uri(), "name": "w"}]
        asked = {"processId": None, "rootUri": folder.as_uri(), "workspaceFolders": folders, "capabilities": {}}
        answer = self.ask("initialize", asked)
        self.tell("initialized", {})
        return answer["capabilities"]

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request; what comes before it is kept."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while (message := self._receive()).get("id") != self.number or "method" in message:
            self.notices.append(message)
        assert "error" not in message, message
        return message["result"]

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def notice(self, method: str) -> Any:
        """The next notification of that kind."""
        while True:
            message = self.notices.pop(0) if self.notices else self._receive()
            if message.get("method") == method:
                return message["params"]

    def open(self, file: Path, text: str) -> dict[str, Any]:
        """Open a document, and return what is published about it."""
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.notice("textDocument/publishDiagnostics")

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        size = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the server has gone"
        return json.loads(self.process.stdout.read(size))

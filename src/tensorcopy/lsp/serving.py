"""The protocol: what the client says becomes texts of `Documents`, findings become diagnostics and fixes actions.

Loads pygls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from ..linting.analysis import Analysis, shipped
from ..linting.model import Edit, Finding, Level, Place
from ..linting.reading import as_text
from .documents import Documents
from .hovering import hovered

_DELAY = 0.2
"""Seconds without typing before a text is checked."""
_SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
_FIX_ALL = "source.fixAll.tensorcopy"


class Server(LanguageServer):
    """A language server with the documents of one client. Checks run one at a time, beside the conversation."""

    def __init__(self, version: str, analysis: Analysis) -> None:
        super().__init__("tensorcopy", version)
        self.documents = Documents(analysis)
        self.shown: dict[str, Sequence[Finding]] = {}
        self._worker = ThreadPoolExecutor(1)
        self._problem = ""

    async def text_changed(self, uri: str) -> None:
        """Check a document, unless it changes again at once."""
        file, document = _file(uri), self.workspace.get_text_document(uri)
        text = self.documents.texts[file] = as_text(document.source).text
        await asyncio.sleep(_DELAY)
        if self.documents.texts.get(file) is not text:
            return
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._worker, self.documents.findings, file)
        if self.documents.texts.get(file) is text:
            self.shown[file] = found
            self._publish(uri, [self.diagnostic(finding, text) for finding in found], document.version)
        self._tell_problem()

    def closed(self, uri: str) -> None:
        """Forget a document."""
        self.documents.texts.pop(_file(uri), None)
        self.shown.pop(_file(uri), None)
        self._publish(uri, [], None)

    def _publish(self, uri: str, diagnostics: Sequence[types.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=list(diagnostics), version=version)
        )

    def _tell_problem(self) -> None:
        """Say once what is wrong with the settings."""
        if self.documents.problem and self.documents.problem != self._problem:
            message = f"tensorcopy: {self.documents.problem}"
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Error, message=message))
        self._problem = self.documents.problem

    def diagnostic(self, finding: Finding, text: str) -> types.Diagnostic:
        """A finding as the client shows it. Places in other files are shown by their first line."""
        related = [
            types.DiagnosticRelatedInformation(
                location=types.Location(uri=_uri(place.file), range=self.range_of(place, self._text(place.file, text))),
                message=place.message or finding.name,
            )
            for place in finding.related
        ]
        return types.Diagnostic(
            range=self.range_of(finding.place, text),
            message=finding.message,
            severity=_SEVERITIES[finding.level],
            code=finding.code,
            source="tensorcopy",
            related_information=related,
        )

    def _text(self, file: str, text: str) -> str:
        return self.documents.texts.get(file, text)

    def range_of(self, span: Place | Edit, text: str) -> types.Range:
        """A span in the client's units."""
        inner = types.Range(
            start=types.Position(line=span.line - 1, character=span.column - 1),
            end=types.Position(line=span.end_line - 1, character=span.end_column - 1),
        )
        return self.workspace.position_codec.range_to_client_units(text.split("\n"), inner)

    def edit(self, uri: str, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        """Edits of one document."""
        text = self.documents.texts[_file(uri)]
        changed = [types.TextEdit(range=self.range_of(edit, text), new_text=edit.text) for edit in edits]
        return types.WorkspaceEdit(changes={uri: changed})

    def actions(self, uri: str, wanted: types.Range) -> list[types.CodeAction]:
        """The fixes of the findings in a range, a comment for each, and all safe fixes of the document."""
        text = self.documents.texts.get(_file(uri), "")
        found = [(finding, self.diagnostic(finding, text)) for finding in self.shown.get(_file(uri), ())]
        return [
            action
            for finding, shown in found
            if shown.range.start.line <= wanted.end.line and wanted.start.line <= shown.range.end.line
            for action in self._actions(uri, finding, shown)
        ]

    def _actions(self, uri: str, finding: Finding, shown: types.Diagnostic) -> list[types.CodeAction]:
        actions = []
        if finding.fix:
            title = finding.fix.title if finding.fix.safe else f"{finding.fix.title} (read it before you keep it)"
            actions.append(_action(title, self.edit(uri, finding.fix.edits), shown, preferred=finding.fix.safe))
        comment = self.documents.comment(_file(uri), finding)
        if comment:
            actions.append(_action(f"silence {finding.code} here", self.edit(uri, comment), shown, preferred=False))
        return actions

    def fix_all(self, uri: str) -> list[types.CodeAction]:
        """All safe fixes of a document as one edit; nothing if there are none."""
        file = _file(uri)
        if not any(finding.fix and finding.fix.safe for finding in self.shown.get(file, ())):
            return []
        text = self.documents.texts[file]
        lines = text.split("\n")
        fixed, end = self.documents.fixed(file), len(lines[-1]) + 1
        whole = Edit(line=1, column=1, end_line=len(lines), end_column=end, text=fixed)
        title = "tensorcopy: mend all that can be mended safely"
        return [types.CodeAction(title=title, kind=_FIX_ALL, edit=self.edit(uri, [whole]))]


def make_server(version: str, analysis: Analysis | None = None) -> Server:
    """A server that answers a client once it is started."""
    server = Server(version, analysis or shipped())
    _hear_documents(server)
    _hear_questions(server)
    return server


def _hear_documents(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        folders = [to_fs_path(uri) for uri in server.workspace.folders] or [server.workspace.root_path]
        server.documents.folders = [folder for folder in folders if folder]

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await server.text_changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await server.text_changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.documents.refresh()
        await server.text_changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)


def _hear_questions(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        text = server.documents.texts.get(_file(params.text_document.uri))
        if text is None:
            return None
        lines = text.split("\n")
        at = server.workspace.position_codec.position_from_client_units(lines, params.position)
        found = hovered(text, at.line + 1, at.character + 1)
        if found is None:
            return None
        span = Edit(line=found.line, column=found.column, end_line=found.line, end_column=found.end_column, text="")
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=found.page)
        return types.Hover(contents=content, range=server.range_of(span, text))

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, _FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        found = [] if only and types.CodeActionKind.QuickFix not in only else server.actions(uri, params.range)
        if only is None or any(_FIX_ALL.startswith(kind) for kind in only):
            found += server.fix_all(uri)
        return found


def _action(title: str, edit: types.WorkspaceEdit, shown: types.Diagnostic, *, preferred: bool) -> types.CodeAction:
    kind = types.CodeActionKind.QuickFix
    return types.CodeAction(title=title, kind=kind, diagnostics=[shown], is_preferred=preferred, edit=edit)


def _file(uri: str) -> str:
    """The path of a document; of one that is in no file, its address."""
    return to_fs_path(uri) or uri


def _uri(file: str) -> str:
    return from_fs_path(file) or file

"""A language server: findings while one types, what the operation under the cursor does, and fixes.

``python -m tensorcopy.lsp``, or ``tensorcopy-lsp``, speaks the protocol over the standard streams. It needs the extra
``lsp``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .. import __version__
from ..errors import MissingLibraryError

if TYPE_CHECKING:
    from .serving import Server

__all__ = ["main"]


def main() -> int:
    """Serve until the client leaves, and return the exit code."""
    try:
        server = _server()
    except MissingLibraryError as error:
        print(f"error: {error.what}\n  why: {error.why}\n  fix: {error.fix}", file=sys.stderr)
        return 2
    server.start_io()
    return 0


def _server() -> Server:
    try:
        from .serving import make_server
    except ImportError as error:
        raise MissingLibraryError(
            "the language server cannot start",
            why=f"{(error.name or 'pygls').partition('.')[0]} is not installed",
            fix="pip install 'tensorcopy[lsp]'",
        ) from error
    return make_server(__version__)

"""``python -m tensorcopy.lsp``: the language server over the standard streams."""

from __future__ import annotations

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())

"""Run cells in a real shell of IPython, and print what each of them did as JSON. For a process of its own."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config


def main() -> None:
    config = Config()
    config.HistoryManager.enabled = True
    config.HistoryManager.hist_file = ":memory:"
    shell = InteractiveShell.instance(config=config)
    shell.run_line_magic("colors", "nocolor")
    told = [outcome(shell, cell) for cell in json.load(sys.stdin)]
    print(json.dumps(told))


def outcome(shell: Any, cell: str) -> dict[str, Any]:
    with capture_output() as seen:
        result = shell.run_cell(cell, store_history=True)
    return {
        "ok": result.success,
        "error": repr(result.error_in_exec or result.error_before_exec),
        "printed": re.sub(r"\x1b\[[0-9;]*m", "", seen.stdout),
        "complained": re.sub(r"\x1b\[[0-9;]*m", "", seen.stderr),
        "shown": [output.data for output in seen.outputs],
    }


if __name__ == "__main__":
    main()

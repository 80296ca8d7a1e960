"""Findings that are known and put off: written to a file once, left out of reports from then on.

One is known again by its file, its rule and what stands on its line, so that it may move within the file.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import BadArgumentError
from ..reporting.writing import write_atomically
from .model import Finding

_VERSION = 1
Line = Callable[[Finding], str]
"""What stands on the line of a finding."""
_Key = tuple[str, str, str]


def write_baseline(path: str, findings: Iterable[Finding], line_of: Line) -> int:
    """Write *findings* to the file and return how many they are.

    Raises:
        BadArgumentError: the file cannot be written.
    """
    counts = Counter(_key(finding, path, line_of) for finding in findings)
    entries = [{"file": f, "code": c, "line": t, "count": count} for (f, c, t), count in sorted(counts.items())]
    text = json.dumps({"version": _VERSION, "findings": entries}, indent=1) + "\n"
    write_atomically(path, text.encode("ascii"))
    return counts.total()


def read_baseline(path: str) -> Counter[_Key]:
    """How often each finding is known.

    Raises:
        BadArgumentError: the file cannot be read or is no baseline.
    """
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read())
        return _counted(value)
    except OSError as error:
        why, fix = error.strerror or str(error), "write one first: --write-baseline"
    except (ValueError, LookupError, TypeError, AttributeError):
        why, fix = "it is not what --write-baseline writes", "name another file, or write this one anew"
    raise BadArgumentError(f"cannot read the baseline {path}", why=why, fix=fix)


def unknown(findings: Iterable[Finding], known: Counter[_Key], path: str, line_of: Line) -> list[Finding]:
    """The findings that are not known, or more often than known; the first ones of a kind are taken for the known."""
    left = known.copy()
    new = []
    for finding in findings:
        key = _key(finding, path, line_of)
        left[key] -= 1
        if left[key] < 0:
            new.append(finding)
    return new


def _counted(value: Any) -> Counter[_Key]:
    if value["version"] != _VERSION:
        raise ValueError(value["version"])
    return Counter({(e["file"], e["code"], e["line"]): int(e["count"]) for e in value["findings"]})


def _key(finding: Finding, path: str, line_of: Line) -> _Key:
    """The file relative to the baseline, so that it does not matter from where one checks."""
    folder = os.path.dirname(os.path.abspath(path))
    file = os.path.relpath(os.path.abspath(finding.place.file), folder).replace(os.sep, "/")
    return file, finding.code, line_of(finding).strip()

"""SARIF 2.1.0, the standard for the results of analyses, as code scanning on GitHub and editors read it.

Files are named relative to the working folder. Lines and columns count from 1; a column counts characters.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_Object = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A part of a file, up to the character before `end_column`. Without columns it is the whole line."""

    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A region of a file; `message` says what happens there, `part` of what it is a part, like a cell of a notebook."""

    file: str
    region: Region
    message: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a result is an instance of. `page` is Markdown; one that is not `enabled` has to be asked for."""

    code: str
    name: str
    summary: str
    page: str
    level: str
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Regions of one file, and the texts to put in their place."""

    title: str
    file: str
    replacements: tuple[tuple[Region, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One finding. `fingerprint` tells it from others, and stays the same while its line moves."""

    code: str
    level: str
    message: str
    place: Location
    related: tuple[Location, ...] = ()
    fingerprint: str = ""
    fix: Fix | None = None


def document(rules: Sequence[Rule], results: Sequence[Result], *, finished: bool) -> str:
    """The results as one run, with all rules and their pages. *finished*: nothing went wrong in the analysis itself."""
    numbers = {rule.code: number for number, rule in enumerate(rules)}
    driver = {"name": "tensorcopy", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "invocations": [{"executionSuccessful": finished}],
        "results": [_result(result, numbers) for result in results],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def fingerprint_of(file: str, code: str, line: str, seen: Counter[str]) -> str:
    """A text that stays the same while the line moves, and differs between findings. *seen* tells equal lines apart."""
    text = "\0".join([file, code, line.strip()])
    seen[text] += 1
    return hashlib.blake2b(f"{text}\0{seen[text]}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _rule(rule: Rule) -> _Object:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": rule.level, "enabled": rule.enabled},
        "properties": {"tags": ["tensorcopy", rule.name]},
    }


def _result(found: Result, numbers: dict[str, int]) -> _Object:
    result: _Object = {"ruleId": found.code}
    if found.code in numbers:
        result["ruleIndex"] = numbers[found.code]
    result |= {
        "level": found.level,
        "message": {"text": found.message},
        "locations": [_location(found.place)],
        "partialFingerprints": {"tensorcopy/v1": found.fingerprint},
    }
    if found.related:
        result["relatedLocations"] = [{"id": n, **_location(place)} for n, place in enumerate(found.related, 1)]
    if found.fix:
        result["fixes"] = [_fix(found.fix)]
    return result


def _location(place: Location) -> _Object:
    physical = {"artifactLocation": _artifact(place.file), "region": _region(place.region)}
    location: _Object = {"physicalLocation": physical}
    if place.message:
        location["message"] = {"text": place.message}
    if place.part:
        location["logicalLocations"] = [{"name": place.part}]
    return location


def _artifact(file: str) -> _Object:
    if os.path.isabs(file):
        return {"uri": Path(file).as_uri()}
    return {"uri": quote(file.replace(os.sep, "/").encode("utf-8", "surrogateescape")), "uriBaseId": _ROOT}


def _region(region: Region) -> _Object:
    if not region.column:
        return {"startLine": region.line}
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }


def _fix(fix: Fix) -> _Object:
    replacements = [
        {"deletedRegion": _region(region), "insertedContent": {"text": text}} for region, text in fix.replacements
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": _artifact(fix.file), "replacements": replacements}],
    }

"""The part of SARIF 2.1.0 that is used here, in the standard's words: the names an object may have, those it must have.

A class of value is a type of Python, a tuple of texts to choose from, a list of one class, a dict of names and classes
(those that end in ``!`` are required), or a dict with the one name ``*`` for any name.
"""

from __future__ import annotations

from typing import Any

TEXT = {"text!": str, "markdown": str}
REGION = {"startLine!": int, "startColumn": int, "endLine": int, "endColumn": int}
ARTIFACT = {"uri!": str, "uriBaseId": str}
LEVEL = ("none", "note", "warning", "error")
LOCATION = {
    "id": int,
    "message": TEXT,
    "physicalLocation!": {"artifactLocation!": ARTIFACT, "region!": REGION},
    "logicalLocations": [{"name": str}],
}
RULE = {
    "id!": str,
    "name": str,
    "shortDescription": TEXT,
    "fullDescription": TEXT,
    "help": TEXT,
    "defaultConfiguration": {"level": LEVEL, "enabled": bool},
    "properties": {"tags": [str]},
}
REPLACEMENT = {"deletedRegion!": REGION, "insertedContent": {"text": str}}
RESULT = {
    "ruleId": str,
    "ruleIndex": int,
    "level": LEVEL,
    "message!": TEXT,
    "locations": [LOCATION],
    "relatedLocations": [LOCATION],
    "partialFingerprints": {"*": str},
    "fixes": [
        {"description": TEXT, "artifactChanges!": [{"artifactLocation!": ARTIFACT, "replacements!": [REPLACEMENT]}]}
    ],
}
RUN = {
    "tool!": {"driver!": {"name!": str, "semanticVersion": str, "rules": [RULE]}},
    "columnKind": ("utf16CodeUnits", "unicodeCodePoints"),
    "originalUriBaseIds": {"*": ARTIFACT},
    "invocations": [{"executionSuccessful!": bool}],
    "results": [RESULT],
}
LOG = {"$schema": str, "version!": ("2.1.0",), "runs!": [RUN]}


def faults(value: Any, shape: Any = None, path: str = "$") -> list[str]:
    """Where *value* is not of the shape; nothing if it is."""
    shape = LOG if shape is None else shape
    if isinstance(shape, tuple):
        return [] if value in shape else [f"{path}: {value!r}"]
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{path}: {value!r} is no {shape.__name__}"]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{path} is no list"]
        return [fault for number, item in enumerate(value) for fault in faults(item, shape[0], f"{path}[{number}]")]
    return _faults_of_object(value, shape, path)


def _faults_of_object(value: Any, shape: dict[str, Any], path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    if "*" in shape:
        return [fault for name, item in value.items() for fault in faults(item, shape["*"], f"{path}.{name}")]
    known = {name.rstrip("!"): inner for name, inner in shape.items()}
    missing = [f"{path} lacks {name[:-1]}" for name in shape if name.endswith("!") and name[:-1] not in value]
    unknown = [f"{path} has {name}" for name in value if name not in known]
    inside = [f for name, item in value.items() if name in known for f in faults(item, known[name], f"{path}.{name}")]
    return missing + unknown + inside

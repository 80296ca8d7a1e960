"""Hold what was recorded of a test against its marks, and say what is wrong line by line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..reporting.escaping import visible
from ..reporting.quantities import bytes_text, exact_bytes
from ..tracing.captures.capture import Capture, CopyLine, Finding, Spot
from .marks import Limits

_MOST = 10
_HAZARDS = ("TCY60", "TCY61")
"""The codes of what is wrong with shared memory."""
_CUTS = frozenset(("gradient-cut", "gradient-may-be-cut"))


def complaints(capture: Capture, limits: Limits, root: Path) -> list[str]:
    """What the marks forbid and the test did, a text each; places are written from *root* on."""
    texts = []
    copied = sum(line.bytes for line in capture.copies)
    if limits.max_copied is not None and copied > limits.max_copied:
        texts.append(_too_much(capture, copied, limits, root))
    if limits.no_aliasing:
        texts += _forbidden("no_aliasing", "alias hazard", (f for f in capture.findings if is_hazard(f)), root)
    if limits.no_graph_cut:
        texts += _forbidden("no_graph_cut", "cut of the graph", (f for f in capture.findings if f.name in _CUTS), root)
    return texts


def is_hazard(finding: Finding) -> bool:
    """Whether it is a mistake with memory that several look at."""
    return finding.code.startswith(_HAZARDS) and finding.level == "error"


def place(spot: Spot, root: Path) -> str:
    """File and line; files under *root* are written from there."""
    if not spot.file:
        return "(inside a library)"
    path = Path(spot.file)
    return visible(f"{path.relative_to(root) if path.is_relative_to(root) else path}:{spot.line}")


def _too_much(capture: Capture, copied: int, limits: Limits, root: Path) -> str:
    assert limits.max_copied is not None
    copies = sum(line.count for line in capture.copies)
    lines = sorted(capture.copies, key=lambda line: -line.bytes)
    rest = lines[_MOST:]
    more = [f"  and {len(rest)} more lines with {bytes_text(sum(r.bytes for r in rest))}"] if rest else []
    return "\n".join(
        [
            f"max_copied({limits.allowed}): the test copies {bytes_text(copied)}",
            f" allowed: {exact_bytes(limits.max_copied)}",
            f"  copied: {exact_bytes(copied)} in {copies:,} {'copy' if copies == 1 else 'copies'}",
            *(text for line in lines[:_MOST] for text in _copied_at(line, root)),
            *more,
        ]
    )


def _copied_at(line: CopyLine, root: Path) -> Iterable[str]:
    times = f" {line.count:,} times" if line.count > 1 else ""
    yield f"  {bytes_text(line.bytes):>9}  {place(line.place, root)}: {visible(line.kind or line.operation)}{times}"
    if line.place.code:
        yield f"{'':13}{visible(line.place.code)}"
    if line.avoidable:
        yield f"{'':13}avoidable: {visible(line.avoidable)}"


def _forbidden(mark: str, what: str, found: Iterable[Finding], root: Path) -> list[str]:
    findings = list(found)
    if not findings:
        return []
    head = f"{mark}: the test has {len(findings)} {what if len(findings) == 1 else _plural(what)}"
    return ["\n".join([head, *(text for finding in findings[:_MOST] for text in told(finding, root))])]


def _plural(what: str) -> str:
    first, _, rest = what.partition(" of ")
    return f"{first}s of {rest}" if rest else f"{first}s"


def told(finding: Finding, root: Path) -> Iterable[str]:
    """A finding with all its lines."""
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    yield f"  {finding.code} {finding.name}{times}: {visible(finding.message)}"
    for spot in (finding.place, *finding.related):
        yield f"    {place(spot, root)}" + (f": {visible(spot.code)}" if spot.code else "")
        if spot.message:
            yield f"{'':8}<- {visible(spot.message)}"

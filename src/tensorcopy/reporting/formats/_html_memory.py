"""Memory drawn as bars: a row a span, each a small SVG, so that long names fold and screen readers read a table."""

from __future__ import annotations

from collections.abc import Iterator

from ..drawings import MemoryPicture, SharedPart, Span, Storage
from ..quantities import exact_bytes
from ..tabulating import byte_range, part_text
from ._html_words import esc, sign, tone_class

_WIDTH, _HEIGHT = 1000, 30
_INSET, _SMALLEST, _STRIPE = 6, 6, 12


def memory_html(picture: MemoryPicture) -> Iterator[str]:
    """One table a storage."""
    for storage in picture.storages:
        yield '<div class="scroll" tabindex="0"><table class="memory">'
        remark = f"<br><span>{esc(storage.note)}</span>" if storage.note else ""
        yield f'<caption class="title">{esc(storage.name)} · {exact_bytes(storage.bytes)}{remark}</caption>'
        ends = f'<span class="ends"><span>0</span><span>{exact_bytes(storage.bytes)}</span></span>'
        yield f'<thead><tr><th scope="col">object</th><th scope="col" class="picture">{ends}</th>'
        yield '<th scope="col">bytes</th><th scope="col">remark</th></tr></thead><tbody>'
        yield from (_span_row(span, storage) for span in storage.spans)
        for part in storage.shared_parts:
            yield _row(
                "shared by",
                _bar(_part(part, storage.bytes), storage),
                byte_range(part.lo, part.hi),
                esc(part_text(part)),
            )
        yield "</tbody></table></div>"
        if storage.uncovered and storage.spans:
            yield f'<ul class="notes"><li>outside of all spans: {exact_bytes(storage.uncovered)}</li></ul>'


def _span_row(span: Span, storage: Storage) -> str:
    drawn = (
        _striped(span.lo, span.hi, storage.bytes, "gaps")
        if span.gaps
        else _rect(span.lo, span.hi, storage.bytes, "dense", _INSET)
    )
    remark = ", ".join(filter(None, [esc(span.strides), "with gaps" if span.gaps else ""]))
    label = f'<span class="{tone_class(span.tone)}">{sign(span.tone)}{esc(span.label)}</span>'
    return _row(label, _bar(drawn, storage), byte_range(span.lo, span.hi), remark)


def _part(part: SharedPart, size: int) -> str:
    if part.gaps:
        return _striped(part.lo, part.hi, size, "both")
    return _rect(part.lo, part.hi, size, "both")


def _row(label: str, drawn: str, place: str, remark: str) -> str:
    picture = f'<td class="picture">{drawn}</td>'
    return f'<tr><th scope="row">{label}</th>{picture}<td class="quantity">{place}</td><td>{remark}</td></tr>'


def _bar(drawn: str, storage: Storage) -> str:
    """The storage with its shared parts as bands from row to row, those with gaps left out, and *drawn* on it."""
    back = f'<rect class="storage" width="{_WIDTH}" height="{_HEIGHT}"/>'
    bands = "".join(_rect(part.lo, part.hi, storage.bytes, "band") for part in storage.shared_parts if not part.gaps)
    view = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg {view} aria-hidden="true">{back}{bands}{drawn}</svg>'


def _extent(lo: int, hi: int, size: int) -> tuple[float, float]:
    """Start and width in the drawing; wide enough to be seen unless there is nothing."""
    if lo == hi:
        return 0.0, 0.0
    width = max((hi - lo) * _WIDTH / size, _SMALLEST)
    return min(lo * _WIDTH / size, _WIDTH - width), width


def _rect(lo: int, hi: int, size: int, kind: str, inset: int = 0) -> str:
    x, width = _extent(lo, hi, size)
    return f'<rect class="{kind}" x="{x:.1f}" y="{inset}" width="{width:.1f}" height="{_HEIGHT - 2 * inset}"/>'


def _striped(lo: int, hi: int, size: int, kind: str) -> str:
    """A bar with gaps. They show that there are some, not where."""
    x, width = _extent(lo, hi, size)
    count = max(2, int(width / _STRIPE))
    step = width / (count - 0.5)
    stripes = "".join(
        f"M{x + i * step:.1f} {_INSET}h{step / 2:.1f}V{_HEIGHT - _INSET}h-{step / 2:.1f}z" for i in range(count)
    )
    return f'<path class="{kind}" d="{stripes}"/>'

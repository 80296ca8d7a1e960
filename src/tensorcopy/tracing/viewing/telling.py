"""One finding as blocks of a report: what happens, the lines that it takes, what to write instead, a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...live.memory import Region
from ...reporting.drawings import Excerpt, Mark, MemoryPicture, Stop, Way
from ...reporting.model import Block, Callout, CalloutKind, Code
from ...reporting.picturing import pictured
from ...reporting.values import Tone
from ..captures.capture import Finding, Part, Spot
from ..kinds import here_of
from .files import Files
from .rewriting import instead, part_of

_NEAR, _MOST_LINES = 6, 14
_KINDS = {"error": CalloutKind.ERROR, "warning": CalloutKind.WARNING}
_CUTS = ("gradient-cut", "gradient-may-be-cut")
_MOST_NAMES = 6


def callout_of(finding: Finding, files: Files, *, number: int, listed: bool) -> Callout:
    """What a report says of one finding.

    listed: the report lists the files as well, so that lines can lead there.
    """
    return Callout(
        kind=_KINDS.get(finding.level, CalloutKind.NOTE),
        title=f"{finding.code} {finding.name} · {files.where(finding.place)}{_times(finding)}",
        text=finding.message,
        details=tuple(_details(finding, files, listed=listed)),
        anchor=anchor_of(number),
    )


def _details(finding: Finding, files: Files, *, listed: bool) -> Iterator[Block]:
    yield from _excerpts(finding, files, listed=listed)
    written = instead(finding, files.text)
    if written:
        yield Code(title="Write instead", text=written)
    if listed and finding.name in _CUTS:
        yield _way(finding, files)
    if listed and finding.memory is not None:
        yield _memory(finding, files)


def anchor_of(number: int) -> str:
    """What a page calls the finding of that number."""
    return f"finding-{number}"


def _times(finding: Finding) -> str:
    """How often, and where alone."""
    told = [f"{finding.count:,} times"] * (finding.count > 1)
    told += [f"only on {' and '.join(finding.only)}"] * bool(finding.only)
    return f" ({', '.join(told)})" if told else ""


def _excerpts(finding: Finding, files: Files, *, listed: bool) -> Iterator[Excerpt]:
    """The lines of the finding, near ones together, its own first."""
    # What is said of one line stays in its order, the finding's own first.
    spots = sorted(dict.fromkeys((finding.place, *finding.related)), key=lambda s: (s.file, s.line))
    groups = [group for _, same in groupby(spots, key=lambda s: s.file) for group in _near(list(same))]
    groups.sort(key=lambda group: finding.place not in group)
    for group in groups:
        marks = tuple(_mark(spot, finding, files) for spot in group)
        target = files.anchor(group[0].file) if listed and files.has(group[-1]) else ""
        yield Excerpt(path=files.name(group[0].file), marks=marks, target=target, **_lines(group, files))


def _near(spots: Sequence[Spot]) -> list[list[Spot]]:
    found = [[spots[0]]]
    for spot in spots[1:]:
        if spot.line - found[-1][-1].line <= _NEAR and spot.line - found[-1][0].line < _MOST_LINES:
            found[-1].append(spot)
        else:
            found.append([spot])
    return found


def _lines(group: Sequence[Spot], files: Files) -> dict[str, Any]:
    """The first line and the lines of an excerpt; those that the capture has no text of are what was noted of them."""
    first, last = group[0].line, group[-1].line
    if files.has(group[-1]) and first > 0:
        return {"first_line": first, "lines": tuple(files.lines(group[0].file)[first - 1 : last])}
    known = {spot.line: spot.code for spot in group}
    return {"first_line": first, "lines": tuple(known.get(n, "…") for n in range(first, last + 1))}


def _mark(spot: Spot, finding: Finding, files: Files) -> Mark:
    tone = _KINDS.get(finding.level, CalloutKind.NOTE).tone
    if spot is finding.place or spot == finding.place:
        return Mark(line=spot.line, text=here_of(finding.name), tone=tone, columns=part_of(finding, files.text))
    return Mark(line=spot.line, text=spot.message, tone=Tone.NEUTRAL)


def _way(finding: Finding, files: Files) -> Way:
    """From the parameters over the cut to the loss."""
    names = ", ".join(finding.names[:_MOST_NAMES])
    more = f" and {len(finding.names) - _MOST_NAMES} more" if len(finding.names) > _MOST_NAMES else ""
    place = finding.place
    stops = [
        Stop(label=names + more or "what is behind it", remark="gets no gradient", tone=Tone.BAD),
        Stop(
            label=files.where(place),
            code=place.code,
            tone=Tone.BAD,
            cut="the graph ends here: no gradient flows back",
            target=files.target(place),
        ),
    ]
    stops += [
        Stop(label=files.where(s), code=s.code, remark=s.message, target=files.target(s)) for s in finding.related
    ]
    return Way(title="The way of the gradient", stops=tuple(stops))


def _memory(finding: Finding, files: Files) -> MemoryPicture:
    """The allocation, and what each line of the finding sees of it."""
    assert finding.memory is not None, "there is memory to be drawn"
    spots = (finding.place, *finding.related)
    remarks = (here_of(finding.name), *(spot.message for spot in finding.related))
    parts = [part for part in finding.memory.parts if part.line < len(spots)]
    views = [(f"{files.where(spots[part.line])}  {part.what}".rstrip(), _region(part)) for part in parts]
    drawn = pictured("one allocation", finding.memory.bytes, views)
    tone = _KINDS.get(finding.level, CalloutKind.NOTE).tone
    names = {
        label: f"{files.where(spots[p.line])} {p.what.partition(' ')[0]}"
        for (label, _), p in zip(views, parts, strict=True)
    }
    shared = tuple(replace(s, labels=tuple(names[label] for label in s.labels)) for s in drawn.shared_parts)
    spans = tuple(
        replace(span, strides=remarks[part.line], tone=Tone.NEUTRAL if part.line else tone)
        for span, part in zip(drawn.spans, parts, strict=False)
    )
    return MemoryPicture(title="The memory", storages=(replace(drawn, spans=spans, shared=shared),))


def _region(part: Part) -> Region:
    counts, strides = (part.counts, part.strides) if part.counts else ((part.hi - part.lo,), (1,))
    return Region(part.lo, counts, strides, 1)

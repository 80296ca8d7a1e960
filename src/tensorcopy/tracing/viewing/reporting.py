"""A capture as a report: what to fix first, then the copies; on a page also when they happen, and the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from ...reporting.drawings import Axis, Moment, Plot, Point, Series
from ...reporting.model import (
    Block,
    Callout,
    CalloutKind,
    Cell,
    Field,
    KeyValues,
    Paragraph,
    Report,
    Section,
    Table,
    table,
)
from ...reporting.quantities import bytes_text
from ...reporting.values import Column, Tone, ValueType
from ..captures.capture import UNFINISHED, Capture, CopyLine, Finding, Process, Spot
from .files import Files
from .listing import listings
from .telling import anchor_of, callout_of
from .totals import PHASES, Total, by_kind, by_line, by_phase, total_of

_TOLD, _LISTED, _TOP = 10, 200, 10
_SAVED = (Column(name="for nothing", type=ValueType.BYTES),)
_TONES = {"error": Tone.BAD, "warning": Tone.WARN}


def report_of(capture: Capture, *, full: bool = False) -> Report:
    """What a run showed, for a terminal; *full* for a page, with the timeline and the source of the program."""
    files, found = Files.of(capture), in_order(capture)
    blocks: list[Block] = [*_end(capture), *_findings(found, files, full=full)]
    if capture.copies:
        blocks.append(_copies(capture, files, full=full))
    if full:
        blocks += _pictures(capture, found, files)
    if len(capture.processes) > 1:
        blocks.append(Section(title="Processes", blocks=(_processes(capture.processes),)))
    if capture.limits:
        notes = tuple(Paragraph(text=limit, tone=Tone.WARN) for limit in capture.limits)
        blocks.append(Section(title="What was not seen", blocks=notes))
    if full:
        blocks.append(Section(title="The run", blocks=(_run(capture),)))
    return Report(title=f"Traced run: {' '.join(capture.command)}", lead=lead_of(capture), blocks=tuple(blocks))


def in_order(capture: Capture) -> list[Finding]:
    """The findings, worst first: errors, then what costs most bytes."""
    lines = by_line(capture.copies)

    def weight(finding: Finding) -> tuple[bool, int, Spot]:
        cost = sum(c.bytes for c in lines.get((finding.place.file, finding.place.line), ()))
        return finding.level != "error", -cost if finding.level != "error" else 0, finding.place

    return sorted(capture.findings, key=weight)


def lead_of(capture: Capture) -> str:
    """How much was found and copied, in a sentence or two."""
    errors = sum(f.level == "error" for f in capture.findings)
    warnings = len(capture.findings) - errors
    found = [_count(errors, "error")] * bool(errors) + [_count(warnings, "warning")] * bool(warnings)
    total = total_of("", capture.copies)
    steps = f" in {_count(capture.steps, 'optimizer step')}" if capture.steps else ""
    told = f"{' and '.join(found) or 'Nothing to fix'}{steps}."
    if total.count:
        told += f" {bytes_text(total.bytes)} copied in {_count(total.count, 'cop', 'ies', 'y')}"
        told += f", {bytes_text(total.saved)} of them for nothing." if total.saved else "."
    return told


def _count(number: int, noun: str, many: str = "s", one: str = "") -> str:
    return f"{number:,} {noun}{one if number == 1 else many}"


def _end(capture: Capture) -> Iterator[Callout]:
    """How the program ended, if that is worth a word."""
    if capture.ended != "normally":
        lost = "What happened in its last seconds is not in here." if UNFINISHED in capture.ended else ""
        yield Callout(kind=CalloutKind.WARNING, title=f"The program ended {capture.ended}", text=lost)


def _findings(found: Sequence[Finding], files: Files, *, full: bool) -> Iterator[Section]:
    told = found if full else found[:_TOLD]
    if not told:
        return
    blocks: list[Block] = [_overview(found, files)] if full and len(found) > 2 else []
    blocks += [callout_of(finding, files, number=n, listed=full) for n, finding in enumerate(told, 1)]
    rest = found[len(told) :]
    if rest:
        blocks.append(_overview(rest, files, title="And also"))
    yield Section(title="What to fix first", blocks=tuple(blocks))


def _overview(found: Sequence[Finding], files: Files, title: str = "") -> Table:
    columns = (
        Column(name="finding", type=ValueType.VERDICT),
        Column(name="line", type=ValueType.CODE),
        Column(name="times", type=ValueType.NUMBER),
        Column(name="code", type=ValueType.CODE),
    )
    rows = tuple(
        (
            Cell(
                value=f"{f.code} {f.name}",
                tone=_TONES.get(f.level, Tone.NEUTRAL),
                target="" if title else anchor_of(number),
            ),
            Cell(value=files.where(f.place)),
            Cell(value=f.count),
            Cell(value=f.place.code),
        )
        for number, f in enumerate(found, 1)
    )
    return Table(columns=columns, rows=rows, title=title)


# --- copies -----------------------------------------------------------------------------------------------------------


def _copies(capture: Capture, files: Files, *, full: bool) -> Section:
    kinds, phases = by_kind(capture.copies), by_phase(capture.copies)
    if not full:
        told = [f"By phase: {_listed(phases)}."] * (len(phases) > 1) + [f"By kind: {_listed(kinds[:8])}."]
        return Section(title="Copies", blocks=(*(Paragraph(text=t) for t in told), _top(capture.copies, files)))
    tables = (_totals("kind", kinds), _totals("phase", phases), _lines(capture.copies, files))
    return Section(title="Copies", blocks=tables)


def _listed(totals: Sequence[Total]) -> str:
    return ", ".join(f"{total.name} {bytes_text(total.bytes)}" for total in totals)


def _top(copies: Sequence[CopyLine], files: Files) -> Table:
    """The lines of most bytes, narrow enough for a terminal."""
    columns = (
        Column(name="copied", type=ValueType.BYTES),
        Column(name="times", type=ValueType.NUMBER),
        Column(name="kind"),
        Column(name="line", type=ValueType.CODE),
        Column(name="code", type=ValueType.CODE),
    )
    rows = tuple(
        (
            Cell(value=c.bytes),
            Cell(value=c.count),
            Cell(value=_kind(c), note=c.avoidable, tone=Tone.WARN if c.avoidable else Tone.NEUTRAL),
            Cell(value=files.where(c.place)),
            Cell(value=_short(c.place.code, 27)),
        )
        for c in copies[:_TOP]
    )
    rest = total_of("", copies[_TOP:])
    more = (f"{_count(len(copies) - _TOP, 'more line')} with {bytes_text(rest.bytes)}",) if rest.count else ()
    return Table(columns=columns, rows=rows, notes=more, title="Most bytes" if len(copies) > 1 else "")


def _kind(copy: CopyLine) -> str:
    return copy.kind or copy.operation


def _short(code: str, most: int = 60) -> str:
    return code if len(code) <= most else f"{code[: most - 1]}…"


def _totals(name: str, totals: Sequence[Total]) -> Table:
    whole = sum(total.bytes for total in totals) or 1
    columns = [
        Column(name=name),
        Column(name="copied", type=ValueType.BYTES),
        Column(name="share", type=ValueType.NUMBER, unit="%"),
        Column(name="times", type=ValueType.NUMBER),
        Column(name="time", type=ValueType.TIME),
    ]
    rows = [
        [t.name, t.bytes, round(100 * t.bytes / whole, 1), t.count, t.seconds or None, *_saved(t.saved, totals)]
        for t in totals
    ]
    return table([*columns, *_SAVED[: any(t.saved for t in totals)]], rows, title=f"By {name}")


def _saved(size: int, all_of_them: Sequence[Total] | Sequence[CopyLine], why: str = "") -> list[Cell]:
    """The cell for what could be spared, where a table has such a column."""
    if not any(one.saved for one in all_of_them):
        return []
    return [Cell(value=size or None, note=why, tone=Tone.WARN if size else Tone.NEUTRAL)]


def _lines(copies: Sequence[CopyLine], files: Files) -> Table:
    shown = copies[:_LISTED]
    columns = [
        Column(name="line", type=ValueType.CODE),
        Column(name="kind"),
        Column(name="phase"),
        Column(name="copied", type=ValueType.BYTES),
        Column(name="times", type=ValueType.NUMBER),
        Column(name="time", type=ValueType.TIME),
        *_SAVED[: any(c.saved for c in shown)],
        Column(name="code", type=ValueType.CODE),
    ]
    rows = [
        [
            Cell(value=files.where(c.place), target=files.target(c.place)),
            *(_kind(c), c.phase, c.bytes, c.count, c.seconds or None),
            *_saved(c.saved, shown, c.avoidable),
            _short(c.place.code),
        ]
        for c in shown
    ]
    rest = total_of("", copies[_LISTED:])
    more = (f"{_count(len(copies) - _LISTED, 'more line')} with {bytes_text(rest.bytes)}",) if rest.count else ()
    return table(columns, rows, title="By line", notes=more)


# --- pictures ---------------------------------------------------------------------------------------------------------


def _pictures(capture: Capture, found: Sequence[Finding], files: Files) -> Iterator[Section]:
    plots = tuple(
        plot for process in capture.processes for plot in _timeline(process, capture, found, files) if plot.series
    )
    if plots:
        lead = "All bytes that were copied up to each moment, by what the program was doing."
        yield Section(title="Timeline", lead=lead, blocks=plots)
    sources = tuple(listings(capture, found, files))
    if sources:
        lead = "What each line copied stands beside it; a line that makes several kinds of copies has their sum."
        yield Section(title="Source", lead=lead, blocks=sources)


def _timeline(process: Process, capture: Capture, found: Sequence[Finding], files: Files) -> Iterator[Plot]:
    timeline = process.timeline
    phases = sorted(timeline.copied, key=lambda p: PHASES.index(p) if p in PHASES else len(PHASES))
    series = tuple(_curve(phase, timeline.copied[phase], timeline.width) for phase in phases)
    several = len(capture.processes) > 1
    moments = [] if several else [_moment(f, number, files) for number, f in enumerate(found, 1) if f.seconds]
    yield Plot(
        title=process.label if several else "",
        x=Axis(name="time", type=ValueType.TIME, log=False),
        y=Axis(name="copied so far", type=ValueType.BYTES, log=False),
        series=tuple(s for s in series if s.points),
        moments=tuple(sorted(moments, key=lambda m: m.x)),
    )


def _curve(phase: str, sizes: Sequence[int], width: float) -> Series:
    sums = accumulate(sizes, initial=0)
    return Series(name=phase, points=tuple(Point(x=i * width, y=float(size)) for i, size in enumerate(sums)))


def _moment(finding: Finding, number: int, files: Files) -> Moment:
    name = f"{finding.name} at {files.where(finding.place)}, seen first"
    return Moment(x=finding.seconds, name=name, tone=_TONES.get(finding.level, Tone.NEUTRAL), target=anchor_of(number))


def _processes(processes: Sequence[Process]) -> Table:
    columns = (
        Column(name="process"),
        Column(name="pid", type=ValueType.TEXT),
        Column(name="ended"),
        Column(name="steps", type=ValueType.NUMBER),
        Column(name="copied", type=ValueType.BYTES),
    )
    rows = tuple(
        (
            Cell(value=p.label),
            Cell(value=str(p.pid)),
            Cell(value=p.ended, tone=Tone.NEUTRAL if p.ended == "normally" else Tone.WARN),
            Cell(value=p.steps),
            Cell(value=sum(sum(sizes) for sizes in p.timeline.copied.values())),
        )
        for p in processes
    )
    return Table(columns=columns, rows=rows)


def _run(capture: Capture) -> KeyValues:
    first = capture.processes[0].timeline
    fields = [
        Field(name="command", value=" ".join(capture.command), type=ValueType.CODE),
        Field(name="ended", value=capture.ended),
        Field(name="watched for", value=first.seconds, type=ValueType.TIME),
        Field(name="optimizer steps", value=capture.steps, type=ValueType.NUMBER),
        *(Field(name=name, value=number, key=f"release of {name}") for name, number in capture.releases.items()),
    ]
    return KeyValues(fields=tuple(fields))

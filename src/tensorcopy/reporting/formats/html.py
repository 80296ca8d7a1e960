"""One HTML page that needs nothing else: no network, fonts or images; light and dark; also without its few scripts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from ..drawings import Excerpt, MemoryPicture, Moment, Plot, Way
from ..medium import Medium
from ..model import Callout, Cell, Code, Field, KeyValues, Paragraph, Report, Section, Table
from ..quantities import NOTHING, cell_text, field_text, heading
from ..tabulating import moment_text, table_of
from ..values import Align, Column, Tone, ValueType
from ._html_excerpt import excerpt_html
from ._html_memory import memory_html
from ._html_plot import plot_svg
from ._html_style import PAGE_STYLE, SCRIPT, STYLE
from ._html_words import breakable, broken, esc, esc_lines, sign, tone_class

SUFFIXES = (".html", ".htm")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_FOLDED = {ValueType.TEXT: "text", ValueType.CODE: "code"}
_MANY_SECTIONS = 5
_SORTABLE_ROWS, _FILTERED_ROWS = 3, 8


def render(report: Report, medium: Medium) -> str:
    """The report as a whole page."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{esc(report.title)}</title><style>{STYLE}{PAGE_STYLE}</style>"
    )
    body = "\n".join([*_opening(report, 1), *_contents(report), *_numbered(report)])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n<main class="tensorcopy">\n{body}\n</main>\n'
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def fragment(report: Report) -> str:
    """The report as an element with its own style sheet, for a notebook. No scripts."""
    blocks = [part for block in report.blocks for part in _html(block, 4)]
    inside = "\n".join([*_opening(report, 3), *blocks])
    return f'<div class="tensorcopy"><style>{STYLE}</style>\n{inside}\n</div>'


def _opening(report: Report, level: int) -> Iterator[str]:
    yield f"<h{level}>{esc(report.title)}</h{level}>"
    if report.lead:
        yield f'<p class="lead">{esc(report.lead)}</p>'


def _contents(report: Report) -> Iterator[str]:
    """Links to the sections, where there are many."""
    sections = [(i, block) for i, block in enumerate(report.blocks) if isinstance(block, Section)]
    if len(sections) >= _MANY_SECTIONS:
        links = "".join(f'<li><a href="#part-{i}">{esc(section.title)}</a></li>' for i, section in sections)
        yield f'<nav aria-label="Sections"><ul>{links}</ul></nav>'


def _numbered(report: Report) -> Iterator[str]:
    for number, block in enumerate(report.blocks):
        yield f'<div id="part-{number}">'
        yield from _html(block, 2)
        yield "</div>"


@singledispatch
def _html(block: object, level: int) -> Iterator[str]:
    raise AssertionError(f"no HTML for {block!r}")


def _title(text: str) -> Iterator[str]:
    if text:
        yield f'<p class="title">{esc(text)}</p>'


@_html.register
def _(block: Section, level: int) -> Iterator[str]:
    rank = min(level, 6)
    yield f"<section><h{rank}>{esc(block.title)}</h{rank}>"
    if block.lead:
        yield f"<p>{esc(block.lead)}</p>"
    for inner in block.blocks:
        yield from _html(inner, level + 1)
    yield "</section>"


@_html.register
def _(block: Paragraph, level: int) -> Iterator[str]:
    yield f'<p class="{tone_class(block.tone)}">{sign(block.tone)}{broken(block.text)}</p>'


@_html.register
def _(block: Table, level: int) -> Iterator[str]:
    named = esc(block.title or "Table")
    sortable = " sortable" if len(block.rows) >= _SORTABLE_ROWS else ""
    sortable += " filtered" if len(block.rows) >= _FILTERED_ROWS else ""
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{named}"><table class="cells{sortable}">'
    if block.title:
        yield f'<caption class="title">{esc(block.title)}</caption>'
    heads = "".join(f'<th scope="col" class="{_side(c)}">{esc(heading(c))}</th>' for c in block.columns)
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for row in block.rows:
        cells = zip(block.columns, row, strict=True)
        yield f"<tr>{''.join(_cell(column, cell, block.footnotes) for column, cell in cells)}</tr>"
    yield "</tbody></table></div>"
    yield from _notes("ol", block.footnotes)
    yield from _notes("ul", block.notes)


def _notes(tag: str, notes: tuple[str, ...]) -> Iterator[str]:
    if notes:
        yield f'<{tag} class="notes">{"".join(f"<li>{esc(note)}</li>" for note in notes)}</{tag}>'


def _side(column: Column) -> str:
    return "right" if column.side is Align.RIGHT else ""


def _cell(column: Column, cell: Cell, footnotes: tuple[str, ...]) -> str:
    kind = "quantity" if column.type.is_quantity else _FOLDED.get(column.type, "whole")
    note = f"<sup>{footnotes.index(cell.note) + 1}</sup>" if cell.note else ""
    shown = _value(cell_text(column, cell), column.type, cell.tone)
    order = "" if cell.value is None else f' data-value="{esc(_order(cell.value))}"'
    unit = {ValueType.TIME: "seconds", ValueType.BYTES: "bytes"}.get(column.type, column.unit)
    if cell.target:
        shown = f'<a href="#{cell.target}">{shown}</a>'
    exact = f' title="{esc(f"{cell.value} {unit}".rstrip())}"' if kind == "quantity" and cell.value is not None else ""
    return f'<td class="{kind} {_side(column)}"{order}{exact}>{shown}{note}</td>'


def _order(value: object) -> str:
    """What a cell is sorted by."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _value(text: str, value_type: ValueType, tone: Tone) -> str:
    if text == NOTHING:
        return f'<span class="nothing">{NOTHING}</span>'
    if value_type is ValueType.CODE:
        return f'<span class="{tone_class(tone)}">{sign(tone)}<code>{breakable(text)}</code></span>'
    classes = f"verdict {tone_class(tone)}" if value_type is ValueType.VERDICT else tone_class(tone)
    return f'<span class="{classes}">{sign(tone)}{broken(text)}</span>'


@_html.register
def _(block: KeyValues, level: int) -> Iterator[str]:
    yield from _title(block.title)
    yield f"<dl>{''.join(_field(field) for field in block.fields)}</dl>"


def _field(field: Field) -> str:
    return f"<dt>{esc(field.name)}</dt><dd>{_value(field_text(field), field.type, field.tone)}</dd>"


@_html.register
def _(block: Code, level: int) -> Iterator[str]:
    yield from _title(block.title)
    yield _code(block.text, block.language)


def _code(text: str, language: str) -> str:
    return f'<pre tabindex="0"><code data-language="{esc(language)}">{esc_lines(text)}</code></pre>'


@_html.register
def _(block: Callout, level: int) -> Iterator[str]:
    tone = block.kind.tone
    named = f' id="{block.anchor}"' if block.anchor else ""
    card = " card" if block.details else ""
    yield f'<div class="callout {tone_class(tone)}{card}" role="note"{named}>'
    yield f'<p><span class="kind">{sign(tone)}{block.kind.value.capitalize()}:</span> {esc(block.title)}</p>'
    if block.text:
        yield f"<p>{broken(block.text)}</p>"
    if block.code:
        yield _code(block.code, "python")
    for inner in block.details:
        yield from _html(inner, level)
    yield "</div>"


@_html.register
def _(block: MemoryPicture, level: int) -> Iterator[str]:
    yield "<figure>"
    yield from _title(block.title)
    yield from memory_html(block)
    yield "</figure>"


@_html.register
def _(block: Plot, level: int) -> Iterator[str]:
    yield "<figure>"
    yield from _title(block.title)
    yield f'<div class="scroll" tabindex="0">{plot_svg(block)}</div>'
    if block.moments:
        yield f'<ul class="moments">{"".join(_moment(moment, block) for moment in block.moments)}</ul>'
    yield "<details><summary>The numbers</summary>"
    yield from _html(table_of(block), level)
    yield "</details></figure>"


def _moment(moment: Moment, plot: Plot) -> str:
    told = esc(moment_text(moment, plot.x))
    shown = f'<a href="#{moment.target}">{told}</a>' if moment.target else told
    return f'<li class="{tone_class(moment.tone)}">{shown}</li>'


@_html.register
def _(block: Way, level: int) -> Iterator[str]:
    yield "<figure>"
    yield from _title(block.title)
    yield '<ol class="way">'
    for stop in block.stops:
        label = f'<a href="#{stop.target}">{esc(stop.label)}</a>' if stop.target else esc(stop.label)
        inside = f'<span class="{tone_class(stop.tone)}">{sign(stop.tone)}{label}</span>'
        inside += f"<code>{breakable(stop.code)}</code>" if stop.code else ""
        inside += f'<span class="remark">{broken(stop.remark)}</span>' if stop.remark else ""
        yield f'<li class="{tone_class(stop.tone)}"><div>{inside}</div></li>'
        if stop.cut:
            yield f'<li class="cut bad" aria-label="cut">{sign(Tone.BAD)}{esc(stop.cut)}</li>'
    yield "</ol></figure>"


@_html.register
def _(block: Excerpt, level: int) -> Iterator[str]:
    yield "<figure>"
    yield from _title(block.title)
    first = f"{block.path}:{block.first_line}"
    leads = f'<a href="#{block.target}-{block.first_line}">{esc(first)}</a>' if block.target else esc(first)
    yield f"<figcaption><code>{leads}</code></figcaption>"
    yield from excerpt_html(block)
    yield "</figure>"

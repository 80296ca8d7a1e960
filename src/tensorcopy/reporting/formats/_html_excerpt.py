"""Source code as a table: numbers, amounts as bars, lines, and remarks under them."""

from __future__ import annotations

from collections.abc import Iterator

from ..drawings import Amount, Amounts, Excerpt, Mark
from ..quantities import value_text
from ._html_words import esc, esc_lines, sign, tone_class

_SMALLEST = 0.5


def excerpt_html(block: Excerpt) -> Iterator[str]:
    """The lines, in a box that scrolls. What lies beside none of them has no column."""
    yield f'<div class="source" tabindex="0"><table data-language="{esc(block.language)}">'
    if block.amounts:
        named = f'<th scope="col" class="amount">{esc(block.amounts.column.name)}</th>'
        yield f"<thead><tr><td></td>{named}<td></td></tr></thead>"
    for number, line in enumerate(block.lines, block.first_line):
        marks = sorted((mark for mark in block.marks if mark.line == number), key=lambda m: m.columns or (0, 0))
        yield _line(block, number, line, marks)
        yield from (_remark(mark, block) for mark in marks if mark.text)
    yield "</table></div>"


def _line(block: Excerpt, number: int, line: str, marks: list[Mark]) -> str:
    tone = tone_class(marks[0].tone) if marks else ""
    named = f' id="{block.anchor}-{number}"' if block.anchor else ""
    found = block.amount_of.get(number)
    amount = _amount(block.amounts, found) if block.amounts else ""
    note = f'<span class="beside">{esc(found.note)}</span>' if found is not None and found.note else ""
    return (
        f'<tr class="{tone}"{named}>{_number(block, number)}{amount}'
        f"<td><code>{_marked(line, marks)}</code>{note}</td></tr>"
    )


def _number(block: Excerpt, number: int) -> str:
    shown = f'<a href="#{block.target}-{number}">{number}</a>' if block.target else str(number)
    return f'<td class="n">{shown}</td>'


def _amount(amounts: Amounts, amount: Amount | None) -> str:
    """A number over a bar."""
    if amount is None:
        return '<td class="amount"></td>'
    share = max(100 * amount.value / amounts.full, _SMALLEST) if amounts.full else 0
    text = esc(value_text(amount.value, amounts.column.type))
    return f'<td class="amount"><span style="--share:{min(share, 100):.1f}%">{text}</span></td>'


def _marked(line: str, marks: list[Mark]) -> str:
    """A line with the columns of its marks set off; one that overlaps another starts where that ends."""
    parts, done = [], 0
    for start, end in (mark.columns for mark in marks if mark.columns):
        start, end = max(start, done), max(end, done)
        parts += [esc_lines(line[done:start]), f"<mark>{esc_lines(line[start:end])}</mark>"]
        done = end
    return "".join([*parts, esc_lines(line[done:])])


def _remark(mark: Mark, block: Excerpt) -> str:
    tone = tone_class(mark.tone)
    before = "<td></td>" * (2 if block.amounts else 1)
    text = f'<a href="#{mark.target}">{esc(mark.text)}</a>' if mark.target else esc(mark.text)
    return f'<tr class="{tone}">{before}<td class="remark {tone}">{sign(mark.tone)}{text}</td></tr>'

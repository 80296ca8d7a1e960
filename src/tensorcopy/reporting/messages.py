"""Reports about warnings and errors of torch and NumPy, made from the catalogue. Load no array library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ..catalogue.messages import Message, themes
from .model import Block, Code, Field, KeyValues, Paragraph, Report, Section, Table, table
from .values import Column, ValueType

_SPELLED = {"numpy": "NumPy"}


def messages_report(found: Sequence[Message]) -> Report:
    """What a pasted text means, what happens in memory and in the graph, and what to write: for each that is in it."""
    data = {"messages": [dataclasses.asdict(message) for message in found]}
    if len(found) == 1:
        (one,) = found
        return Report(title=one.text, lead=one.means, blocks=tuple(_blocks(one)), data=data)
    sections = tuple(Section(title=m.text, lead=m.means, blocks=tuple(_blocks(m))) for m in found)
    return Report(title=f"{len(found)} messages", lead="In the order of the text.", blocks=sections, data=data)


def _blocks(message: Message) -> Iterator[Block]:
    yield Paragraph(text=message.memory)
    yield Code(title="What to write", text="\n".join(filter(None, [message.setup, message.write])))
    yield Code(title="What brings it about", text="\n".join(filter(None, [message.setup, message.provoke])))
    yield KeyValues(fields=(Field(name="class", value=message.category), Field(name="name", value=message.name)))
    if message.also:
        yield table([Column(name="text")], [[text] for text in message.also], title="Also worded")
    if message.operations:
        asked = "\n".join(f'tensorcopy explain "{name}"' for name in message.operations)
        yield Code(title="More", text=asked, language="console")


def list_of_messages() -> Iterator[Section]:
    """All messages, a section a theme."""
    for theme, found in themes().items():
        words = [_SPELLED.get(word, word) for word in theme.split("_")]
        title = " ".join([words[0][0].upper() + words[0][1:], *words[1:]])
        yield Section(title=title, blocks=(_listed(found),))


def _listed(found: Sequence[Message]) -> Table:
    columns = [Column(name="name", type=ValueType.CODE), Column(name="class"), Column(name="text")]
    return table(columns, [[message.name, message.category, message.text] for message in found])

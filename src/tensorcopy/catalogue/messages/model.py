"""The record of one warning or error: how to recognise it, what it means, what to write."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One warning or error of torch or NumPy.

    name: to ask for it by, and to link to.
    category: its class.
    text: what it says, with some value where others may stand; shortened where it goes on.
    pattern: a regular expression for the constant words of it. White space, letter case and the kind of quotes do not
        count; ``.*?`` where values stand.
    means: what torch or NumPy want to say.
    memory: what happens, or would happen, to memory and to the graph.
    setup: code that comes before both of the following; ``torch`` and ``np`` are there.
    provoke: code that brings it about.
    write: the code to write instead.
    holds: an expression that is true after that code.
    also: how other releases word it.
    since, until: the first release with which `provoke` brings it about, and the first with which it does not any more.
    operations: names of the catalogue that tell more.
    """

    name: str
    category: str
    text: str
    pattern: str
    means: str
    memory: str
    setup: str = ""
    provoke: str
    write: str
    holds: str
    also: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    operations: tuple[str, ...] = ()

"""Warnings and errors of torch and NumPy about copying, sharing, the graph, dtypes and conversion, explained.

One `Message` each, in a file for each theme; adding one to a file, or a file to this folder, is all it takes. Reading
them loads neither library. The tests provoke every one on the installed releases and run what is advised.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ..._discovery import modules_of
from .model import Message

__all__ = ["Message", "containing", "messages", "nearest", "recognised", "themes"]

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LONGEST = 1 << 20
_AROUND = re.compile(r"\A\s*(\w*(Error|Warning|Exception):\s*)?|\s*(\u2026|\.{3})?\s*\Z")
"""The class before a message, and the dots where it was cut off."""
_VALUE = ".{0,300}?"
"""What stands for a value in a pattern: bounded, so that no text makes the search slow."""
_SAME = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "`": "'"})


@cache
def themes() -> Mapping[str, tuple[Message, ...]]:
    """The messages by theme, the theme being the name of the file that holds them. Read-only."""
    modules = {m.__name__.rpartition(".")[2]: m for m in modules_of(sys.modules[__name__])}
    return MappingProxyType({name: m.MESSAGES for name, m in modules.items() if hasattr(m, "MESSAGES")})


@cache
def messages() -> Mapping[str, Message]:
    """Every message by its name. Read-only; two of one name are a broken catalogue and raise `AssertionError`."""
    found: dict[str, Message] = {}
    for theme in themes().values():
        for message in theme:
            assert message.name not in found, f"two messages are called {message.name}"
            found[message.name] = message
    return MappingProxyType(found)


def recognised(text: str) -> tuple[Message, ...]:
    """The messages that *text* is or contains, in the order in which they stand there; or the one of that name.

    *text* may be a whole traceback, with line breaks anywhere, in colours, with other shapes, dtypes and devices.
    """
    named = messages().get(text.strip())
    if named is not None:
        return (named,)
    squeezed = _squeezed(text)
    found = [
        (match.start(), message) for message in messages().values() if (match := _pattern(message).search(squeezed))
    ]
    return tuple(message for _, message in sorted(found, key=lambda pair: pair[0]))


def containing(part: str) -> tuple[Message, ...]:
    """The messages of which *part* is a part: a beginning, or some words of it; none for less than three words."""
    part = _AROUND.sub("", part)
    if len(part.split()) < 3:
        return ()
    asked = _squeezed(part)
    return tuple(m for m in messages().values() if any(asked in _squeezed(text) for text in (m.text, *m.also)))


def nearest(text: str) -> tuple[Message, ...]:
    """Up to three messages that have rare words in common with *text*, the most similar first; empty if none has."""
    asked = _words(text)
    scores = {name: _similarity(asked, words) for name, words in _all_words().items()}
    best = sorted((name for name in scores if scores[name] >= 0.25), key=lambda name: -scores[name])
    return tuple(messages()[name] for name in best[:3])


def _squeezed(text: str) -> str:
    """Without colours, white space and letter case, so that neither wrapping nor quoting matters."""
    return re.sub(r"\s+", "", _ESCAPES.sub("", text[-_LONGEST:])).translate(_SAME).lower()


@cache
def _pattern(message: Message) -> re.Pattern[str]:
    bounded = message.pattern.replace(".*?", _VALUE).replace(" ", "")
    return re.compile(bounded.translate(_SAME).lower(), re.S)


def _words(text: str) -> frozenset[str]:
    """The words, without a plural's end and without the names of classes."""
    found = re.findall(r"[a-z_]{3,}", _ESCAPES.sub("", text[-_LONGEST:]).lower())
    return frozenset(word.rstrip("s") for word in found if not word.endswith(("error", "warning")))


@cache
def _all_words() -> Mapping[str, frozenset[str]]:
    return {message.name: _words(" ".join((message.text, *message.also))) for message in messages().values()}


@cache
def _frequencies() -> Mapping[str, int]:
    return Counter(word for words in _all_words().values() for word in words)


def _similarity(asked: frozenset[str], words: frozenset[str]) -> float:
    """How many of the words of both are common to them, each the heavier the fewer messages have it: 0 to 1."""
    weight = {word: 1 / _frequencies().get(word, 1) for word in asked | words}
    common, of_asked, of_words = (sum(weight[word] for word in part) for part in (asked & words, asked, words))
    return float(common / (of_asked * of_words) ** 0.5) if common else 0.0

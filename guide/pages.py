"""Every page of the guide as text, made from the catalogue, the questions and the claims."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tensorcopy.catalogue import Graph, Memory, Operation, families, operations
from tensorcopy.catalogue.messages import Message, themes
from tensorcopy.reporting import Report, Section, render
from tensorcopy.reporting.formats.markdown import words
from tensorcopy.reporting.messages import messages_report
from tensorcopy.reporting.operations import list_report, operation_report

from . import claims, korean
from .questions import QUESTIONS, Question

FOLDER = Path(__file__).parents[1] / "docs" / "guide"
Say = Callable[[str], str]
"""Gives a text in the language of the page."""

_CALLS = re.compile(
    r"(?<![\w`.])(?:\.?[a-zA-Z_]\w*)(?:\.[a-zA-Z_]\w*)*\([ -'*-_a-~]*\)(?:\.\w+\([ -'*-_a-~]*\))*|\.data\b|copy=True",
    re.ASCII,
)
"""What is code within an answer, whatever its language."""
_IMPORTS = "```python\nimport numpy as np\nimport torch\n\nimport tensorcopy as tc\n```"


def pages() -> Mapping[str, str]:
    """The text of each page by its path within the folder of the guide."""
    reference = {f"reference/{name}.md": _family(name, found) for name, found in families().items()}
    return {
        "index.md": _main(_english, "index.ko.md", "한국어"),
        "index.ko.md": _main(korean.say, "index.md", "English"),
        "false-claims.md": _claims(),
        "messages.md": _messages(),
        "reference/index.md": _contents(),
        **reference,
    }


def stale() -> list[str]:
    """The pages that are missing, differ from what would be written, or should not be there any more."""
    made = pages()
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.md")} if FOLDER.exists() else set()
    return sorted({name for name in made if name not in there or _read(name) != made[name]} | (there - set(made)))


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _english(text: str) -> str:
    return text


def _main(say: Say, other: str, language: str) -> str:
    """The page of questions in the language of *say*."""
    parts = [
        f"# {say('Copy, share, convert: what to write')}",
        f"[{language}]({other}) · [{say('every operation')}](reference/index.md) · "
        f"[{say('claims that do not hold')}](false-claims.md) · [{say('warnings and errors')}](messages.md)",
        say(
            "This page is made from the catalogue of tensorcopy, and everything on it is run by the tests. The code "
            "needs "
            "these lines first."
        ),
        _IMPORTS,
        say(
            "Memory *shares* if the result lies on the bytes of the source, and *copies* if it has bytes of its own. "
            "The graph "
            "is *kept* if gradients reach the source through the result, and *cut* if they do not."
        ),
        f"## {say('What do you want?')}",
        _decisions(say),
        *(part for question in QUESTIONS for part in _question(question, say)),
    ]
    return "\n\n".join(parts) + "\n"


def _decisions(say: Say) -> str:
    rows = [(f"[{say(q.need)}](#{slug(say(q.title))})", f"`{q.ours}`", f"`{q.plain}`") for q in QUESTIONS]
    return _table([say("you want"), "tensorcopy", say("torch and NumPy alone")], rows)


def _question(question: Question, say: Say) -> Iterator[str]:
    yield f"## {say(question.title)}"
    yield _CALLS.sub(r"`\g<0>`", say(question.answer))
    yield _fenced(question.code, "python")
    heads = [say("operation"), say("memory"), say("graph"), "dtype"]
    yield _table(heads, [_way(operations()[name], say) for name in question.ways])


def _way(operation: Operation, say: Say) -> tuple[str, ...]:
    return (
        f"[`{operation.example.partition(chr(10))[0]}`]({link(operation.name)})",
        _depending(
            operation.memory is Memory.DEPENDS, operation.memory.value, say, [t.value for t in operation.copies_if]
        ),
        "–"
        if operation.graph is Graph.NOT_APPLICABLE
        else _depending(operation.graph is Graph.DEPENDS, operation.graph.value, say, []),
        say(operation.dtype.value),
    )


def _depending(depends: bool, value: str, say: Say, traits: list[str]) -> str:
    """What it does, and for what depends on the source, on what."""
    if not (depends and traits):
        return say(value)
    return f"{say('copies a source that')} {say(' or ').join(map(say, traits))}"


def _claims() -> str:
    sections = (
        ("Copying, repeating and joining tensors", claims.TENSORS),
        ("Arrays", claims.ARRAYS),
        ("More that surprises", claims.MORE),
    )
    parts = [
        "# Claims that do not hold",
        "Each is met often, in tutorials and in reviews. Under each stands what is true, and code that shows it; the "
        "tests run "
        "the page from top to bottom. See also [what to write](index.md).",
        _IMPORTS,
    ]
    for title, found in sections:
        parts.append(f"## {title}")
        for claim in found:
            parts += [f"### ✗ {words(claim.claim)}", words(claim.truth), _fenced(claim.code, "python")]
            parts += [_measured(claim.measured)] if claim.measured else []
    return "\n\n".join(parts) + "\n"


def _measured(text: str) -> str:
    """The words escaped, the command in them left as code."""
    before, quote, command = text.rpartition(": `")
    return words(before) + quote + command


def _messages() -> str:
    parts = [
        "# Warnings and errors, explained",
        "What torch and NumPy say about copying, sharing, the graph, dtypes and conversion. `tensorcopy explain` "
        "finds the one "
        "that is in a pasted text. The tests provoke each of them, and run the code that is advised. See also "
        "[what to write](index.md).",
    ]
    for theme, found in themes().items():
        parts.append(f"## {words(_title(theme))}")
        parts += [_message(message) for message in found]
    return "\n\n".join(parts) + "\n"


def _message(message: Message) -> str:
    """As `explain` shows it, less what only the command line needs, one level down; its heading is its name."""
    report = messages_report([message])
    blocks = tuple(block for block in report.blocks if getattr(block, "title", "") != "More")
    section = Section(title=message.name, lead=f"{message.category}: {message.text}", blocks=())
    text = render(Report(title="", blocks=(section,)), "markdown")
    body = render(Report(title="", lead=report.lead, blocks=blocks), "markdown")
    related = [f"[`{name}`]({link(name)})" for name in message.operations if name in operations()]
    parts = [_lower(_untitled(text)), _untitled(body), *([f"See {', '.join(related)}."] if related else [])]
    return _shown_only("\n\n".join(parts))


def _family(name: str, found: tuple[Operation, ...]) -> str:
    report = operation_report(found, _title(name), releases={}, full=True)
    about = next(section for section in list_report().blocks if getattr(section, "title", "") == _title(name))
    lead = (
        f"{getattr(about, 'lead', '')} In the examples x is the source. Every fact is proved on the installed releases."
    )
    blocks = report.blocks
    if len(found) == 1:
        blocks = (Section(title=found[0].name, lead=found[0].summary, blocks=blocks),)
    text = render(dataclasses.replace(report, title=_title(name), lead=lead, blocks=blocks), "markdown")
    return f"[What to write](../index.md) · [all operations](index.md)\n\n{_shown_only(text)}"


def _contents() -> str:
    parts = [
        "# Every operation",
        f"{len(operations())} operations in {len(families())} families. [What to write](../index.md).",
    ]
    for name, found in families().items():
        rows = [
            (
                f"[`{op.name}`]({link(op.name).removeprefix('reference/')})",
                op.memory.value,
                _graph(op),
                words(op.summary),
            )
            for op in found
        ]
        parts += [f"## {_title(name)}", _table(["operation", "memory", "graph", "what it gives"], rows)]
    return "\n\n".join(parts) + "\n"


def _graph(operation: Operation) -> str:
    return "–" if operation.graph is Graph.NOT_APPLICABLE else operation.graph.value


def _title(name: str) -> str:
    spelled = {"numpy": "NumPy", "dlpack": "DLPack"}
    first, *others = [spelled.get(word, word) for word in name.split("_")]
    return " ".join([first[0].upper() + first[1:], *others])


def link(operation: str) -> str:
    """Where the main page finds an operation."""
    return _links()[operation]


@cache
def _links() -> Mapping[str, str]:
    """``torch.tensor`` and ``torch.Tensor`` have one anchor, so GitHub numbers the second heading on a page."""
    found = {}
    for family, entries in families().items():
        seen: Counter[str] = Counter()
        for operation in entries:
            anchor = slug(operation.name)
            found[operation.name] = f"reference/{family}.md#{anchor}{f'-{seen[anchor]}' if seen[anchor] else ''}"
            seen[anchor] += 1
    return found


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _shown_only(text: str) -> str:
    """Code that other tests run with a source that the page does not have, marked so that it is not run here."""
    return text.replace("```python", "```py")


def _untitled(text: str) -> str:
    return text.partition("\n\n")[2].strip("\n")


def _lower(text: str) -> str:
    return text.replace("## ", "### ", 1)


def _fenced(code: str, language: str) -> str:
    return f"```{language}\n{code.rstrip()}\n```"


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [list(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    lines.insert(1, [":---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

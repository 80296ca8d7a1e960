"""The rules that are not about tensors: files that cannot be read, and comments that silence nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .model import Finding, Level, Place, Rule

_RULES = (
    Rule(code="TCY900", name="unreadable-file", level=Level.ERROR, summary="a file that cannot be read"),
    Rule(code="TCY901", name="syntax-error", level=Level.ERROR, summary="a file that is not Python"),
    Rule(code="TCY902", name="unfinished-check", level=Level.ERROR, summary="a file that could not be checked"),
    Rule(code="TCY903", name="nested-too-deeply", level=Level.WARNING, summary="a file too deep to be followed"),
    Rule(code="TCY910", name="unused-ignore", level=Level.WARNING, summary="a comment that silences no finding"),
)
RULES: Mapping[str, Rule] = MappingProxyType({rule.code: rule for rule in _RULES})
UNREADABLE, SYNTAX, UNFINISHED, TOO_DEEP, UNUSED = RULES
_PAGES = {
    UNREADABLE: """\
The file, or the folder, cannot be opened, or Python could not decode it: the permission is missing, a link leads
nowhere, the bytes are not in the encoding that the file states, there are null bytes in it. Nothing in it was checked.

Mend the file, or leave it out with `--exclude` or the setting `exclude`.
""",
    SYNTAX: """\
Python's own parser refuses the file, so nothing in it was checked. In a notebook only the cell was left out.

The message is Python's. Code for a newer Python than the one that runs tensorcopy is refused as well: run it with the
newest Python that your code is for. Files that are no programs, such as templates, can be left out with `exclude`.
""",
    UNFINISHED: """\
The check of the file failed: that is a bug in tensorcopy, and the exit code is 2. The other files were checked.

Please report the bug with what `--traceback` prints. Until it is mended, leave the file out with `exclude`.
""",
    TOO_DEEP: """\
The file holds an expression or blocks nested so deeply, some thousand levels, that following them takes more memory
than there is for that. Nothing in it was checked.

Such files are made by programs: leave them out with `exclude`.
""",
    UNUSED: """\
A comment silences a rule on a line where that rule finds nothing, or names a rule that does not exist. The code was
mended, or moved away from its comment; a comment that stays would silence the next mistake on that line unseen.

```python
y = x.clone()  # noqa: TCY101
```

The fix takes the code out of the comment, or takes the comment away.
""",
}


def page_of(code: str) -> str:
    """The text that explains the rule of this code."""
    rule = RULES[code]
    return f"# {rule.code} {rule.name}\n\n{rule.summary[0].upper()}{rule.summary[1:]}.\n\n{_PAGES[code]}"


def finding(code: str, message: str, place: Place) -> Finding:
    """A finding of one of these rules."""
    rule = RULES[code]
    return Finding(code=code, name=rule.name, level=rule.level, message=message, place=place)


def at(file: str, line: int = 1, column: int = 1, cell: int = 0) -> Place:
    """One character of a file."""
    return Place(file=file, line=line, column=column, end_line=line, end_column=column + 1, cell=cell)

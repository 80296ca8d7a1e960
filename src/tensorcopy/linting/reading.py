"""Files as text, exactly: what Python would read, and how to write it back. Runs nothing of it."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from dataclasses import dataclass

_MENTIONS = (b"torch", b"numpy", b"tensorcopy", b"jax", b"pandas", b"pyarrow", b"TCY")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOP_LEVEL_AWAIT = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class UnreadableError(Exception):
    """A file that Python would not read either: what is wrong, and where. Never leaves the package."""

    def __init__(self, message: str, *, line: int = 1, column: int = 1, is_syntax: bool = False) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.is_syntax = message, line, column, is_syntax


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    r"""A decoded file. `text` has ``\n`` for every line end; `ends` are those of the file, line by line."""

    text: str
    ends: tuple[str, ...]
    encoding: str
    mark: bytes = b""

    @property
    def usual_end(self) -> str:
        """The line end that most lines have."""
        return max(("\n", "\r\n", "\r"), key=self.ends.count)

    def encoded(self, text: str, ends: tuple[str, ...]) -> bytes:
        """Another text in the same encoding, with these line ends.

        Raises:
            UnicodeEncodeError: a character does not exist in the encoding.
        """
        lines = text.split("\n")
        joined = "".join(line + end for line, end in zip(lines, (*ends, ""), strict=True))
        return self.mark + joined.encode(self.encoding)


def worth_reading(data: bytes) -> bool:
    """Whether a file mentions a library whose arrays we know; one that does not has nothing to be found in it."""
    return any(word in data for word in _MENTIONS) or data.startswith(_UTF_16)


def decode(data: bytes) -> Text:
    """The text of a Python file by its byte order mark or its ``coding`` comment.

    Raises:
        UnreadableError: it has null bytes, an encoding that does not exist, or bytes that the encoding has not.
    """
    if data.startswith(_UTF_16):
        raise UnreadableError("it is in UTF-16, which Python does not read; save it as UTF-8")
    if b"\0" in data:
        raise UnreadableError("it contains null bytes", line=data.count(b"\n", 0, data.index(b"\0")) + 1)
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    encoding = _encoding(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise _not_in(encoding, data, error) from None
    except (LookupError, ValueError) as error:
        raise UnreadableError(f"it cannot be decoded: {error}") from None
    return as_text(text, encoding, mark)


def _encoding(data: bytes) -> str:
    """The encoding that a file states in its first lines."""
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0].removesuffix("-sig")
    except SyntaxError as error:
        try:
            data.decode()
        except UnicodeDecodeError as wrong:
            raise _not_in("utf-8", data, wrong) from None
        raise UnreadableError(f"its encoding cannot be told: {error.msg}") from None


def _not_in(encoding: str, data: bytes, error: UnicodeDecodeError) -> UnreadableError:
    return UnreadableError(f"it is not {encoding}: {error.reason}", line=data.count(b"\n", 0, error.start) + 1)


def as_text(text: str, encoding: str = "utf-8", mark: bytes = b"") -> Text:
    """*text* with its line ends set apart."""
    if "\r" not in text:
        return Text(text=text, ends=("\n",) * text.count("\n"), encoding=encoding, mark=mark)
    return Text(text=_LINE_END.sub("\n", text), ends=tuple(_LINE_END.findall(text)), encoding=encoding, mark=mark)


def parse(text: str, name: str, *, top_level_await: bool = False) -> ast.Module:
    """The tree of *text*, without the warnings that Python has about it.

    Raises:
        UnreadableError: it is not Python, or nested too deeply for it.
    """
    flags = _TOP_LEVEL_AWAIT if top_level_await else ast.PyCF_ONLY_AST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, name, "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        raise _not_python(error) from None
    except (RecursionError, MemoryError):
        raise UnreadableError("it is nested too deeply for Python to parse", is_syntax=True) from None
    except (ValueError, OverflowError) as error:
        raise UnreadableError(f"Python cannot parse it: {error}", is_syntax=True) from None
    assert isinstance(tree, ast.Module)
    return tree


def _not_python(error: SyntaxError) -> UnreadableError:
    return UnreadableError(error.msg, line=max(error.lineno or 1, 1), column=max(error.offset or 1, 1), is_syntax=True)

"""What a running function will still read: its compiled instructions, from where it is."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FrameType


def will_read(frame: FrameType, name: str) -> bool:
    """Whether a variable of *frame* may be read again before it is bound anew; a loop's next turn counts."""
    code = frame.f_code
    if code.co_name == "<module>" and any(_reads(inner, name) for inner in _inner(code)):
        return True
    return _first_use(code, name, frame.f_lasti) == "load"


@lru_cache(maxsize=256)
def times_read(code: CodeType, name: str) -> int:
    """How many instructions of a function, and of those defined in it, read a variable."""
    return sum(_effect(i, name) == "load" for c in (code, *_inner(code)) for i in dis.get_instructions(c))


def _first_use(code: CodeType, name: str, after: int) -> str:
    turned: set[int] = set()
    instructions = [i for i in dis.get_instructions(code) if i.offset > after]
    while instructions:
        for instruction in instructions:
            if (effect := _effect(instruction, name)) is not None:
                return effect
            if (back := _target_behind(instruction)) is not None and back not in turned:
                turned.add(back)
                instructions = [i for i in dis.get_instructions(code) if i.offset >= back]
                break
        else:
            return ""
    return ""


def _target_behind(instruction: dis.Instruction) -> int | None:
    jumps = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
    target = instruction.argval if jumps else None
    return target if isinstance(target, int) and target < instruction.offset else None


def _effect(instruction: dis.Instruction, name: str) -> str | None:
    """What an instruction does to a variable; newer releases join two into one, as in ``STORE_FAST_LOAD_FAST``."""
    value = instruction.argval
    names = value if isinstance(value, tuple) else (value,)
    if name not in names:
        return None
    kinds = [k for k in instruction.opname.split("_") if k in ("LOAD", "STORE", "DELETE")]
    for kind, found in zip(kinds or [""], names, strict=False):
        if found == name and kind:
            return "load" if kind == "LOAD" else "store"
    return None


def _reads(code: CodeType, name: str) -> bool:
    return name in code.co_names and name not in code.co_varnames


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)

"""Which of torch's calls need a look: nearly all leave at the first conditions, which ``_calls.c`` asks in C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from ..judging.gradients import Operation
from ..judging.ledger import CONVERSIONS, MAY_COPY, SNAPSHOTS
from ..judging.tensors import PLAIN
from ..sites import LIBRARY, OWN_FOLDER, is_library, user_site

if TYPE_CHECKING:
    from ..session import Session

# Properties that give or take values; all others only describe.
VALUES = frozenset(("data", "grad", "requires_grad", "T", "mT", "H", "mH", "real", "imag"))
_DIFFERENCES = frozenset(
    ["sub", "__sub__", "__rsub__", "equal", "allclose", "eq", "__eq__", "isclose", "mse_loss", "dist"]
)
_COMPUTE = frozenset(
    [
        *("add", "sub", "mul", "div", "matmul", "sum", "mean", "linear"),
        *("__add__", "__sub__", "__mul__", "__truediv__", "__matmul__"),
    ]
)
_UPDATES = frozenset(("copy_", "add_", "lerp_", "sub_"))
_NOT_USES = frozenset(("__repr__", "data", "__format__", "tolist", "item", "detach", "clone", "numpy", "backward"))
_PARTED = frozenset(("split", "chunk", "unbind"))

# What the name of a call says about it.
IN_PLACE, USES, LEAVES, VALUELESS, CASTS, ADDS, SUMS, RELATES = (1 << bit for bit in range(8))
CONVERTS, PARTS, DIFFERS, COMPUTES, UPDATES, GIVES_GRADIENT, ASKS = (1 << bit for bit in range(8, 15))
# What of a call needs a look.
READ, GRAPH, MEMORY, PAIR, UPDATE, GRADIENT, ASKED = (1 << bit for bit in range(7))
_MOST_IN_LIST, _MOST_FOLLOWED = 64, 16


def traits_of(operation: Operation) -> int:
    """What the name of an operation says about it, as bits."""
    name = operation.name
    said = {
        IN_PLACE: (name.endswith("_") and not name.endswith("__")) or name == "__setitem__",
        USES: name not in _NOT_USES,
        LEAVES: operation.leaves,
        VALUELESS: operation.valueless,
        CASTS: operation.moves or operation.scales,
        ADDS: operation.adds,
        SUMS: operation.sums,
        RELATES: _may_share(name),
        CONVERTS: name in CONVERSIONS,
        PARTS: name in _PARTED,
        DIFFERS: name in _DIFFERENCES,
        COMPUTES: name in _COMPUTE or name.endswith("_loss"),
        UPDATES: name in _UPDATES,
    }
    return sum(bit for bit, true in said.items() if true)


@cache
def _may_share(name: str) -> bool:
    """Whether an operation of this name can give its argument's memory, by torch's own schemas."""
    if name in MAY_COPY or name in CONVERSIONS or name in SNAPSHOTS or name in VALUES:
        return True
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    shares = any(r.alias_info is not None and not r.alias_info.is_write for s in schemas for r in s.returns)
    return shares or not (schemas or name.startswith("__"))


class Tables:
    """What a session knows of objects that a call may take, by identity."""

    def __init__(self, session: Session) -> None:
        self.gradients = session.gradients
        self.snapshots, self.births = session.memory.snapshots, session.memory.births
        self.unread, self.growing = session.memory.unread, session.sparing.growing
        self.copied = session.conversions.copied_tensors
        self.carried, self.propagated = session.gradients.carried, session.gradients.propagated
        self.settled = session.gradients.settled


class Interest:
    """What of a call needs a look, by what is known of the objects that it took."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def __call__(self, traits: int, name: str, args: tuple[Any, ...], result: Any) -> int:
        """Bits of what needs a look after an operation of this name, with these *traits*, gave *result* for *args*."""
        if traits & (GIVES_GRADIENT | ASKS):
            return self._property(traits, result)
        needs = READ if any(self._is_read(traits, i, argument) for i, argument in enumerate(args)) else 0
        if self._concerns_the_graph(traits, name, args, result):
            needs |= GRAPH
        if traits & RELATES and args and type(args[0]) in PLAIN and self._relates(traits, args[0], result):
            needs |= MEMORY
        if len(args) > 1 and type(args[0]) in PLAIN and type(args[1]) in PLAIN:
            needs |= self._pair(traits, args)
        return needs

    def _property(self, traits: int, result: Any) -> int:
        if traits & ASKS:
            return ASKED if result is False and self.tables.carried else 0
        # Libraries read all gradients in each step.
        return 0 if _is_called_by_a_library() else GRADIENT

    def _is_read(self, traits: int, place: int, argument: Any) -> bool:
        known, key = self.tables, id(argument)
        if type(argument) in PLAIN:
            read = known.unread and not (place == 0 and traits & IN_PLACE)
            copied = traits & USES and key in known.copied
            return bool(key in known.snapshots or read or key in known.growing or copied)
        return type(argument) in (list, tuple) and any(id(a) in known.snapshots for a in argument[:_MOST_IN_LIST])

    def _concerns_the_graph(self, traits: int, name: str, args: tuple[Any, ...], result: Any) -> bool:
        first = result[0] if type(result) is tuple and result else result
        on, carries = self._inputs(args)
        if carries or (traits & SUMS and self.tables.gradients.escaped and any(type(a) is float for a in args)):
            return True
        if on is None:
            return False
        plain = type(first) in PLAIN
        if not traits & VALUELESS and (traits & LEAVES or (plain and not first.requires_grad and first is not on)):
            return name not in self.tables.settled.get(user_site(), ())
        follows = traits & CASTS or (traits & ADDS and self.tables.propagated)
        return bool(follows and plain and first.requires_grad)

    def _inputs(self, args: Any) -> tuple[Any, bool]:
        """The first argument on the graph, and whether any carries what was cut off it."""
        on, carries = None, False
        for argument in args:
            if type(argument) in (list, tuple):
                within, more = self._inputs(argument[:_MOST_FOLLOWED])
            elif type(argument) in PLAIN:
                within, more = argument if argument.requires_grad else None, id(argument) in self.tables.carried
            else:
                continue
            on, carries = within if on is None else on, carries or more
        return on, carries

    def _relates(self, traits: int, source: Any, result: Any) -> bool:
        if result is source:
            return bool(traits & CONVERTS) and not source.requires_grad and not _is_called_by_a_library()
        if type(result) in PLAIN:
            return True
        return bool(traits & PARTS and isinstance(result, (list, tuple)) and result and type(result[0]) in PLAIN)

    def _pair(self, traits: int, args: tuple[Any, ...]) -> int:
        left, right, known = args[0], args[1], self.tables
        needs = 0
        if len(args) == 2:
            compares = traits & DIFFERS and (id(left) in known.births or id(right) in known.births)
            if compares or (traits & COMPUTES and left.dtype is not right.dtype):
                needs |= PAIR
        if traits & UPDATES and (id(left) in known.snapshots or id(right) in known.snapshots):
            needs |= UPDATE
        return needs


def _is_called_by_a_library() -> bool:
    """Whether the code that made the call is a library's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FOLDER):
        frame = frame.f_back
    return frame is not None and is_library(frame.f_code.co_filename)


def interest_in(
    mode: Any, tables: Tables, followers: dict[Any, Any], learn: Callable[[Any], Any], attention: Any
) -> tuple[Any, Callable[..., Any] | None]:
    """What is asked of each call of a mode, and what runs its calls in C where that was built."""
    try:
        from .. import _calls
    except ImportError:  # built without a compiler
        return Interest(tables), None
    calls = _calls.Calls(
        mode=mode,
        plain=PLAIN,
        followers=followers,
        learn=learn,
        attention=attention,
        library=LIBRARY,
        user_site=user_site,
        tables=tables,
    )
    return calls.interest, calls

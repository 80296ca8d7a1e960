"""Be called by torch's dispatcher for copies and in-place writes, and for nothing else.

Two dispatch keys that torch keeps for tests are included on a thread: operations registered on them call Python, all
others pass without cost. Where these keys are missing, a mode looks at every operation, which costs more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any

import torch

from .every_operation import EveryOperation

# torch does not annotate its registration functions.
_Library: Any = torch.library.Library
_fallthrough: Any = torch.library.fallthrough_kernel

COPIES = (
    "clone",
    "copy_",
    "_to_copy",
    "cat",
    "stack",
    "repeat",
    "repeat_interleave",
    "_pin_memory",
)
_OUT_OF_COPIES = ("aten::cat", "aten::stack")
_KEYS = ("TESTING_ONLY_GenericMode", "TESTING_ONLY_GenericWrapper")
# Operations that programs give an ``out=``, which is written then; of the copies, all that have it.
_WITH_OUT = (
    *("matmul", "mm", "bmm", "addmm", "add", "sub", "mul", "div", "pow", "exp", "sqrt", "abs", "clamp"),
    *("sum", "mean", "maximum", "minimum", "where", "sigmoid", "tanh", "index_select", "gather", "normal", "linspace"),
)
# In-place operations that change the object rather than its elements, or that other hooks see.
_NOT_WRITES = frozenset(("copy_", "detach_", "requires_grad_", "set_", "resize_", "_coalesced_", "resize_as_"))

OnCopy = Callable[[str, tuple[Any, ...], Any, int], None]
OnWrite = Callable[[Any, int], None]
BeforeWrite = Callable[[Any], None]


class Dispatch:
    """The hooks of one process. `copying` and `writing` switch them on the current thread."""

    def __init__(self) -> None:
        self.on_copy: OnCopy | None = None
        self.before_write: BeforeWrite | None = None
        self.on_write: OnWrite | None = None
        self.sequence = 0
        self.libraries: list[Any] = []
        self.mode: EveryOperation | None = None
        self.keys: list[Any] = []
        self.wanted = [False, False]
        self.thread = 0
        # Hear of no copies for now: at each conversion, so that it goes without a frame of Python's where that can be.
        self.pause_copies: Callable[[], None] = partial(self._include, 0, on=False)

    def install(self) -> None:
        """Register the hooks, once; where torch lacks what they need, a mode looks at every operation instead."""
        if self.libraries or self.mode is not None:
            return
        try:
            self.keys = [torch._C._dispatch_key_parse(name) for name in _KEYS]
            self._register()
            self.pause_copies = partial(torch._C._dispatch_tls_set_dispatch_key_included, self.keys[0], False)
            works = self._hears()
        except (AttributeError, RuntimeError):
            works = False
        if not works:
            self.libraries.clear()
            self.mode, self.pause_copies = self.as_mode(), partial(self._include, 0, on=False)

    def _hears(self) -> bool:
        """Whether a copy calls the hook."""
        heard: list[str] = []
        self.on_copy = lambda name, *_: heard.append(name)
        self._include(0, on=True)
        try:
            torch.ones(1).clone()
        finally:
            self._include(0, on=False)
            self.on_copy = None
        return heard == ["clone"]

    def as_mode(self) -> EveryOperation:
        """The same hooks, called by a mode that every operation passes."""
        libraries, self.libraries = self.libraries, []  # The hooks shall switch no keys.
        hooks = [{operator: self._copy_hook(operator) for operator in _overloads_of(COPIES)}]
        hooks.append({operator: self._write_hook(operator) for operator in _writing_operators()})
        self.libraries = libraries
        return EveryOperation(hooks)

    def _include(self, which: int, *, on: bool) -> None:
        """Switch the hooks of copies (0) or writes (1) on this thread."""
        if self.mode is not None:
            self.mode.include(which, on=on)
        elif self.keys:
            torch._C._dispatch_tls_set_dispatch_key_included(self.keys[which], on)

    def _register(self) -> None:
        for name in _KEYS:
            library = _Library("_", "IMPL", name)
            library.fallback(_fallthrough)
            self.libraries.append(library)
        higher: Any = torch._ops._higher_order_ops
        for operator in higher.values():
            for key in self.keys:
                operator.fallthrough(key)
        copies, writes = (_Library("aten", "IMPL", name) for name in _KEYS)
        self.libraries += [copies, writes]
        for operator in _overloads_of(COPIES):
            copies.impl(operator.name(), self._copy_hook(operator))
        for operator in _writing_operators():
            writes.impl(operator.name(), self._write_hook(operator))

    def copying(self, on: bool) -> None:
        """Hear of copies on this thread, or not."""
        self.wanted[0], self.thread = on, get_ident()
        self._include(0, on=on)

    def writing(self, on: bool) -> None:
        """Hear of in-place writes on this thread, or not."""
        self.wanted[1] = on
        self._include(1, on=on)

    def pause(self, *, copies: bool) -> None:
        """Hear of no writes for now, and of no *copies* either; `resume` goes back to what was wanted."""
        self._include(1, on=False)
        if copies:
            self._include(0, on=False)

    def resume_copies(self) -> None:
        """Hear of copies again, if that was wanted."""
        if self.mode is None and self.keys:
            torch._C._dispatch_tls_set_dispatch_key_included(self.keys[0], self.wanted[0])
        else:
            self._include(0, on=self.wanted[0])

    def resume(self) -> None:
        """Hear of what was wanted before the pause."""
        for which, on in enumerate(self.wanted):
            self._include(which, on=on)

    def _copy_hook(self, operator: Any) -> Callable[..., Any]:
        call, name = operator._op, operator.name().partition("::")[2].partition(".")[0]
        (included, _, (key, _)), now = self._switches(), time.perf_counter_ns
        gives_out = "out" in operator._overloadname
        writes = name == "copy_" or gives_out

        def hook(*args: Any, **kwargs: Any) -> Any:
            included(key, False)
            try:
                if writes:
                    self.sequence = sequence = self.sequence + 1
                    if self.before_write is not None:
                        self.before_write(kwargs["out"] if gives_out else args[0])
                started = now()
                result = call(*args, **kwargs) if kwargs else call(*args)
                taken = now() - started
                if self.on_copy is not None:
                    self.on_copy(name, args, result, taken)
                if writes and self.on_write is not None and self.wanted[1]:
                    self.on_write(result, sequence)
            finally:
                # Other threads than the one that rests stay included: nobody else can include them again.
                included(key, self.wanted[0] or (self.on_copy is not None and get_ident() != self.thread))
            return result

        return hook

    def _switches(self) -> tuple[Callable[[Any, bool], None], Callable[[Any], bool], list[Any]]:
        """What a hook switches keys off with while the operation runs, and the keys: under a mode there are none."""
        if self.libraries:
            included = torch._C._dispatch_tls_set_dispatch_key_included
            return included, torch._C._dispatch_tls_is_dispatch_key_included, self.keys
        return (lambda key, on: None), (lambda key: False), [None, None]

    def _write_hook(self, operator: Any) -> Callable[..., Any]:
        call = operator._op
        included, is_included, (copies, key) = self._switches()
        gives_out = "out" in operator._overloadname
        many = operator._schema.arguments[0].type.kind() == "ListType" and not gives_out

        def hook(*args: Any, **kwargs: Any) -> Any:
            included(key, False)
            # Counted before the operation: autograd may save the result inside it.
            self.sequence = sequence = self.sequence + 1
            targets = args[0] if many else (kwargs["out"],) if gives_out else args[:1]
            # The number of ``x.mul_(2.0)`` is made a tensor and cast, which nobody means by a copy.
            heard = is_included(copies)
            included(copies, False)
            try:
                if self.before_write is not None:
                    for target in targets:
                        self.before_write(target)
                result = call(*args, **kwargs) if kwargs else call(*args)
                if self.on_write is not None:
                    for target in targets:
                        self.on_write(target, sequence)
            finally:
                included(copies, heard)
                included(key, self.wanted[1])
            return result

        return hook


def _overloads_of(names: tuple[str, ...]) -> list[Any]:
    packets = [getattr(torch.ops.aten, name) for name in names if hasattr(torch.ops.aten, name)]
    found = [getattr(packet, overload) for packet in packets for overload in packet.overloads()]
    return [o for o in found if not _gives(o) or (_gives(o) == ["out"] and o._schema.name in _OUT_OF_COPIES)]


def _gives(operator: Any) -> list[str]:
    """The arguments that an operation writes its results to."""
    return [a.name for a in operator._schema.arguments if a.is_out]


def _writing_operators() -> list[Any]:
    """The overloads that write an argument in place, by torch's own schemas."""
    found = []
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        if namespace != "aten" or not base.endswith("_") or base.startswith("__") or "out" in overload:
            continue
        operator = getattr(getattr(torch.ops.aten, base, None), overload or "default", None)
        if base in _NOT_WRITES or operator is None:
            continue
        if any(a.alias_info is not None and a.alias_info.is_write for a in operator._schema.arguments):
            found.append(operator)
    return [*found, *_writing_an_out()]


def _writing_an_out() -> list[Any]:
    packets = [getattr(torch.ops.aten, name) for name in _WITH_OUT if hasattr(torch.ops.aten, name)]
    found = [getattr(packet, overload) for packet in packets for overload in packet.overloads()]
    return [operator for operator in found if _gives(operator) == ["out"]]


DISPATCH = Dispatch()

"""What Python's interface of torch is called with: each function is looked up once, and most need little."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..judging.gradients import Operation
from ..judging.memory import CONVERSIONS, MAY_COPY, PLAIN, SNAPSHOTS, address_of
from ..sites import is_library, user_site

if TYPE_CHECKING:
    from ..session import Session

Follower = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
# Properties that give or take values; all others only describe.
_VALUES = frozenset(("data", "grad", "requires_grad", "T", "mT", "H", "mH", "real", "imag"))
# Methods that only describe, switches, and conversions that are wrapped where they are defined.
_IGNORED = frozenset(
    [
        *("__len__", "dim", "size", "stride", "numel", "is_complex", "is_floating_point", "element_size"),
        *("data_ptr", "untyped_storage", "storage_offset", "is_contiguous", "retain_grad", "register_hook"),
        *("tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "frombuffer", "numpy"),
    ]
)
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
# Normalisations that write their running statistics while they train.
_NORMS = frozenset(("batch_norm", "instance_norm"))
_NATIVE = 9
_NOT_USES = frozenset(("__repr__", "data", "__format__", "tolist", "item", "detach", "clone", "numpy", "backward"))
_PARTED = frozenset(("split", "chunk", "unbind"))
_UNSEEN: Any = object()
_MOST_FUNCTIONS = 10_000


class Calls(TorchFunctionMode):
    """Sees every call of torch's Python interface on the thread that it is pushed on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.attention = session.attention
        self.pushed = False
        self._followers: dict[Any, Follower | None] = {}
        self._special: dict[str, Follower] = {
            "backward": self._backward,
            "__setitem__": self._assign,
            "share_memory_": self._move,
            "clone": self._clone,
            "requires_grad_": self._freeze,
            **dict.fromkeys(_NORMS, self._normalise),
        }
        self._getters: dict[str, Follower] = {"grad": self._read_gradient, "requires_grad": self._ask}

    def begin(self) -> None:
        """Begin to see this thread's calls."""
        if not self.pushed:
            torch._C._push_on_torch_function_stack(self)
            self.pushed = True

    def end(self) -> bool:
        """See no more of this thread's calls; False, and nothing is done, while a mode of the program lies on top."""
        depth = torch._C._len_torch_function_stack()
        if not self.pushed or depth == 0 or torch._C._get_function_stack_at(depth - 1) is not self:
            return False
        torch._C._pop_torch_function_stack()
        self.pushed = False
        return True

    def surface(self) -> None:
        """Come to lie over the modes of the program, which stay: for the end of a recording inside of them."""
        modes = [torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())]
        if not self.pushed or self not in modes or modes[-1] is self:
            return
        for _ in modes:
            torch._C._pop_torch_function_stack()
        for mode in (*(m for m in modes if m is not self), self):
            torch._C._push_on_torch_function_stack(mode)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the call, and look at what went in and came out."""
        follow = self._followers.get(func, _UNSEEN)
        if follow is _UNSEEN:
            follow = self._learn(func)
        if follow is None or self.attention.away:
            return func(*args, **kwargs) if kwargs else func(*args)
        return follow(func, args, kwargs or {})

    def _learn(self, func: Any) -> Follower | None:
        if len(self._followers) >= _MOST_FUNCTIONS:
            self._followers.clear()
        follow = self._followers[func] = self._follower(*_name_of(func))
        return follow

    def _follower(self, name: str, how: str) -> Follower | None:
        if how == "__set__":
            return self._following(name) if name == "data" else None
        if (how == "__get__" and name not in _VALUES) or name in _IGNORED or name.startswith(("_set_", "_record_")):
            return None
        special = self._getters if how == "__get__" else self._special
        return special.get(name) or self._following(name)

    # --- any operation ------------------------------------------------------------------------------------------------

    def _following(self, name: str) -> Follower:
        """Run an operation of this name; what the name alone decides is decided here, once."""
        operated, operation, failed = self.session.gradients.operated, Operation(name), self.attention.failed
        memory, copied = self.session.memory, self.session.conversions.copied_tensors
        snapshots, temporaries, reads = memory.snapshots, memory.temporaries, self._reading(name)
        updates, growing = name in _UPDATES, self.session.sparing.growing
        relates, pairs = _may_share(name), name in _DIFFERENCES or name in _COMPUTE or name.endswith("_loss")

        def follow(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            result = func(*args, **kwargs) if kwargs else func(*args)
            try:
                if snapshots or temporaries or copied or growing:
                    reads(args)
                operated(operation, args, result)
                if relates:
                    self._relate(name, args, result)
                if pairs and len(args) == 2 and type(args[0]) in PLAIN and type(args[1]) in PLAIN:
                    self._pair(name, *args)
                if updates and snapshots and len(args) > 1:
                    self._update(name, args)
            except Exception as error:
                failed(error)
            return result

        return follow

    def _reading(self, name: str) -> Callable[[tuple[Any, ...]], None]:
        memory, conversions = self.session.memory, self.session.conversions
        snapshots, temporaries, copied = memory.snapshots, memory.temporaries, conversions.copied_tensors
        sparing, growing = self.session.sparing, self.session.sparing.growing
        in_place, uses = name.endswith("_") and not name.endswith("__"), name not in _NOT_USES

        def reads(args: tuple[Any, ...]) -> None:
            for argument in args:
                kind = type(argument)
                if kind in PLAIN:
                    if id(argument) in snapshots:
                        memory.read(argument)
                    if temporaries and not (in_place and argument is args[0]):
                        memory.used(argument)
                    if growing and id(argument) in growing:
                        sparing.used(argument)
                    if uses and id(argument) in copied:
                        conversions.used(argument)
                elif snapshots and (kind is list or kind is tuple):
                    memory.read_all(argument)

        return reads

    def _relate(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """*result* came out of the first argument: over the same memory, or as a copy where a view was meant."""
        source = args[0] if args else None
        if type(source) not in PLAIN:
            return
        if result is source:
            if name in CONVERSIONS:
                self.session.memory.unchanged(source, name)
            return
        if type(result) in PLAIN:
            self._related(name, source, result)
        elif name in _PARTED and result and type(result[0]) in PLAIN:
            for part in result[:64]:
                self._related(name, source, part)

    def _related(self, name: str, source: Any, result: Any) -> None:
        start, memory = address_of(result), self.session.memory
        if start == 0:
            return
        if start == address_of(source):
            memory.made(result, name, source, user_site())
        elif name in MAY_COPY:
            memory.temporary(result, f"{name}()" if name != "__getitem__" else "an index of positions", user_site())

    def _update(self, name: str, args: tuple[Any, ...]) -> None:
        if type(args[0]) in PLAIN and type(args[1]) in PLAIN:
            with self.attention:
                self.session.memory.updated(args[0], args[1], name)

    def _pair(self, name: str, left: Any, right: Any) -> None:
        if name in _DIFFERENCES:
            self.session.memory.compared(left, right)
        if left.dtype is not right.dtype and (name in _COMPUTE or name.endswith("_loss")):
            self.session.conversions.promoted(name, [left, right])

    # --- operations that mean more ------------------------------------------------------------------------------------

    def _backward(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(args[0], torch.Tensor):
            with self.attention:
                self.session.gradients.back_propagating(args[0], user_site())
        try:
            return func(*args, **kwargs)
        finally:
            self.session.gradients.back_propagated()
            self.session.saving.lines.clear()

    def _assign(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self.attention:
            self.session.memory.assigned(*args)
        return self._any("__setitem__")(func, args, kwargs)

    def _move(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before = address_of(args[0])
        result = func(*args, **kwargs)
        with self.attention:
            self.session.memory.moved(args[0], before)
        return result

    def _clone(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = self._any("clone")(func, args, kwargs)
        if args and type(args[0]) not in PLAIN:
            with self.attention:
                self.session.conversions.cloned(args[0], result, user_site())
        return result

    def _normalise(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = self._any("batch_norm")(func, args, kwargs)
        trains = args[5] if len(args) > 5 else kwargs.get("training", kwargs.get("use_input_stats"))
        if trains is True:
            with self.attention:
                # torch.batch_norm takes weight and bias first, the one of torch.nn.functional after the statistics.
                for statistic in args[3:5] if len(args) >= _NATIVE else args[1:3]:
                    if type(statistic) in PLAIN:
                        self.session.memory.wrote(statistic, address_of(statistic))
        return result

    def _freeze(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs.get("requires_grad", args[1] if len(args) > 1 else True) is False:
            self.session.gradients.stepping.froze = user_site()
        return func(*args, **kwargs)

    def _read_gradient(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = func(*args)
        # Above this frame is the call of this class, and then who reads: libraries read all gradients in each step.
        if not is_library(sys._getframe(2).f_code.co_filename):
            with self.attention:
                self.session.gradients.grad_read(args[0])
                self.session.memory.gave_gradient(result)
        return result

    def _ask(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = func(*args)
        if not result and self.session.gradients.carried:
            with self.attention:
                self.session.gradients.asked(args[0])
        return result

    def _any(self, name: str) -> Follower:
        """What follows an operation of this name as any other."""
        follow = self._followers.get(name)
        if follow is None:
            follow = self._followers[name] = self._following(name)
        return follow


def _name_of(func: Any) -> tuple[str, str]:
    """What a function is called, and whether it is ``__get__`` or ``__set__`` of a property of that name."""
    name = str(getattr(func, "__name__", ""))
    if name in ("__get__", "__set__", "__delete__"):
        return str(getattr(getattr(func, "__self__", None), "__name__", name)), name
    return name, ""


@cache
def _may_share(name: str) -> bool:
    """Whether an operation of this name can give its argument's memory, by torch's own schemas."""
    if name in MAY_COPY or name in CONVERSIONS or name in SNAPSHOTS or name in _VALUES:
        return True
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    shares = any(r.alias_info is not None and not r.alias_info.is_write for s in schemas for r in s.returns)
    return shares or not (schemas or name.startswith("__"))

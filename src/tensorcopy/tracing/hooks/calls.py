"""What Python's interface of torch is called with: each function is looked up once, and most need little."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..judging.gradients import Operation
from ..judging.ledger import MAY_COPY
from ..judging.tensors import PLAIN, address_of
from ..patches import Patches
from ..sites import user_site
from . import interest

if TYPE_CHECKING:
    from ..session import Session

# Runs a call and looks at it, in the place of the call.
Follower = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
# Looks at what of a call needs it.
Look = Callable[[int, tuple[Any, ...], Any], None]
# What a function's name says about its calls, who looks at one, and the name; FOLLOWED with who runs it.
Plan = tuple[int, Look, str] | tuple[int, Follower, str]
FOLLOWED = -1
# Methods that only describe, switches, and conversions that are wrapped where they are defined.
_IGNORED = frozenset(
    [
        *("__len__", "dim", "size", "stride", "numel", "is_complex", "is_floating_point", "element_size"),
        *("data_ptr", "untyped_storage", "storage_offset", "is_contiguous", "retain_grad", "register_hook"),
        *("tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "frombuffer", "numpy"),
    ]
)
# Normalisations that write their running statistics while they train.
_NORMS = frozenset(("batch_norm", "instance_norm"))
_NATIVE = 9
# Arguments that bring no code of their own.
_WITHOUT_OVERRIDES = frozenset((*PLAIN, type(None)))
_UNSEEN: Any = object()
_MOST_FUNCTIONS, _MOST_PARTS = 10_000, 64


class Calls(TorchFunctionMode):
    """Sees every call of torch's Python interface on the thread that it is pushed on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.attention = session.attention
        self.pushed = False
        self._plans: dict[Any, Plan | None] = {}
        self._by_name: dict[str, tuple[int, Look, str]] = {}
        self._special: dict[str, Follower] = {
            "backward": self._backward,
            "__setitem__": self._assign,
            "share_memory_": self._move,
            "clone": self._clone,
            "requires_grad_": self._freeze,
            **dict.fromkeys(_NORMS, self._normalise),
        }
        self.tables = interest.Tables(session)
        self._interest, runs = interest.interest_in(self, self.tables, self._plans, self._learn, self.attention)
        if runs is not None:
            self.__torch_function__ = runs  # type: ignore[method-assign]

    def wrap(self, patches: Patches) -> None:
        """Take a short way for the functions that torch has written in Python, which look for overrides at length."""
        for module in (torch.functional, torch.nn.functional):
            patches.wrap(module, "handle_torch_function", self._handler)

    def _handler(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def handle(function: Any, relevant: Any, *args: Any, **kwargs: Any) -> Any:
            if any(type(a) not in _WITHOUT_OVERRIDES for a in relevant) or not self.end():
                return original(function, relevant, *args, **kwargs)
            try:
                return self.__torch_function__(function, (), args, kwargs)
            finally:
                self.begin()

        return handle

    def begin(self) -> None:
        """Begin to see this thread's calls."""
        if not self.pushed:
            torch._C._push_on_torch_function_stack(self)
            self.pushed = True

    def end(self) -> bool:
        """See no more of this thread's calls; False, and nothing is done, while a mode of the program lies on top."""
        # The stack is of the thread: another one than this may have pushed.
        if not self.pushed or torch._C._len_torch_function_stack() == 0:
            return False
        top = torch._C._pop_torch_function_stack()
        if top is not self:
            torch._C._push_on_torch_function_stack(top)
            return False
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
        plan = self._plans.get(func, _UNSEEN)
        if plan is _UNSEEN:
            plan = self._learn(func)
        if plan is None or self.attention.away:
            return func(*args, **kwargs) if kwargs else func(*args)
        if plan[0] == FOLLOWED:
            return plan[1](func, args, kwargs or {})
        return self._run(plan, func, args, kwargs)

    def _run(self, plan: Any, func: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
        """Run a call, and look at what of it needs a look."""
        result = func(*args, **kwargs) if kwargs else func(*args)
        needs = self._interest(plan[0], plan[2], args, result)
        if needs:
            plan[1](needs, args, result)
        return result

    def _learn(self, func: Any) -> Plan | None:
        if len(self._plans) >= _MOST_FUNCTIONS:
            self._plans.clear()
        plan = self._plans[func] = self._plan(*_name_of(func))
        return plan

    def _plan(self, name: str, how: str) -> Plan | None:
        if how == "__set__":
            return self._as_any(name) if name == "data" else None
        if how == "__get__" and name == "grad":
            return interest.GIVES_GRADIENT, self._read_gradient, name
        if how == "__get__" and name == "requires_grad":
            return interest.ASKS, self._ask, name
        described = how == "__get__" and name not in interest.VALUES
        if described or name in _IGNORED or name.startswith(("_set_", "_record_")):
            return None
        special = self._special.get(name) if how != "__get__" else None
        return (FOLLOWED, special, name) if special is not None else self._as_any(name)

    # --- any operation ------------------------------------------------------------------------------------------------

    def _as_any(self, name: str) -> tuple[int, Look, str]:
        """How an operation of this name is looked at; what the name alone decides is decided here, once."""
        plan = self._by_name.get(name)
        if plan is None:
            operation = Operation(name)
            plan = self._by_name[name] = (interest.traits_of(operation), self._looking(operation), name)
        return plan

    def _looking(self, operation: Operation) -> Look:
        operated, name, failed = self.session.gradients.operated, operation.name, self.attention.failed
        traits = interest.traits_of(operation)

        def look(needs: int, args: tuple[Any, ...], result: Any) -> None:
            try:
                if needs & interest.READ:
                    self._read(traits, args)
                if needs & interest.GRAPH:
                    operated(operation, args, result)
                if needs & interest.MEMORY:
                    self._relate(name, args, result)
                if needs & interest.PAIR:
                    self._pair(name, traits, *args)
                if needs & interest.UPDATE:
                    self._update(name, args)
            except Exception as error:
                failed(error)

        return look

    def _read(self, traits: int, args: tuple[Any, ...]) -> None:
        known, memory = self.tables, self.session.memory
        for argument in args:
            key, kind = id(argument), type(argument)
            if kind is list or kind is tuple:
                memory.read_all(argument)
            if kind not in PLAIN:
                continue
            if key in known.snapshots:
                memory.read(argument)
            if known.unread and not (traits & interest.IN_PLACE and argument is args[0]):
                memory.used(argument)
            if key in known.growing:
                self.session.sparing.used(argument)
            if key in known.copied and traits & interest.USES:
                self.session.conversions.used(argument)

    def _relate(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """*result* came out of the first argument: over the same memory, or as a copy where a view was meant."""
        source = args[0]
        if result is source:
            self.session.memory.unchanged(source, name)
            return
        for part in (result,) if type(result) in PLAIN else result[:_MOST_PARTS]:
            self._related(name, source, part)

    def _related(self, name: str, source: Any, result: Any) -> None:
        start, memory = address_of(result), self.session.memory
        if start == 0:
            return
        if start == address_of(source):
            memory.made(result, name, source, user_site(), start)
        elif name in MAY_COPY:
            memory.temporary(result, f"{name}()" if name != "__getitem__" else "an index of positions", user_site())

    def _update(self, name: str, args: tuple[Any, ...]) -> None:
        with self.attention:
            self.session.memory.updated(args[0], args[1], name)

    def _pair(self, name: str, traits: int, left: Any, right: Any) -> None:
        if traits & interest.DIFFERS:
            self.session.memory.compared(left, right)
        if traits & interest.COMPUTES and left.dtype is not right.dtype:
            self.session.conversions.promoted(name, [left, right])

    def _read_gradient(self, needs: int, args: tuple[Any, ...], result: Any) -> None:
        with self.attention:
            self.session.gradients.grad_read(args[0])
            self.session.memory.gave_gradient(result)

    def _ask(self, needs: int, args: tuple[Any, ...], result: Any) -> None:
        with self.attention:
            self.session.gradients.asked(args[0])

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
        return self._run(self._as_any("__setitem__"), func, args, kwargs)

    def _move(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before = address_of(args[0])
        result = func(*args, **kwargs)
        with self.attention:
            self.session.memory.moved(args[0], before)
        return result

    def _clone(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = self._run(self._as_any("clone"), func, args, kwargs)
        if args and type(args[0]) not in PLAIN:
            with self.attention:
                self.session.conversions.cloned(args[0], result, user_site())
        return result

    def _normalise(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = self._run(self._as_any("batch_norm"), func, args, kwargs)
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


def _name_of(func: Any) -> tuple[str, str]:
    """What a function is called, and whether it is ``__get__`` or ``__set__`` of a property of that name."""
    name = str(getattr(func, "__name__", ""))
    if name in ("__get__", "__set__", "__delete__"):
        return str(getattr(getattr(func, "__self__", None), "__name__", name)), name
    return name, ""

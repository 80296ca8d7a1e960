"""Hear of copies and writes where torch lacks the dispatch keys for that: a mode that every operation passes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode, _pop_mode, _push_mode

COST = (
    "this torch lacks the dispatch keys by which copies are seen at little cost: every operation is looked at instead, "
    "which makes following in full up to a quarter slower, and copies inside of operations are not seen"
)
Hook = Callable[..., Any]


class EveryOperation(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Calls a hook in the place of the operations that have one.

    hooks: those for copies and those for writes, by operator. A hook runs the operator itself.
    """

    def __init__(self, hooks: Sequence[dict[Any, Hook]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.hooks = hooks
        self.thread = _Wanted()

    def include(self, which: int, *, on: bool) -> None:
        """Call the hooks of one kind on this thread, or not; on the stack of modes only while any is wanted.

        A mode of the program on top of it keeps it there, which then passes everything on.
        """
        wanted = self.thread
        wanted.kinds[which] = on
        if any(wanted.kinds) and not wanted.pushed:
            _push_mode(self)
            wanted.pushed = True
        elif not any(wanted.kinds) and wanted.pushed and _get_current_dispatch_mode() is self:
            _pop_mode()
            wanted.pushed = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation, by its hook if it has one."""
        for on, hooks in zip(self.thread.kinds, self.hooks, strict=True):
            if on and func in hooks:
                return hooks[func](*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


class _Wanted(threading.local):
    def __init__(self) -> None:
        self.kinds = [False, False]
        self.pushed = False

"""Step aside while compiled code runs, or is being compiled: torch.compile would compile what looks at it, too.

Everything is as without a recording then: the compiler sees no mode, hook or wrapped function of ours, and no guard of
its code depends on one. Does not load the compiler.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from ..patches import Patches
from ..sites import OWN_FOLDER
from .dispatching import DISPATCH

if TYPE_CHECKING:
    from ..session import Session

_COMPILER = "torch._dynamo"
_SWITCH = "torch._dynamo.eval_frame"
_FIRST, _LAST = "set_eval_frame", "_maybe_set_eval_frame"
_NOTE = "compiled code was not looked into: what it copies is not shown, and it runs as without a recording"

# Each change of a class costs its users the interpreter's caches, and Python counts them: compiling comes early.
_MOST_CLASSES = 100


class _Thread(threading.local):
    """Who runs compiled code on a thread, and what was taken off it for that."""

    def __init__(self) -> None:
        self.owner: object = None
        self.calls = self.saving = False


class Compiling:
    """Takes a session off the threads that run compiled code, while they do."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.thread = _Thread()
        self.times = 0
        self._switches = Patches()
        self._finder = _Arrival(session.patches, self._wrap)

    def start(self) -> None:
        """Hear where compiled code begins and ends, once the program loads the compiler."""
        if (compiler := sys.modules.get(_SWITCH)) is not None:
            self._wrap(compiler)
        else:
            sys.meta_path.insert(0, self._finder)

    def stop(self) -> None:
        """Hear no more of it."""
        self._switches.undo()
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)

    def _wrap(self, compiler: ModuleType) -> None:
        # Newer releases of torch begin with the one and end with the other.
        last = _LAST if hasattr(compiler, _LAST) else _FIRST
        for name in {_FIRST, last}:
            self._switches.wrap(compiler, name, partial(self._switch, ends=name == last))

    def _switch(self, original: Callable[[Any], Any], *, ends: bool) -> Callable[[Any], Any]:
        """A callback switches the compiler on for this thread, and None off: for good if that *ends*."""

        def set_eval_frame(callback: Any) -> Any:
            caller = sys._getframe(1)
            if callback is not None:
                if self.thread.owner is None:
                    self._step_aside(_owner(caller))
                return original(callback)
            before = original(None)
            if self.thread.owner is None:
                if not ends and _will_keep_keys(caller):
                    self._step_aside(_owner(caller))
            elif ends and self.thread.owner is _owner(caller):
                self._come_back()
            return before

        return set_eval_frame

    def _step_aside(self, owner: object) -> None:
        session, thread = self.session, self.thread
        if not session.hooks:
            return
        if not self.times:
            _keep_out()
        thread.owner = owner
        session.attention.away += 1
        if _NOTE not in session.limits:
            session.limits.append(_NOTE)
        DISPATCH.pause(copies=True)
        thread.calls = session.calls.end()
        thread.saving = session.saving.is_on_top()
        session.saving.pop()
        session.patches.put_aside(classes=self.times < _MOST_CLASSES)
        self.times += 1

    def _come_back(self) -> None:
        session, thread = self.session, self.thread
        session.patches.take_back()
        if thread.saving:
            session.saving.push()
        if thread.calls:
            session.calls.begin()
        DISPATCH.resume()
        session.attention.away -= 1
        thread.owner = None


def _owner(caller: FrameType) -> object:
    """What begins and ends with the same compiled code: the frame of a function, or a context."""
    return caller.f_locals.get("self") if caller.f_code.co_name in ("__enter__", "__exit__") else caller


def _will_keep_keys(caller: FrameType) -> bool:
    """Whether a function takes note of the dispatch keys of its thread, to include them again for compiled code."""
    return "_dispatch_tls_local_include_set" in caller.f_code.co_names


def _keep_out() -> None:
    """Have the compiler pass over what is called of this folder while it is switched on."""
    rules: Any = sys.modules.get("torch._dynamo.trace_rules") or sys.modules.get("torch._dynamo.skipfiles")
    here = Path(OWN_FOLDER).as_posix()
    if rules is not None and not any(folder.startswith(here) for folder in rules.SKIP_DIRS):
        rules.add(__package__.rpartition(".")[0])
    if hasattr(rules, "clear_lru_cache"):
        rules.clear_lru_cache()


class _Arrival(MetaPathFinder):
    """Tells of the compiler when it is loaded, and has it see torch as it is: it keeps tables of its functions."""

    def __init__(self, patches: Patches, arrived: Callable[[ModuleType], None]) -> None:
        self.patches, self.arrived = patches, arrived

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        load = {_COMPILER: self._load, _SWITCH: self._load_switch}.get(name)
        if load is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            loader.exec_module = partial(load, loader.exec_module)
        return spec

    def _load(self, run: Callable[[ModuleType], None], module: ModuleType) -> None:
        self.patches.put_aside(classes=True)
        try:
            run(module)
        finally:
            self.patches.take_back()

    def _load_switch(self, run: Callable[[ModuleType], None], module: ModuleType) -> None:
        run(module)
        self.arrived(module)

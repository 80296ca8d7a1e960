"""The recording of one process: switches the hooks on and off, and hands what they see to those who judge it."""

from __future__ import annotations

import copy
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.utils.data.dataloader
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from .capture import Capture
from .conversions import Conversions
from .copies import Copies
from .dispatching import DISPATCH
from .gradients import Gradients
from .memory import MAY_COPY, PLAIN, Memory, address_of
from .patches import Patches
from .reports import Findings, sources_of
from .returns import Returns
from .saving import Saving
from .sites import NOWHERE, Site, is_library, user_frame, user_site

_HERE = str(Path(__file__).parent)
# A program that is over within this time is followed in full, however many steps it makes.
_FULL_SECONDS = 5.0
# After that, one step in so many is looked at, for its copies alone.
_SAMPLED = 10
_READERS = frozenset(
    ["shape", "dtype", "device", "is_leaf", "grad_fn", "layout", "ndim", "names", "is_cuda", "__len__", "dim", "size"]
)
_DIFFERENCES = frozenset(
    ["sub", "__sub__", "__rsub__", "equal", "allclose", "eq", "__eq__", "isclose", "mse_loss", "dist"]
)
_COMPUTE = frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "matmul",
        "sum",
        "mean",
        "linear",
        "__add__",
        "__sub__",
        "__mul__",
        "__truediv__",
        "__matmul__",
    ]
)
_NOT_USES = frozenset(("__repr__", "__get__", "__format__", "tolist", "item", "detach", "clone", "numpy", "backward"))


class Flow(TorchFunctionMode):
    """Sees every call of torch's Python interface while it is pushed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the call, and tell the session before and after."""
        return self.session.called(func, args, kwargs or {})


class Session:
    """Traces this process between `start` and `stop`.

    steps: optimizer steps that are followed in full (writes, saved tensors, gradients); after them only copies and
        conversions are, which costs little.
    """

    def __init__(self, *, steps: int = 3, command: tuple[str, ...] = ()) -> None:
        self.command, self.full_steps = command, steps
        self.findings = Findings()
        self.memory = Memory(self.findings)
        self.gradients = Gradients(self.findings)
        self.copies = Copies(self.findings)
        self.conversions = Conversions(self.findings)
        self.saving = Saving(self.findings, lambda: DISPATCH.sequence)
        self.returns = Returns(self.findings)
        self.patches = Patches()
        self.flow = Flow(self)
        self.steps = 0
        self.full = self.resting = False
        self.ended, self.status = "normally", 0
        self.limits: list[str] = []
        self.hooks: list[Any] = []
        self.started = time.process_time()
        self.deep_copies: list[tuple[Site, Any, Any, set[int]]] = []
        self.flush: Callable[[], None] | None = None
        self._inside = False

    # --- on and off ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to record this process, this thread in full."""
        dispatched = DISPATCH.install()
        if not dispatched:
            self.limits.append(
                "this torch lacks the dispatch keys that copies are seen by: copies and writes are not shown"
            )
        self.dispatched = dispatched
        DISPATCH.on_copy, DISPATCH.on_write = self._copied, self._wrote
        DISPATCH.before_write = self._before_write
        self.memory.flush = self._flush
        self._patch()
        self.hooks = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
            torch.nn.modules.module.register_module_forward_hook(self._forwarded),
        ]
        self._go_full()
        if dispatched:
            threading.setprofile(self._in_new_thread)

    def stop(self) -> Capture:
        """End the recording and give what was recorded."""
        threading.setprofile(None)
        hooks, self.hooks = self.hooks, []
        self._go_light()
        if self.dispatched:
            DISPATCH.copying(False)
        DISPATCH.on_copy = DISPATCH.on_write = DISPATCH.before_write = None
        for hook in hooks:
            hook.remove()
        self.patches.undo()
        for judge in (self.memory, self.gradients, self.copies, self.conversions):
            judge.finish()
        return self.capture()

    def capture(self) -> Capture:
        """What has been recorded so far, as a plain value."""
        findings, copies = self.findings.all(), self.copies.lines()
        return Capture(
            command=self.command,
            steps=self.steps,
            pid=os.getpid(),
            ended=self.ended,
            findings=findings,
            copies=copies,
            limits=tuple(self.limits),
            releases={"torch": torch.__version__, "numpy": np.__version__},
            timeline=self.copies.timeline(),
            sources=sources_of(findings, copies),
        )

    def _flush(self) -> None:
        if self.flush is not None:
            self.flush()

    def _go_full(self) -> None:
        self.full = True
        if self.dispatched:
            DISPATCH.copying(True)
            DISPATCH.writing(True)
        torch._C._push_on_torch_function_stack(self.flow)
        torch._C._autograd._push_saved_tensors_default_hooks(self.saving.pack, self.saving.unpack)
        self.returns.start()

    def _go_light(self) -> None:
        """Stop following writes, saved tensors and gradients, unless the program's own modes lie on top."""
        if not self.full:
            return
        depth = torch._C._len_torch_function_stack()
        if depth == 0 or torch._C._get_function_stack_at(depth - 1) is not self.flow:
            return
        torch._C._pop_torch_function_stack()
        torch._C._autograd._pop_saved_tensors_default_hooks()
        if self.dispatched:
            DISPATCH.writing(False)
        self.returns.stop()
        self.full = False
        if self.hooks:
            self.limits.append(
                f"from optimizer step {self.steps} on, only copies were counted, in one step of {_SAMPLED}"
            )

    @staticmethod
    def _in_new_thread(*_: Any) -> None:
        import sys

        DISPATCH.resume()
        sys.setprofile(None)

    # --- what the dispatcher sees -------------------------------------------------------------------------------------

    def _copied(self, name: str, args: tuple[Any, ...], result: Any, nanoseconds: int) -> None:
        if type(result) not in PLAIN or (self._inside and self.copies.phase != "optimizer"):
            return
        with _Quiet(self):
            node: Any = torch._C._current_autograd_node()
            site = user_site(2)
            if node is not None and (forward := self._forward_site(node)) is not None:
                site = forward
            tally = self.copies.heard(name, args, result, nanoseconds, site, node)
            if self.full and node is None and site is not NOWHERE and self.copies.phase != "optimizer":
                self.copies.judge(name, args, result, tally, site)

    def _forward_site(self, node: Any) -> Site | None:
        """The line of the forward pass whose gradient is being computed."""
        number = node._sequence_nr()
        found = None
        for at, site in self.saving.lines:
            if at > number:
                break
            found = site
        return found

    def _before_write(self, tensor: Any) -> None:
        if isinstance(tensor, torch.Tensor) and not self._inside:
            with _Quiet(self):
                self.memory.before_write(tensor)

    def _wrote(self, tensor: Any, sequence: int) -> None:
        if not isinstance(tensor, torch.Tensor) or self._inside:
            return
        with _Quiet(self):
            site = user_site(2)
            self.saving.wrote(tensor, sequence, site)
            self.copies.wrote(tensor)
            if type(tensor) in PLAIN:
                self.memory.wrote(tensor, site)

    # --- what Python's interface sees ---------------------------------------------------------------------------------

    def called(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one call of torch's interface."""
        name = _name_of(func)
        if self._inside or name in _READERS:
            return func(*args, **kwargs)
        if name == "backward":
            return self._backward(func, args, kwargs)
        if name == "__setitem__" and len(args) == 3:
            with _Quiet(self):
                self.memory.assigned(*args, user_site(2))
        moved = address_of(args[0]) if name == "share_memory_" else 0
        result = func(*args, **kwargs)
        with _Quiet(self):
            self._seen(name, args, result, user_site(2))
            if moved:
                self._moved(args[0], moved, user_site(2))
        return result

    def _seen(self, name: str, args: tuple[Any, ...], result: Any, site: Site) -> None:
        source = args[0] if args else None
        if name == "grad" and isinstance(source, torch.Tensor):
            self.gradients.grad_read(source, site)
            return
        if name == "requires_grad" and isinstance(source, torch.Tensor):
            self.gradients.asked(source, site)
            return
        self._read(name, args, site)
        self.gradients.operated(name, args, result, site)
        if not isinstance(source, torch.Tensor):
            return
        if name == "clone" and type(source) not in PLAIN:
            self.conversions.cloned(source, result, site)
        if type(result) in PLAIN and type(source) in PLAIN and result is not source:
            self._related(name, args, source, result, site)
        elif type(result) is tuple and result and type(result[0]) in PLAIN and name in ("split", "chunk", "unbind"):
            for part in result[:64]:
                self._related(name, args, source, part, site)

    def _read(self, name: str, args: tuple[Any, ...], site: Site) -> None:
        tensors = [a for a in args if type(a) in PLAIN]
        in_place = name.endswith("_") and not name.endswith("__")
        for i, tensor in enumerate(tensors):
            self.memory.read(tensor, site)
            if self.memory.temporaries and not (in_place and i == 0):
                self.memory.used(tensor)
            if self.conversions.copied_tensors and name not in _NOT_USES:
                self.conversions.used(tensor)
        if len(tensors) == 2:
            if name in _DIFFERENCES:
                self.memory.compared(tensors[0], tensors[1], site)
            if name in _COMPUTE or name.endswith("_loss"):
                self._promoted(name, args, tensors)

    def _promoted(self, name: str, args: tuple[Any, ...], tensors: list[Any]) -> None:
        if tensors[0].dtype is not tensors[1].dtype:
            site = user_site(4)
            result = torch.result_type(*tensors)
            if result is torch.float64:
                self.conversions.promoted(name, args, tensors[0].new_empty(0, dtype=result), site)

    def _related(self, name: str, args: tuple[Any, ...], source: Any, result: Any, site: Site) -> None:
        """*result* came out of *source*: over the same memory, or as a copy where a view was meant."""
        start = address_of(result)
        if start == 0:
            return
        if start == address_of(source):
            self.memory.made(result, name, source, site)
        elif name in MAY_COPY and self.full:
            self.memory.temporary(result, f"{name}()" if name != "__getitem__" else "an index of positions", site)

    def _moved(self, tensor: Any, old: int, site: Site) -> None:
        """The tensor now lies elsewhere: arrays over its old memory look at what is freed."""
        block = self.memory.blocks.get(old)
        if block is None or address_of(tensor) == old:
            return
        for birth in block.arrays:
            if birth.target() is not None:
                self.findings.add(
                    "view-of-moved-memory",
                    birth.site,
                    "this array shares the tensor's memory, which share_memory_() later moves elsewhere: the array no "
                    "longer follows the tensor, and looks at freed memory; take it afterwards, or copy it",
                    ((site, "the tensor moves to other memory here"),),
                )

    def _backward(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(args[0], torch.Tensor):
            with _Quiet(self):
                self.gradients.back_propagating(args[0], user_site(3))
        try:
            return func(*args, **kwargs)
        finally:
            self.gradients.back_propagated()
            self.saving.lines.clear()

    # --- training -----------------------------------------------------------------------------------------------------

    def _before_step(self, optimizer: Any, *_: Any) -> None:
        # Optimizers copy hundreds of single numbers, in each step the same: the first steps tell which.
        if self.dispatched and self.full and self.steps < self.full_steps:
            DISPATCH.writing(False)
        else:
            DISPATCH.pause()
        self._inside, self.copies.phase = True, "optimizer"
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self.gradients.stepped(parameters)
        self._stranded(optimizer, parameters)

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        self._inside, self.copies.phase = False, "forward"
        self.steps += 1
        self.copies.recorder.step()
        DISPATCH.sequence += 1
        if self.full:
            site = user_site(2)
            for parameter in (p for group in optimizer.param_groups for p in group["params"]):
                if type(parameter) in PLAIN:
                    self.memory.wrote(parameter, site)
                    self.saving.wrote(parameter, DISPATCH.sequence, site)
        if self.dispatched and self.full and self.steps <= self.full_steps:
            DISPATCH.writing(True)
        elif self.dispatched:
            DISPATCH.resume()
        if self.full and self.steps >= self.full_steps and time.process_time() - self.started > _FULL_SECONDS:
            self._go_light()
        if not self.full:
            self._rest(self.steps % _SAMPLED != 0)

    def _rest(self, resting: bool) -> None:
        """Look at nothing until the step that is sampled next, or look again."""
        if self.dispatched and resting is not self.resting:
            DISPATCH.copying(not resting)
        self.resting = resting

    def _stranded(self, optimizer: Any, parameters: list[Any]) -> None:
        """A deep-copied optimizer steps parameters that belong to no module and never have a gradient."""
        copied = next((site for site, made, _, _ in self.deep_copies if made() is optimizer), None)
        if copied is None or any(p.grad is not None for p in parameters):
            return
        self.findings.add(
            "separate-deep-copies",
            copied,
            "the copied optimizer refers to copies of the parameters of its own, not to those of the copied model: its "
            "steps change nothing that the model uses; copy both in one call, deepcopy((model, optimizer))",
            ((user_site(3), "it steps here, and no parameter has a gradient"),),
        )

    def _forwarded(self, module: Any, _: Any, output: Any) -> None:
        """A module has been called; only the outermost of the program's own is looked at."""
        if not self.full or self._inside or is_library(type(module).forward.__code__.co_filename):
            return
        with _Quiet(self):
            self.gradients.module_returned(module, output, user_site(2))

    # --- the border ---------------------------------------------------------------------------------------------------

    def _patch(self) -> None:
        wrap = self.patches.wrap
        for name in ("tensor", "as_tensor", "from_numpy", "asarray"):
            wrap(torch, name, lambda original, name=name: self._converter(name, original))  # type: ignore[misc]
        wrap(torch.Tensor, "numpy", self._exporter)
        wrap(torch.Tensor, "tolist", self._lister)
        wrap(torch.utils.data.dataloader._BaseDataLoaderIter, "__next__", self._loader)
        wrap(torch.Tensor, "__new__", self._constructor)
        wrap(torch.nn.Module, "state_dict", self._state_dict)
        wrap(torch.nn.Module, "load_state_dict", self._load_state_dict)
        wrap(copy, "deepcopy", self._deep_copy)
        wrap(copy, "copy", self._shallow_copy)
        wrap(torch, "save", self._save)
        wrap(torch.Tensor, "__setattr__", self._set_attribute)
        wrap(warnings, "showwarning", _at_the_users_line)
        wrap(torch._C._autograd, "_saved_tensors_hooks_disable", lambda original: self._aside(original, leaving=True))
        wrap(torch._C._autograd, "_saved_tensors_hooks_enable", lambda original: self._aside(original, leaving=False))

    def _converter(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def convert(*args: Any, **kwargs: Any) -> Any:
            if self.resting:
                return original(*args, **kwargs)
            data = args[0] if args else kwargs.get("data", kwargs.get("obj"))
            site = user_site(2)
            if not self._inside:
                with _Quiet(self):
                    self.conversions.converting(
                        name, data, kwargs.get("dtype", args[1] if len(args) > 1 else None), site
                    )
            result = original(*args, **kwargs)
            if self._inside or type(result) not in PLAIN:
                return result
            with _Quiet(self):
                self.conversions.converted(name, data, result, site, self.full and _in_forward())
                if type(data) in PLAIN and name != "tensor" and address_of(data) == address_of(result) != 0:
                    self.memory.made(result, name, data, site)
                if isinstance(data, np.ndarray):
                    if address_of(result) and _within(address_of(result), data):
                        self.memory.shared(result, data, name, site)
                        self.gradients.came_back(result)
                    else:
                        self.copies.copied(f"torch.{name}", result.nbytes, 0, site, "data", "NumPy to torch")
                        self.gradients.came_back(result)
                elif type(data) in (list, tuple):
                    self.copies.copied(f"torch.{name}", result.nbytes, 0, site, "data", "list to tensor")
            return result

        return convert

    def _constructor(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def construct(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if cls is torch.Tensor and not self._inside:
                with _Quiet(self):
                    self.conversions.constructed(args, user_site(2))
            result = original(cls, *args, **kwargs)
            if cls is torch.Tensor and args and type(args[0]) in (list, tuple) and not self._inside:
                with _Quiet(self):
                    self.gradients.operated("Tensor", args, result, user_site(2))
            return result

        return construct

    def _exporter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def numpy(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            array = original(tensor, *args, **kwargs)
            if (
                not self.resting
                and not self._inside
                and type(tensor) in PLAIN
                and isinstance(array, np.ndarray)
                and array.nbytes
            ):
                with _Quiet(self):
                    if _within(address_of(tensor), array) or array.__array_interface__["data"][0] >= address_of(tensor):
                        self.memory.shared(tensor, array, "numpy", user_site(2))
            return array

        return numpy

    def _lister(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def tolist(tensor: Any) -> Any:
            if not self.resting and not self._inside and type(tensor) in PLAIN:
                with _Quiet(self):
                    self.copies.copied("tolist", tensor.nbytes, 0, user_site(2), "data", "tensor to list")
            return original(tensor)

        return tolist

    def _loader(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What is copied while a loader makes its next batch belongs to the data."""

        def load(iterator: Any) -> Any:
            before, self.copies.phase = self.copies.phase, "data"
            try:
                return original(iterator)
            finally:
                self.copies.phase = before

        return load

    def _state_dict(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(module, *args, **kwargs)
            if not self._inside and not args and "destination" not in kwargs and "prefix" not in kwargs:
                site = user_site(2)
                for value in list(found.values())[:512]:
                    if type(value) in PLAIN:
                        self.memory.made(value, "state_dict", None, site)
            return found

        return state_dict

    def _load_state_dict(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
            site = user_site(2)
            with _Quiet(self), suppress(AttributeError, TypeError):
                self._check_restored(module, state, site)
            before, self._inside = self._inside, True
            try:
                result = original(module, state, *args, **kwargs)
            finally:
                self._inside = before
            with _Quiet(self), suppress(AttributeError, TypeError):
                self._restored(module, state, site)
            return result

        return load_state_dict

    def _restored(self, module: Any, state: Any, site: Site) -> None:
        """Loading has written the parameters, unless it read them from themselves."""
        given = {address_of(value) for value in state.values()}
        for parameter in (*module.parameters(), *module.buffers()):
            if type(parameter) in PLAIN and address_of(parameter) not in given:
                self.memory.wrote(parameter, site)

    def _check_restored(self, module: Any, state: Any, site: Site) -> None:
        own = {address_of(p) for p in (*module.parameters(), *module.buffers())} - {0}
        for value in state.values():
            birth = self.memory.births.get(id(value))
            write = self.memory.writes.get(address_of(value)) if birth is not None else None
            live = birth is not None and birth.how == "state_dict" and birth.address in own
            if birth is None or not live or write is None or write[0] <= birth.sequence or birth.site is site:
                continue
            self.findings.add(
                "restored-from-itself",
                birth.site,
                "state_dict() refers to the live parameters: they have changed since, and restoring from it restores "
                "nothing; keep copy.deepcopy(model.state_dict())",
                ((write[1], "the parameters change here"), (site, "and are restored from themselves here")),
            )
            self.findings.discard("changing-snapshot", birth.site)
            return

    def _deep_copy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def deepcopy(x: Any, memo: Any = None, *args: Any) -> Any:
            result = original(x, memo, *args)
            if memo is None and isinstance(x, (torch.nn.Module, torch.optim.Optimizer)):
                with _Quiet(self):
                    self._check_tied(x, result, user_site(2))
            return result

        return deepcopy

    def _check_tied(self, x: Any, result: Any, site: Site) -> None:
        own = {id(p) for p in x.parameters()} if isinstance(x, torch.nn.Module) else set()
        for earlier, made, source, parameters in self.deep_copies:
            if own & parameters and made() is not None and source() not in (None, x):
                self.findings.add(
                    "separate-deep-copies",
                    earlier,
                    "two modules that share a parameter are deep-copied one by one: their copies hold two parameters "
                    "that no longer follow each other; copy both in one call, deepcopy((a, b))",
                    ((site, "the other one is copied here"),),
                )
        self.deep_copies.append((site, weakref.ref(result), weakref.ref(x), own))

    def _shallow_copy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def shallow(x: Any) -> Any:
            result = original(x)
            if type(x) in PLAIN and type(result) in PLAIN and address_of(x) == address_of(result) != 0:
                self.memory.made(result, "copy.copy", x, user_site(2))
            return result

        return shallow

    def _save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(obj: Any, *args: Any, **kwargs: Any) -> Any:
            with _Quiet(self):
                self._check_saved(obj, user_site(2))
            return original(obj, *args, **kwargs)

        return save

    def _check_saved(self, obj: Any, site: Site) -> None:
        values = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else (obj,)
        used: dict[int, list[int]] = {}
        for value in values:
            if type(value) in PLAIN and address_of(value):
                record = used.setdefault(address_of(value), [value.untyped_storage().nbytes(), 0])
                record[1] += value.nbytes
        whole, part = sum(w for w, _ in used.values()), sum(p for _, p in used.values())
        if whole > 8 * part and whole - part > 65_536:
            self.findings.add(
                "kept-storage",
                site,
                f"saves {whole:,} bytes for {part:,} bytes of data: a view is saved with the whole storage behind it; "
                f"save a clone()",
            )

    def _set_attribute(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def set_attribute(tensor: Any, name: str, value: Any) -> None:
            original(tensor, name, value)
            self.conversions.attribute_set(name, user_site(2))

        return set_attribute

    def _aside(self, original: Callable[..., Any], *, leaving: bool) -> Callable[..., Any]:
        """torch.func refuses saved-tensor hooks: take ours off while it runs."""

        def switch(*args: Any) -> Any:
            hooks = torch._C._autograd
            if leaving and self.full and hooks._top_saved_tensors_default_hooks(True) is not None:
                hooks._pop_saved_tensors_default_hooks()
                self._put_aside = True
            result = original(*args)
            if not leaving and getattr(self, "_put_aside", False):
                self._put_aside = False
                hooks._push_saved_tensors_default_hooks(self.saving.pack, self.saving.unpack)
            return result

        return switch


def _at_the_users_line(original: Callable[..., Any]) -> Callable[..., Any]:
    """torch warns at the Python line that called it, which is this file while a session looks: name the program's."""

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        site = user_site(2) if is_library(filename) and filename.startswith(_HERE) else NOWHERE
        if site is not NOWHERE:
            filename, lineno, line = site.file, site.line, None
        original(message, category, filename, lineno, file, line)

    return show


class _Quiet:
    """While the session looks, nothing that it does itself is recorded; and what goes wrong in it stays in it."""

    __slots__ = ("before", "session")

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> None:
        self.before = self.session._inside
        self.session._inside = True

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.session._inside = self.before
        if kind is not None and issubclass(kind, Exception):
            note = f"the tracer failed at one place and went on: {kind.__name__}: {str(error)[:200]}"
            if note not in self.session.limits and len(self.session.limits) < 20:
                self.session.limits.append(note)
            return True
        return False


def _name_of(func: Any) -> str:
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return getattr(getattr(func, "__self__", None), "__name__", name)
    return str(name)


def _in_forward() -> bool:
    frame = user_frame(3)
    return frame is not None and frame.f_code.co_name == "forward"


def _within(address: int, array: Any) -> bool:
    """Whether an address lies in the memory of an array or of what it is a view of."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    start = base.__array_interface__["data"][0]
    return bool(start <= address < start + max(base.nbytes, 1))

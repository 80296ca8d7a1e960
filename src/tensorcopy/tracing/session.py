"""The recording of one process: switches the hooks on and off, and hands what they see to those who judge it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from ..errors import TensorcopyError
from .attention import Attention
from .captures.capture import Capture
from .captures.renaming import as_called
from .hooks.border import Border
from .hooks.calls import Calls
from .hooks.checkpoints import Checkpoints
from .hooks.compiling import Compiling
from .hooks.dispatching import DISPATCH, OnCopy, OnWrite
from .hooks.every_operation import COST
from .hooks.saving import Saving
from .hooks.threads import Threads
from .judging.conversions import Conversions
from .judging.copies import Copies, bytes_of
from .judging.gradients import Gradients
from .judging.memory import Memory
from .judging.returns import Returns
from .judging.sparing import Sparing
from .judging.tensors import PLAIN, address_of
from .patches import Patches
from .processes.ranks import rank, role
from .reports import Findings, sources_of
from .sites import NOWHERE, Site, user_site

# A program that is over within this time is followed in full, however many steps it makes.
_FULL_SECONDS = 5.0
# After that, one step in so many is looked at, for its copies alone.
_SAMPLED = 10


class Session:
    """Traces this process between `start` and `stop`.

    steps: optimizer steps that are followed in full (writes, saved tensors, gradients); after them only copies and
        conversions are, which costs little.
    strict: arrays that share memory with a tensor shall be read-only.
    child: whether this process was started by one that is recorded, which is handed the capture.
    """

    def __init__(
        self, *, steps: int = 3, command: tuple[str, ...] = (), strict: bool = False, child: bool = False
    ) -> None:
        self.command, self.full_steps, self.strict, self.child = command, steps, strict, child
        self.limits: list[str] = []
        self.attention = Attention(self.limits)
        self.findings = Findings()
        self.memory = Memory(self.findings)
        self.gradients = Gradients(self.findings)
        self.copies = Copies(self.findings)
        self.sparing = Sparing(self.findings)
        self.conversions = Conversions(self.findings)
        self.saving = Saving(self.findings, lambda: DISPATCH.sequence, self.memory.outside)
        self.checkpoints = Checkpoints(self)
        self.returns = Returns(self.findings, self.attention, self._tensor_returned, self.memory)
        self.calls = Calls(self)
        self.patches = Patches()
        self.threads = Threads(self.limits)
        self.compiling = Compiling(self)
        self.steps = self.batches = 0
        self.full = self.resting = False
        self.ended, self.status, self.interrupted = "normally", 0, False
        self.hooks: list[Any] = []
        self.started = time.process_time()
        # If the program is a script: how it was called on the command line, and its whole path.
        self.script = self.whole_script = ""
        self.flush: Callable[[], None] | None = None
        # What the whole recording gave, other processes included, once it is over.
        self.result: Capture | None = None
        # The file that it is in, if any, and why that isn't the one that was asked for.
        self.output: Path | None = None
        self.unwritten: TensorcopyError | None = None
        # Told now and then what has been recorded so far.
        self.progress: Callable[[Capture], None] | None = None

    # --- on and off ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to record this process, this thread in full."""
        DISPATCH.install()
        if DISPATCH.mode is not None:
            self.limits.append(COST)
        DISPATCH.on_copy, DISPATCH.on_write = self._listeners()
        self.memory.flush, self.memory.guard = self._flush, self._guard
        Border(self).wrap(self.patches)
        self.calls.wrap(self.patches)
        self.checkpoints.wrap(self.patches)
        self.saving.wrap(self.patches)
        self.compiling.start()
        self.hooks = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ]
        self.copies.recorder.begin()
        self.findings.started = time.perf_counter()
        self._go_full()
        self.threads.start()

    def stop(self) -> Capture:
        """End the recording and give what was recorded."""
        self.leave()
        # Modes of the program that are still open are not to be asked about its tensors.
        with torch._C.DisableTorchFunction():
            for judge in (self.memory, self.gradients, self.sparing, self.copies, self.conversions):
                judge.finish()
        return self.capture()

    def leave(self) -> None:
        """See no more, and judge nothing."""
        self.threads.stop()
        hooks, self.hooks = self.hooks, []
        self.calls.surface()
        self.saving.surface()
        self._go_light()
        DISPATCH.copying(False)
        DISPATCH.on_copy = DISPATCH.on_write = DISPATCH.before_write = None
        for hook in hooks:
            hook.remove()
        self.compiling.stop()
        self.patches.undo()

    def capture(self) -> Capture:
        """What has been recorded so far, as a plain value."""
        found = self._seen()
        whole = replace(found, timeline=self.copies.timeline(), sources=sources_of(found.findings, found.copies))
        return as_called(whole, self.script, self.whole_script)

    def so_far(self) -> Capture:
        """The same without the timeline and the text of the program, which take their time."""
        return as_called(self._seen(), self.script, self.whole_script)

    def _seen(self) -> Capture:
        return Capture(
            command=self.command,
            steps=self.steps,
            pid=os.getpid(),
            rank=rank(),
            role=role(child=self.child),
            ended=self.ended,
            findings=self.findings.all(),
            copies=self.copies.lines(),
            limits=tuple(self.limits),
            releases={"torch": torch.__version__, "numpy": np.__version__},
        )

    def _flush(self) -> None:
        if self.flush is not None:
            self.flush()

    def _go_full(self) -> None:
        self.full = True
        DISPATCH.copying(True)
        DISPATCH.writing(True)
        self.calls.begin()
        self.saving.push()
        self.returns.start()

    def _go_light(self) -> None:
        """Stop following writes, saved tensors and gradients, unless the program's own modes lie on top."""
        if not self.full or not self.calls.end():
            return
        self.saving.pop()
        DISPATCH.writing(False)
        self.returns.stop()
        self.sparing.stop()
        self.memory.outside.stop()
        self.full = False
        if self.hooks:
            turn = f"batch {self.batches}" if self.batches else f"optimizer step {self.steps}"
            self.limits.append(f"from {turn} on, only copies were counted, in one {turn.split()[-2]} of {_SAMPLED}")

    # --- what the dispatcher and the interpreter tell -----------------------------------------------------------------

    def _listeners(self) -> tuple[OnCopy, OnWrite]:
        """Who is told of copies and writes: in C, where that was built, who tells `_copied` and `_wrote` of a few."""
        try:
            from ._gate import Gate
        except ImportError:  # built without a compiler
            return self._copied, self._wrote
        gate = Gate(
            session=self,
            attention=self.attention,
            plain=PLAIN,
            strided=torch.strided,
            current_node=torch._C._current_autograd_node,
            user_site=user_site,
            copies=self.copies,
            record=self.copies.recorder.copied,
            memory=self.memory,
            saved=self.saving.alive,
            pending=self.copies.pending,
            living=self.sparing.living,
            blocks=self.memory.blocks,
        )
        return gate.copied, gate.wrote

    def _copied(self, name: str, args: tuple[Any, ...], result: Any, nanoseconds: int) -> None:
        if type(result) not in PLAIN or self.attention.away or self.resting:
            return
        try:
            node: Any = torch._C._current_autograd_node()
            site = user_site() if node is None else self._site_of(node)
            if result.layout is not torch.strided:
                self.copies.copied(name.lstrip("_"), bytes_of(result), site, "forward", "sparse")
                return
            tally = self.copies.heard(name, args, result, nanoseconds, site, node)
            if self.full and node is None and site is not NOWHERE and self.copies.phase != "optimizer":
                self.copies.judge(name, args, result, tally, site)
                if name in ("stack", "cat") and args:
                    with self.attention:
                        self.memory.joined(args[0], site)
                if name == "_to_copy":
                    with self.attention:
                        self.conversions.cast(args[0], result, site)
                self.sparing.copied(name, args, result, tally, site)
                if not tally.count & 255:
                    self.returns.again()
        except Exception as error:
            self.attention.failed(error)

    def _site_of(self, node: Any) -> Site:
        """The line of the forward pass that a node of the graph goes back to, or else the line that goes back."""
        if get_ident() != DISPATCH.thread and (here := user_site()) is not NOWHERE:
            return here  # Threads number their nodes each for itself, and the lines are those of another one.
        return self.saving.line_of(node) or user_site()

    def _guard(self) -> None:
        """There is read-only memory that torch could write: look at each write before it is done."""
        DISPATCH.before_write = self._before_write

    def _before_write(self, tensor: Any) -> None:
        if isinstance(tensor, torch.Tensor) and not self.attention.away:
            with self.attention:
                self.memory.before_write(tensor)

    def _wrote(self, tensor: Any, sequence: int) -> None:
        if self.attention.away or not isinstance(tensor, torch.Tensor):
            return
        try:
            self._written(tensor, sequence)
        except Exception as error:
            self.attention.failed(error)

    def _written(self, tensor: Any, sequence: int) -> None:
        """Called for each write, of which nearly all are of memory that nobody waits for."""
        start = address_of(tensor)
        if start in self.saving.alive:
            self.saving.wrote(tensor, start, sequence)
        if start in self.copies.pending:
            self.copies.wrote(start)
        if start in self.sparing.living:
            self.sparing.wrote(start)
        if type(tensor) in PLAIN:
            self.memory.wrote(tensor, start)

    def _tensor_returned(self, frame: FrameType, tensor: Any) -> None:
        if frame.f_code.co_name == "forward" and not tensor.requires_grad:
            module = frame.f_locals.get("self")
            if isinstance(module, torch.nn.Module):
                self.gradients.module_returned(module, tensor)

    # --- training -----------------------------------------------------------------------------------------------------

    def _before_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        # What is looked at here, and what the optimizer does, is not to be heard as calls of the program.
        heard = self.full and self.calls.end()
        if self.full:
            parameters = _parameters(optimizer)
            self.gradients.stepped(optimizer, parameters)
            self.checkpoints.stepping(optimizer, parameters)
        else:
            self.gradients.stepped_unfollowed()
        # The optimizer itself is the first argument.
        if (args[1] if len(args) > 1 else kwargs.get("closure")) is not None:
            if heard:
                self.calls.begin()
            return  # Forward and backward run in the closure, within the step.
        self.copies.phase = "optimizer"
        # Optimizers copy hundreds of single numbers, in each step the same: the first steps tell which.
        DISPATCH.pause(copies=not self.full or self.steps >= self.full_steps)

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        self.copies.phase = "forward"
        self.steps += 1
        self.copies.recorder.step()
        DISPATCH.sequence += 1
        if self.full:
            self._stepped(optimizer)
            self.returns.again()
            self.calls.begin()
        DISPATCH.resume()
        self._turn()

    def batch_loaded(self) -> None:
        """A worker of a loader has made a batch, which is to it what a step is to training."""
        self.batches += 1
        self._turn()

    def _turn(self) -> None:
        """After each step: whether to follow the next one in full, in part or not at all."""
        turns = self.steps + self.batches
        if self.full and turns >= self.full_steps and time.process_time() - self.started > _FULL_SECONDS:
            self._go_light()
        if not self.full:
            self._rest(turns % _SAMPLED != 0)

    def lighten(self) -> None:
        """Begin where the recording of the process that started this one is: no longer in full."""
        self._go_light()

    def _stepped(self, optimizer: Any) -> None:
        """A step has written all its parameters."""
        for parameter in _parameters(optimizer):
            self._written(parameter, DISPATCH.sequence)

    def _rest(self, resting: bool) -> None:
        """Look at nothing until the step that is sampled next, or look again."""
        if resting is not self.resting:
            DISPATCH.copying(not resting)
        self.resting = resting


def _parameters(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]

"""Keep the variables of a traced function until its recording has ended: what dies with them is judged as alive."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from .patches import Patches


class Holding:
    """Holds the frame of a function from the first backward pass in it, or step of an optimizer, to `release`.

    A frame that is held keeps its variables when the function returns: the model of a test, say, whose parameters never
    got a gradient. Nothing else runs between that return and the end of the recording.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._code: CodeType | None = getattr(inspect.unwrap(function), "__code__", None)
        self._frame: FrameType | None = None
        self._patches = Patches()
        # Hooks of modules would be compiled along with them.
        self._patches.wrap(torch.autograd, "backward", self._looking)
        self._hook = register_optimizer_step_pre_hook(lambda *_: self._look())

    def _looking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(*args: Any, **kwargs: Any) -> Any:
            self._look()
            return original(*args, **kwargs)

        return backward

    def _look(self) -> None:
        frame: FrameType | None = sys._getframe(1) if self._frame is None else None
        while frame is not None and frame.f_code is not self._code:
            frame = frame.f_back
        self._frame = self._frame or frame

    def release(self) -> None:
        """Let go."""
        self._patches.undo()
        self._hook.remove()
        self._frame = None

"""Keep the variables of a traced function until its recording has ended: what dies with them is judged as alive."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook


class Holding:
    """Holds the frame of a function from the first module that is called in it, or step of an optimizer, to `release`.

    A frame that is held keeps its variables when the function returns: the model of a test, say, whose parameters never
    got a gradient. Nothing else runs between that return and the end of the recording.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._code: CodeType | None = getattr(inspect.unwrap(function), "__code__", None)
        self._frame: FrameType | None = None
        self._hooks = [
            torch.nn.modules.module.register_module_forward_pre_hook(self._seen),
            register_optimizer_step_pre_hook(self._seen),
        ]

    def _seen(self, *_: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not self._code:
            frame = frame.f_back
        if frame is not None:
            self._frame = frame
            self._unhook()

    def _unhook(self) -> None:
        while self._hooks:
            self._hooks.pop().remove()

    def release(self) -> None:
        """Let go."""
        self._unhook()
        self._frame = None

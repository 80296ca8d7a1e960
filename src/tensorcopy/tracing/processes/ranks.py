"""Which process this is: the main one, a rank of a distributed run, or a worker of a loader or pool."""

from __future__ import annotations

import multiprocessing
import os
import sys
from typing import Any


def ranks() -> int:
    """How many processes the distributed run has that this one belongs to, by what its launcher says; 1 without one."""
    return _number("WORLD_SIZE", 1)


def rank() -> int:
    """The number of this process in its distributed run; 0 without one."""
    if ranks() > 1:
        return _number("RANK", 0)
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    return _NOTED.get(os.getpid(), 0)


def note_rank() -> None:
    """Remember the rank of this process beyond its process group."""
    _NOTED[os.getpid()] = rank()


def role(*, child: bool) -> str:
    """What this process is called: ``main``, ``rank 1``, ``worker 0``, ``worker ForkPoolWorker-1``.

    child: whether it was started by a process that is recorded.
    """
    if not child:
        return f"rank {rank()}" if ranks() > 1 else "main"
    worker: Any = sys.modules["torch.utils.data"].get_worker_info() if "torch.utils.data" in sys.modules else None
    if worker is not None:
        return f"worker {worker.id}"
    if os.getpid() in _NOTED:
        return f"rank {rank()}"
    process = multiprocessing.current_process()
    return "worker of os.fork" if multiprocessing.parent_process() is None else f"worker {process.name}"


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else otherwise


_NOTED: dict[int, int] = {}

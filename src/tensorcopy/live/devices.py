"""Devices by the names that torch gives them."""

from __future__ import annotations

from typing import Any

from ..errors import WrongDeviceError
from .libraries import load


def device_of(device: Any) -> Any:
    """The ``torch.device`` that *device* names; `WrongDeviceError` where torch knows none or this machine has none."""
    torch = load("torch")
    try:
        found = torch.device(device)
        if found.type not in ("cpu", "meta"):
            torch.empty(0, device=found)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise WrongDeviceError(
            f"device {device!r} is not to be had",
            why=str(error).splitlines()[0],
            fix="pass device='cpu', or one that torch reports on this machine",
        ) from error
    return found

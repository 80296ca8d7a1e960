"""See every warning, also those that torch gives only once in a process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .libraries import load


@contextmanager
def all_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings inside the block are neither shown nor errors, but gathered, each time they are given. Loads torch."""
    torch = load("torch")
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as gathered:
            warnings.simplefilter("always")
            yield gathered
    finally:
        torch.set_warn_always(always)

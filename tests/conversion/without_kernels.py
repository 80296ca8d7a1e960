"""The package as it is where its extension for casts was not built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tensorcopy.conversion import filling, kernels


@contextmanager
def without_kernels() -> Iterator[None]:
    """Take the extension away for a while, and what was concluded from its being there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_native", None)
        patch.setattr(kernels, "_codes", {})
        _forget()
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    filling._for_kernels.cache_clear()
    kernels._carriers_of.cache_clear()

"""Bytes of large tensors as they are, one or many at once, by the loops and threads of the C extension.

They ask for missing pages in one call where the system has one, hand each huge page to one thread only, and fetch ahead
what they read and write. Torch's loops, which do none of it, take 1.1 to 1.5 times as long into fresh memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from ..live import tensors
from ..live.libraries import load
from . import kernels

LARGE = 1 << 22
"""Bytes in all from which asking around, and perhaps waiting for a second thread, pays."""

_nbytes_of, _is_on_cpu = attrgetter("nbytes"), attrgetter("is_cpu")


def moved(results: Sequence[Any], sources: Sequence[Any]) -> bool:
    """Write each source into the result beside it; False if nothing was done, and the calls of torch have to do it.

    Sources have the dtype and shape of their results, and no graph that matters. The results are fresh: nobody has
    looked at them, so that nobody has to be told of a change.
    """
    sizes = list(map(_nbytes_of, results))
    if sum(sizes) < LARGE or not kernels.moves() or tensors.is_without_memory() or tensors.may_have_tangents():
        return False
    if not _are_plain_runs(results) or not _are_plain_runs(sources) or list(map(_nbytes_of, sources)) != sizes:
        return False
    try:
        read, written = (list(map(load("torch").Tensor.data_ptr, found)) for found in (sources, results))
    except RuntimeError:  # a stand-in of a function transform
        return False
    if not tensors.are_addresses(sources, read) or not tensors.are_addresses(results, written):
        return False
    kernels.move(read, written, sizes)
    return True


def write_all(results: Sequence[Any], sources: Sequence[Any]) -> None:
    """Write each source into the fresh result beside it, as `moved` does it or with torch's calls."""
    if not moved(results, sources):
        copy_all(load("torch"), list(results), list(sources))


def copy_all(torch: Any, places: list[Any], sources: list[Any]) -> None:
    """Write each source into its place by torch, with one call where this torch has one."""
    together = getattr(torch, "_foreach_copy_", None)
    if together is not None and places:
        together(places, sources)
        return
    for place, source in zip(places, sources, strict=True):
        place.copy_(source)


def _are_plain_runs(found: Sequence[Any]) -> bool:
    """Whether each lies in CPU memory without gaps, in row-major order, and its bits are its values."""
    torch = load("torch")
    tensor = torch.Tensor
    if not set(map(type, found)) <= {tensor, torch.nn.Parameter} or not all(map(_is_on_cpu, found)):
        return False
    if not all(map(tensor.is_contiguous, found)):
        return False
    return not any(map(tensor.is_neg, found)) and not any(map(tensor.is_conj, found))

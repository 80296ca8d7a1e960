"""`protect`: notice every write to memory that should stay as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..errors import AliasWriteError, UnsupportedSourceError
from ..live.aliases import arrays_over, with_bases
from ..live.graph import version_of
from ..live.libraries import is_ndarray
from ..live.locking import Lock
from ..live.memory import Region
from ..live.nests import is_plain_value, leaves
from ..live.owners import STORAGE, owner_chain
from ..live.snapshots import Snapshot

T = TypeVar("T")


@contextmanager
def protect(x: T, *, search: bool = True) -> Iterator[T]:
    """Let nothing write the memory of *x* unnoticed while the block runs; gives *x* itself.

    NumPy writes raise at the writing line: every array over that memory that Python can reach, views made before
    included, is read-only inside the block and has exactly its old flags afterwards. All other writes (by torch,
    through ``.data``, an array made inside the block from a tensor, a memoryview, another library) are found at the
    end by comparing bytes and version counters, and raise then, naming the first changed element.

    An array that overlaps *x* in part is read-only as a whole. A write of equal values through torch counts where *x*
    is all of its storage: the version counter tells. Arrays that only C code holds cannot be locked, only compared.
    Costs a copy of the bytes, and about 0.1 s for the search. An exception of the block's own passes unchanged.

    Args:
        x: A tensor, an array, a buffer, a column, or any nest of them; numbers and text in a nest are passed over.
        search: Look for arrays everywhere. False locks only the arrays in *x* and what they are views of.

    Raises:
        AliasWriteError: at the end of the block: the memory was written, replaced or released.
        UnsupportedSourceError: at the start: nothing in *x* has memory that can be watched.

    >>> import numpy as np, tensorcopy as tc
    >>> a = np.zeros(3)
    >>> with tc.protect(a):
    ...     a[0] = 1
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    watched = [(path, Snapshot(leaf)) for path, leaf in leaves(x) if not is_plain_value(leaf)]
    if not watched:
        raise _nothing_to_watch(x)
    lock = Lock(_arrays_to_lock([snapshot for _, snapshot in watched], search))
    try:
        yield x
    finally:
        lock.release()
    written = [(path, how) for path, snapshot in watched if (how := _how_written(snapshot)) is not None]
    if written:
        raise _alias_write(written)


def _arrays_to_lock(snapshots: list[Snapshot], search: bool) -> list[Any]:
    regions: list[Region] = [region for snapshot in snapshots for region in snapshot.regions]
    found = arrays_over(regions) if search else []
    return with_bases([*(snapshot.obj for snapshot in snapshots if is_ndarray(snapshot.obj)), *found])


def _how_written(snapshot: Snapshot) -> tuple[str, str] | None:
    """What happened to the object, and by which kind of write; None for nothing."""
    change, version = snapshot.change(), version_of(snapshot.obj)
    moved = version != snapshot.version
    counted = "" if version is None else f" (version {snapshot.version} -> {version})"
    if change is not None:
        return change.what + counted, _route(moved, version)
    if moved and _is_whole_storage(snapshot):
        return "it was overwritten with equal values" + counted, _route(moved, version)
    return None


def _route(moved: bool, version: int | None) -> str:
    if moved:
        return "an in-place operation of torch moved the version counter"
    if version is not None:
        return (
            "the version counter did not move: the write went past autograd (.data, .numpy(), DLPack, another library)"
        )
    return "it was written through another object over the same memory, whose permission could not be taken away"


def _is_whole_storage(snapshot: Snapshot) -> bool:
    """Whether the version counter speaks of this object alone, not of a larger storage that it is a view of."""
    spans = [owner.span for owner in owner_chain(snapshot.obj) if owner.kind == STORAGE]
    return sorted(filter(None, spans)) == sorted(region.span for region in snapshot.regions)


def _alias_write(written: list[tuple[str, tuple[str, str]]]) -> AliasWriteError:
    path, (what, route) = written[0]
    more = f"; {len(written) - 1} more members were written too" if len(written) > 1 else ""
    return AliasWriteError(
        f"protected memory{f' at {path}' if path else ''} was written: {what}{more}",
        why=route,
        fix="write to tensorcopy.copy(x) instead, or after the protected block",
    )


def _nothing_to_watch(x: Any) -> UnsupportedSourceError:
    return UnsupportedSourceError(
        f"cannot protect {type(x).__name__}: it holds no tensor, array or buffer",
        why="numbers and text have no memory that an alias could write",
        fix="pass the tensor or array itself, or a nest that holds some",
    )

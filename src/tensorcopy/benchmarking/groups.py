"""The questions that can be asked of a source: which entries of the catalogue answer them, and what is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ..catalogue import Kind, Operation
from ..errors import BadArgumentError, UnsupportedSourceError
from ..live.libraries import is_instance, is_ndarray, is_tensor
from .wishes import Wishes

_NOTHING = Wishes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One question, like how to copy a tensor.

    families: where in the catalogue its answers stand; empty for everywhere, as the kinds say enough.
    twice: an answer holds the source two times instead of once.
    casts: an answer has the dtype that was asked for.
    usual: what is wanted where the user does not say.
    """

    key: str
    title: str
    sources: tuple[Kind, ...]
    result: Kind
    families: tuple[str, ...] = ()
    twice: bool = False
    casts: bool = False
    usual: Wishes = _NOTHING

    def asks_about(self, family: str, operation: Operation) -> bool:
        """Whether an entry is of the right kinds and place, and a call on the source alone."""
        kinds = operation.source in self.sources and operation.result is self.result
        return (
            kinds and not operation.setup and operation.takes_values and (family in self.families or not self.families)
        )


_OWN = Wishes(memory="copies")
GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.key: group
        for group in (
            Group(
                key="copy",
                title="copy a tensor",
                sources=(Kind.TENSOR,),
                result=Kind.TENSOR,
                families=("copying", "constructing", "persistence", "dlpack"),
                usual=replace(_OWN, graph="cuts"),
            ),
            Group(
                key="graph",
                title="tensor and graph",
                sources=(Kind.TENSOR,),
                result=Kind.TENSOR,
                families=("aliasing",),
                usual=Wishes(memory="shares", graph="cuts"),
            ),
            Group(key="to-array", title="tensor to array", sources=(Kind.TENSOR,), result=Kind.ARRAY),
            Group(
                key="repeat",
                title="repeat a tensor",
                sources=(Kind.TENSOR,),
                result=Kind.TENSOR,
                families=("joining", "viewing", "collating"),
                twice=True,
            ),
            Group(
                key="cast",
                title="move or cast a tensor",
                sources=(Kind.TENSOR,),
                result=Kind.TENSOR,
                families=("casting", "moving"),
                casts=True,
            ),
            Group(key="to-tensor", title="array to tensor", sources=(Kind.ARRAY, Kind.MASKED), result=Kind.TENSOR),
            Group(key="list", title="list to tensor", sources=(Kind.SEQUENCE,), result=Kind.TENSOR),
            Group(
                key="copy-array",
                title="copy an array",
                sources=(Kind.ARRAY,),
                result=Kind.ARRAY,
                families=("numpy_copying", "numpy_converting", "persistence", "dlpack"),
                usual=_OWN,
            ),
        )
    }
)

SAMPLES = MappingProxyType(
    {
        Kind.TENSOR: "torch.arange(6.0).reshape(2, 3) + 1",
        Kind.ARRAY: "np.arange(6, dtype=np.float32).reshape(2, 3) + 1",
        Kind.MASKED: "np.ma.masked_array(np.arange(6, dtype=np.float32).reshape(2, 3) + 1)",
        Kind.SEQUENCE: "[[1.5, 2.5], [3.5, 4.5]]",
    }
)
"""A small plain source of each kind: an entry answers a question if it does so for this one."""


def kind_of(x: object) -> Kind:
    """Which kind of source *x* is.

    Raises:
        UnsupportedSourceError: the catalogue has no entries for its kind.
    """
    if is_tensor(x):
        return Kind.TENSOR
    if is_instance(x, "numpy.ma", "MaskedArray"):
        return Kind.MASKED
    if is_ndarray(x):
        return Kind.ARRAY
    if isinstance(x, (list, tuple)):
        return Kind.SEQUENCE
    raise UnsupportedSourceError(
        f"cannot compare ways to handle {type(x).__name__}",
        why="what is compared are calls on tensors, NumPy arrays and nested lists",
        fix="pass one of these, such as what tensorcopy.to_numpy makes of it",
    )


def groups_for(kind: Kind) -> tuple[Group, ...]:
    """The questions that can be asked of a source of this kind, the usual one first."""
    return tuple(group for group in GROUPS.values() if kind in group.sources)


def group_named(key: str | None, kind: Kind, wishes: Wishes) -> Group:
    """The group that *key* names; without one the usual group for the kind, or casting where a dtype is wanted.

    Raises:
        BadArgumentError: there is no such group, or it is not about sources of this kind.
    """
    found = groups_for(kind)
    if key is None:
        return next((group for group in found if group.casts and wishes.dtype), found[0])
    if key in GROUPS and GROUPS[key] in found:
        return GROUPS[key]
    known = ", ".join(group.key for group in found)
    raise BadArgumentError(
        f"no group {key!r} for a source of kind {kind.value}",
        why=f"the questions that can be asked of it are: {known}"
        if key in GROUPS
        else f"the groups are: {', '.join(GROUPS)}",
        fix=f"ask for one of {known}",
    )

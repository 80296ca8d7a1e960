"""Run one candidate on the source and say what happened: memory, graph, values, allocations, refusals."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from typing import Any

from ..catalogue import Kind, Trait
from ..live.allocations import Allocations, available_bytes, counted, storage_bytes
from ..live.describe import describe
from ..live.dtypes import name_of_numpy
from ..live.flipping import follows, may_flip
from ..live.graph import counts_writes, graph_path
from ..live.libraries import is_ndarray, is_tensor
from ..live.owners import may_write
from ..live.regions import footprint, meets
from ..live.traits import traits_of
from ..live.twins import twin_of
from ..live.values import Difference, Fidelity, difference, nest_shape, twice
from ..live.warning import all_warnings
from .calling import compiled
from .candidates import Candidate
from .groups import Group
from .measurements import Measurement, Result, Status

_SMALL, _TINY = 10_000, 100
"""Elements of the sources that a candidate is tried on first where there are many more."""
_TRIES = 5
_WORD_LIMIT = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The object to measure on, and what is known of it.

    x: the object of the user, or one made for them.
    small, tiny: like objects of ten thousand and of a hundred elements where *x* has many more; None where it has not.
    """

    x: Any
    kind: Kind
    traits: frozenset[Trait]
    elements: int
    small: Any = None
    tiny: Any = None
    small_elements: int = 0
    device: str = "cpu"

    @property
    def on_graph(self) -> bool:
        """Whether a gradient could reach it."""
        return bool(is_tensor(self.x) and self.x.requires_grad)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What one run told, and what to time; no call where there is nothing to time."""

    measurement: Measurement
    call: Callable[[Any], Any] | None = None
    private: bool = False
    seconds: float = 0.0


def source_of(x: Any, kind: Kind) -> Source:
    """Look at *x*, and make a small one like it where it is large."""
    elements = _count(x)
    small, tiny = (_beginning_of(x, k) if elements > 10 * _SMALL else None for k in (_SMALL, _TINY))
    return Source(
        x=x,
        kind=kind,
        traits=traits_of(x),
        elements=elements,
        small=small,
        tiny=tiny,
        small_elements=_count(small) if small is not None else 0,
        device=str(x.device) if is_tensor(x) else "cpu",
    )


def _count(x: Any) -> int:
    return prod(nest_shape(x) if isinstance(x, (list, tuple)) else x.shape)


def _beginning_of(x: Any, elements: int) -> Any:
    """About so many *elements* of *x* in memory of their own; a leaf for a leaf."""
    if is_tensor(x) and x.is_leaf:
        return twin_of(_part(x.detach(), elements)).requires_grad_(x.requires_grad)
    return twin_of(_part(x, elements))


def _part(x: Any, elements: int) -> Any:
    """The beginning of *x* along its longest dimension, as a view where there are views."""
    if isinstance(x, (list, tuple)):
        return x[: max(1, elements * len(x) // _count(x))]
    shape = tuple(x.shape)
    axis = max(range(len(shape)), key=lambda k: shape[k])
    kept = max(1, shape[axis] * elements // _count(x))
    return x[(slice(None),) * axis + (slice(0, kept),)]


def probe(candidate: Candidate, source: Source, group: Group, *, dtype: str, limit: float) -> Probed:
    """Run *candidate* once on the source, or not where that would end the process, take too long or too much memory.

    dtype: the one that was asked for; empty if none was.
    limit: seconds that one call may take.
    """
    reason = _why_not(candidate, source, limit)
    if reason:
        return Probed(measurement=_told(candidate, Status.NOT_RUN, reason))
    call, target = compiled(candidate.code), twin_of(source.x) if candidate.private else source.x
    with all_warnings() as warned:
        try:
            y, seconds, allocations = _run(candidate, source, call, target)
        except Exception as error:
            return Probed(
                measurement=_told(candidate, Status.REFUSED, _first_words(f"{type(error).__name__}: {error}"))
            )
        if not (is_tensor(y) if group.result is Kind.TENSOR else is_ndarray(y)):
            wrong = f"gives {_an(type(y).__name__)}, no {group.result.value}"
            return Probed(measurement=replace(_told(candidate, Status.RAN, ""), wrong=(wrong,)))
        said = _warnings(warned)
        measurement = _measured(candidate, source, group, target, y, allocations, dtype, call)
    return Probed(measurement=_with_cautions(measurement, said), call=call, private=candidate.private, seconds=seconds)


def _run(candidate: Candidate, source: Source, call: Callable[[Any], Any], x: Any) -> tuple[Any, float, Allocations]:
    """The result, what it took of memory, and of time. Imports and other first-time costs are paid before.

    What changes the source may free its memory, and torch complains of that while it counts.
    """
    if source.small is None:
        call(twin_of(source.x) if candidate.private else source.x)
    if candidate.private:
        return *_clocked(call, x), Allocations(kept=None, peak=None)
    (y, seconds), allocations = counted(lambda: _clocked(call, x), source.device)
    return y, seconds, allocations


def _clocked(call: Callable[[Any], Any], x: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return call(x), time.perf_counter() - start


def _told(candidate: Candidate, status: Status, reason: str) -> Measurement:
    return Measurement(name=candidate.name, code=candidate.line, status=status, reason=reason, ours=candidate.ours)


# --- what is not run --------------------------------------------------------------------------------------------------


def _why_not(candidate: Candidate, source: Source, limit: float) -> str:
    for crash in candidate.crashes:
        if crash.given in source.traits:
            return f"ends the process: {crash.why}"
    return "" if source.small is None else _too_large(candidate, source, limit)


def _too_large(candidate: Candidate, source: Source, limit: float) -> str:
    """What the small source tells of the large one, as time and memory grow with the number of elements."""
    if candidate.private:
        return ""
    call, factor = compiled(candidate.code), source.elements / max(source.small_elements, 1)
    with all_warnings():
        try:
            _, allocations = counted(lambda: call(source.small), source.device)
            seconds = _seconds_for_all(call, source, factor, limit)
        except Exception:
            return ""
    if seconds > limit:
        return f"would take about {seconds:.2g} s; a larger time budget allows it"
    free, needed = available_bytes(), (allocations.peak or 0) * factor
    if free is not None and needed > free * 0.8 and source.device == "cpu":
        return f"would need about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free"
    return ""


def _seconds_for_all(call: Callable[[Any], Any], source: Source, factor: float, limit: float) -> float:
    """What a call on the whole source will take, by what more elements cost; what a call costs at the least is not."""
    small = _seconds_at_least(call, source.small, limit / factor)
    if small * factor <= limit:
        return small * factor
    return small + max(0.0, small - _seconds_at_least(call, source.tiny, 0.0)) * factor


def _seconds_at_least(call: Callable[[Any], Any], x: Any, enough: float) -> float:
    """The least of a few times, so that no interruption is taken for slowness; the first that is short *enough*."""
    least = inf
    for _ in range(_TRIES):
        start = time.perf_counter()
        call(x)
        least = min(least, time.perf_counter() - start)
        if least <= enough:
            break
    return least


# --- what a run tells -------------------------------------------------------------------------------------------------


def _measured(
    candidate: Candidate,
    source: Source,
    group: Group,
    target: Any,
    y: Any,
    allocations: Allocations,
    dtype: str,
    call: Callable[[Any], Any],
) -> Measurement:
    by_address = _by_address(target, y)
    by_bytes = _by_bytes(candidate, target, y, call)
    result = _result(target, y, by_address, by_bytes, source, allocations)
    wrong, cautions = _values(source.x, y, group, dtype, result)
    cautions += _memory_cautions(candidate, source, y, result, call)
    return Measurement(
        name=candidate.name,
        code=candidate.line,
        result=result,
        wrong=wrong,
        cautions=tuple(dict.fromkeys(cautions)),
        ours=candidate.ours,
    )


def _by_address(x: Any, y: Any) -> bool | None:
    if x is y:
        return True
    if isinstance(x, (list, tuple)) and not _holds_memory(x):
        return False
    first, second = footprint(x), footprint(y)
    if not all(any(region.size for region in found.regions) for found in (second,)):
        return None
    return meets(first, second)


def _holds_memory(nest: Any) -> bool:
    """Whether the first of the innermost members is more than a number; the others are of its kind or are refused."""
    while isinstance(nest, (list, tuple)) and nest:
        nest = nest[0]
    return is_tensor(nest) or is_ndarray(nest)


def _by_bytes(candidate: Candidate, target: Any, y: Any, call: Callable[[Any], Any]) -> bool | None:
    """By inverting bytes of the source itself, or of a copy of it where its memory must not be written."""
    if isinstance(target, (list, tuple)):
        return None
    if candidate.private or may_flip(target):
        return follows(target, y)
    twin = twin_of(target)
    return follows(twin, call(twin))


def _result(
    x: Any, y: Any, by_address: bool | None, by_bytes: bool | None, source: Source, allocations: Allocations
) -> Result:
    found = describe(y)
    memory = "shares" if by_address or by_bytes else "copies" if by_address is False or by_bytes is False else ""
    own = (found.nbytes or 0) if memory == "copies" and found.layout != "expanded" else 0
    kept = None if allocations.kept is None else max(allocations.kept, own)
    return Result(
        memory=memory,
        by_address=by_address,
        by_bytes=by_bytes,
        graph=("keeps" if is_tensor(y) and graph_path(x, y).reaches else "cuts") if source.on_graph else "",
        same_object=x is y,
        requires_grad=bool(y.requires_grad) if is_tensor(y) else None,
        leaf=bool(y.is_leaf) if is_tensor(y) else None,
        dtype=found.dtype or "",
        shape=tuple(found.shape or ()),
        layout=found.layout,
        device=found.device,
        allocated=kept,
        peak=None if allocations.peak is None else max(allocations.peak, kept or 0),
    )


def _values(x: Any, y: Any, group: Group, dtype: str, result: Result) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is wrong with the values, and what is only worth saying."""
    halves = twice(y, _shape(x)) if group.twice else (y,)
    if halves is None:
        return (f"the shape {tuple(y.shape)} is not that of two sources",), ()
    worst = _worst([difference(x, half) for half in halves])
    asked = dtype and result.dtype == dtype
    if worst.fidelity is Fidelity.ROUNDED:
        return (), () if asked else (f"rounds to {result.dtype}: {worst.text}",)
    if worst.fidelity is Fidelity.OTHER_VALUES and asked and group.casts:
        return (), (f"{dtype} cannot hold all values: {worst.text}",)
    if worst.fidelity is not Fidelity.EXACT:
        return (worst.text,), ()
    own = _own_dtype(x)
    changed = own and not asked and not group.casts and result.dtype != own
    return (), (f"the dtype becomes {result.dtype}",) if changed else ()


def _own_dtype(x: Any) -> str:
    """The name of what the elements are, in whatever order their bytes lie; empty for a list, which has none."""
    if isinstance(x, (list, tuple)):
        return ""
    return name_of_numpy(x.dtype) if is_ndarray(x) else describe(x).dtype or ""


def _worst(found: Sequence[Difference]) -> Difference:
    order = list(Fidelity)
    return max(found, key=lambda d: order.index(d.fidelity))


def _shape(x: Any) -> tuple[int, ...]:
    return tuple(x.shape)


def _memory_cautions(
    candidate: Candidate, source: Source, y: Any, result: Result, call: Callable[[Any], Any]
) -> tuple[str, ...]:
    shares = result.memory == "shares"
    read_only = Trait.READ_ONLY in source.traits and shares and _writable(y)
    own, whole = describe(y).nbytes or 0, storage_bytes(y) or 0
    said = [
        (candidate.private, "changes x itself"),
        (read_only, "x is read-only, and writes through the result change it all the same"),
        (shares and _unnoticed(source, call), "autograd does not notice writes through the result"),
        (result.layout in ("expanded", "overlapping") and y.ndim, "several elements lie on the same memory"),
        (not shares and whole > 2 * own + 4096, f"carries the whole storage of {whole:,} bytes for {own:,}"),
    ]
    return tuple(text for holds, text in said if holds)


def _writable(y: Any) -> bool:
    return is_tensor(y) or may_write(y)


def _unnoticed(source: Source, call: Callable[[Any], Any]) -> bool:
    """Whether the source's version counter stays where it is when the result is written; tried on a copy."""
    if not is_tensor(source.x):
        return False
    twin = twin_of(source.x if source.small is None else source.small)
    try:
        result = call(twin)
    except Exception:
        return False
    return is_tensor(result) and not counts_writes(twin, result)


# --- what torch says --------------------------------------------------------------------------------------------------


def _warnings(warned: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"warns: {_first_words(str(w.message))}" for w in warned))


def _with_cautions(measurement: Measurement, said: tuple[str, ...]) -> Measurement:
    return replace(measurement, cautions=tuple(dict.fromkeys((*measurement.cautions, *said))))


def _an(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeioun' else 'a'} {name}"


def _first_words(text: str) -> str:
    """The first sentence of a message, cut after a word where it is long."""
    line = " ".join(text.split("\n", 1)[0].split())
    sentence = re.split(r"(?<=[a-z)])\. ", line)[0].rstrip(".")
    return sentence if len(sentence) <= _WORD_LIMIT else sentence[:_WORD_LIMIT].rsplit(" ", 1)[0] + " ..."

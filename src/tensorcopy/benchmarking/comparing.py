"""`compare`: every way to do something with your data, measured on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import BadArgumentError, UnsupportedSourceError
from ..live.describe import describe
from ..live.dtypes import default_float
from ..live.libraries import is_tensor, load
from ..live.tensors import is_dense_cpu, layout_name
from ..live.values import MOST_DIMENSIONS, nest_shape
from .calling import releases
from .candidates import Candidate, candidates
from .comparison import Comparison, Machine
from .deciding import ranked
from .groups import Group, group_named, kind_of
from .measurements import Measurement
from .probing import Probed, Source, probe, source_of
from .timing import Runner, timed
from .wishes import Wishes, wishes_of

SECONDS = 5.0
"""The time that measuring takes unless asked otherwise, what it takes to try every call once not counted."""
_LONGEST = 0.3
"""Seconds that a single call may always take, however small the budget."""


def compare(
    x: Any, *, group: str | None = None, want: str | Sequence[str] = (), time_budget: float = SECONDS
) -> Comparison:
    """Every way of the catalogue to do something with *x*, measured on this very object, and the one to take.

    For each: whether it shares memory or copies (found by addresses and by inverting bytes of *x*, which are put back),
    whether it keeps the graph, dtype and layout of the result, bytes allocated, time with its spread, what it refuses
    or gets silently wrong with *x*. Calls that would change *x* run on a copy of it; calls that would end the process
    are not run. Loads torch and NumPy. The result shows itself in notebooks and when printed.

    Args:
        x: A tensor in one strided block, an array or a nested list of numbers.
        group: The question: ``copy``, ``graph``, ``to-array``, ``repeat``, ``cast`` for tensors, ``to-tensor``,
            ``copy-array`` for arrays, ``list`` for lists. The first of them for the kind of *x* unless given.
        want: What the result should be like: ``own`` or ``share``, ``keep-graph`` or ``cut-graph``, ``dtype=...``; one
            string with commas, or several. Decides which way is recommended.
        time_budget: Seconds that timing may take. Calls that one of them would use up are not run.

    Raises:
        UnsupportedSourceError: *x* is of another kind, or its elements do not lie in one strided block.
        BadArgumentError: there is no such group for *x*, or the wishes make no sense.

    >>> import torch, tensorcopy as tc
    >>> found = tc.compare(torch.ones(3, requires_grad=True), want="own,keep-graph", time_budget=0.1)
    >>> found.chosen.result.memory, found.chosen.result.graph
    ('copies', 'keeps')
    """
    load("torch"), load("numpy")
    kind = kind_of(x)
    _require_block(x)
    _require_seconds(time_budget)
    given = wishes_of(_words(want))
    asked = group_named(group, kind, given)
    wishes = wishes_for(asked, given, x)
    if wishes.graph == "keeps" and not (is_tensor(x) and x.requires_grad):
        raise _no_graph(x)
    return Comparison(
        group=asked.key,
        title=asked.title,
        aim="x twice" if asked.twice else "the same values",
        source=described(x),
        wishes=wishes,
        measurements=ranked(measurements_of(x, asked, wishes, time_budget), wishes),
        machine=machine_of(str(x.device) if is_tensor(x) else "cpu"),
    )


def _words(want: object) -> tuple[str, ...]:
    if isinstance(want, str):
        return (want,) if want else ()
    if isinstance(want, Sequence) and all(isinstance(word, str) for word in want):
        return tuple(want)
    raise BadArgumentError(
        f"want={want!r} is not understood",
        why="wishes are words, in one text or in a sequence of texts",
        fix='write for example want="own,keep-graph"',
    )


def _require_seconds(budget: object) -> None:
    if isinstance(budget, (int, float)) and not isinstance(budget, bool) and 0 <= budget < float("inf"):
        return
    raise BadArgumentError(
        f"time_budget={budget!r} is not understood",
        why="it is a number of seconds, not less than 0",
        fix=f"leave it out for {SECONDS:g} seconds, or give a number",
    )


def measurements_of(
    x: Any, group: Group, wishes: Wishes, budget: float, *, only: Sequence[str] | None = None
) -> tuple[Measurement, ...]:
    """All ways of a group measured on *x*, or those whose lines are among *only*."""
    source = source_of(x, kind_of(x))
    lines = candidates(group, source.kind, dtype_for(wishes, x), wishes, on_graph=source.on_graph)
    chosen = [line for line in lines if only is None or line.line in only]
    return measured(chosen, source, group, wishes, budget)


def measured(
    lines: Sequence[Candidate], source: Source, group: Group, wishes: Wishes, budget: float
) -> tuple[Measurement, ...]:
    """All candidates run once and then timed in turn, those that give wrong values left out of the timing."""
    found = [probe(line, source, group, dtype=wishes.dtype, limit=max(budget / 4, _LONGEST)) for line in lines]
    to_time = [k for k, one in enumerate(found) if one.call is not None and not one.measurement.wrong]
    timings = timed([_runner(found[k], source) for k in to_time], budget) if to_time else ()
    measurements = [one.measurement for one in found]
    for k, timing in zip(to_time, timings, strict=True):
        measurements[k] = replace(measurements[k], timing=timing)
    return tuple(measurements)


def _runner(probed: Probed, source: Source) -> Runner:
    assert probed.call is not None
    return Runner(call=probed.call, x=source.x, private=probed.private, seconds=probed.seconds, device=source.device)


def wishes_for(group: Group, given: Wishes, x: Any) -> Wishes:
    """What is wanted: what the user says, or what is usual for the question; where dtypes change, always one.

    Whoever asks how to copy, and only says what becomes of the graph or the dtype, wants a copy still.
    """
    wishes = given if given != Wishes() else group.usual
    if not wishes.memory and group.usual.memory == "copies":
        wishes = replace(wishes, memory="copies")
    if wishes.graph and not (is_tensor(x) and x.requires_grad) and given.graph == "":
        wishes = replace(wishes, graph="")
    return replace(wishes, dtype=wishes.dtype or _other_dtype(x)) if group.casts else wishes


def _other_dtype(x: Any) -> str:
    """Something to cast to where nobody says what."""
    own = describe(x).dtype
    if own is not None and own.startswith("complex"):
        return "complex64" if own == "complex128" else "complex128"
    return "float64" if own == "float32" else "float32"


def dtype_for(wishes: Wishes, x: Any) -> str:
    """The dtype that calls are given which have to be given one: the one asked for, or that of the source."""
    if wishes.dtype:
        return wishes.dtype
    return (describe(x).dtype if not isinstance(x, (list, tuple)) else None) or default_float()


def described(x: Any) -> str:
    """The source in one line."""
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__} of {len(x):,} members"
    found = describe(x)
    words = [f"{found.library} {found.type_name}", found.dtype or "", str(found.shape), f"on {found.device}"]
    notes = [found.layout, "read-only" if found.writable is False else ""]
    notes += ["conjugate bit"] * found.conj + ["negative bit"] * found.neg
    notes += [str(found.graph)] if found.graph is not None and found.graph.requires_grad else []
    notes += ["big-endian"] * (getattr(getattr(x, "dtype", None), "isnative", True) is False)
    return ", ".join([" ".join(filter(None, words)), *filter(None, notes)])


def machine_of(device: str) -> Machine:
    """What the numbers were measured on."""
    torch = load("torch")
    name = str(torch.cuda.get_device_name(device)) if device.startswith("cuda") else ""
    return Machine(threads=int(torch.get_num_threads()), accelerator=name, releases=dict(releases()))


def _require_block(x: Any) -> None:
    torch = load("torch")
    if isinstance(x, (list, tuple)) and len(nest_shape(x)) > MOST_DIMENSIONS:
        raise UnsupportedSourceError(
            f"cannot compare ways to handle a list nested more than {MOST_DIMENSIONS} deep",
            why="no tensor has as many dimensions; perhaps the list holds itself",
            fix="pass a list that is rectangular",
        )
    if not is_tensor(x):
        return
    strided = x.layout is torch.strided and not x.is_quantized and not x.is_nested
    if strided and (x.device.type.startswith("cuda") or is_dense_cpu(x)):
        return
    raise UnsupportedSourceError(
        f"cannot compare ways to handle a tensor on {x.device} with layout {layout_name(x)}",
        why="addresses and bytes are compared, and those of one strided block on the CPU or a CUDA device are known",
        fix="pass a strided tensor on the CPU or on a CUDA device",
    )


def _no_graph(x: Any) -> BadArgumentError:
    what = "a tensor that does not require grad" if is_tensor(x) else f"an object of type {type(x).__name__}"
    return BadArgumentError(
        f"nothing can keep the graph of {what}",
        why="it is on no graph",
        fix="pass a tensor that requires grad (--requires-grad), or do not ask for keep-graph",
    )

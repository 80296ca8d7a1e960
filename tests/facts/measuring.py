"""Run an entry of the catalogue on a source and say what happened: by address, by flipped bytes and by gradient."""

from __future__ import annotations

import ast
import copy
import ctypes
import io
import pickle
import re
import warnings
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils import data as torch_data

from tensorcopy.catalogue import Dtype, Operation, Trait, families
from tensorcopy.live.traits import traits_of

from .sources import SOURCES, Source

RELEASES = {"torch": torch.__version__, "numpy": np.__version__}
FAMILIES = {f: [op.on(RELEASES) for op in ops if op.exists_in(RELEASES)] for f, ops in families().items()}
ENTRIES = tuple(op for ops in FAMILIES.values() for op in ops)
NAMESPACE = {
    "__name__": "__main__",
    "torch": torch,
    "np": np,
    "nn": nn,
    "copy": copy,
    "pickle": pickle,
    "io": io,
    "data": torch_data,
}


Check = Callable[[Operation], None]


def of(holds: Callable[[Operation], Any]) -> Callable[[Check], Callable[[str], None]]:
    """A test for each family: the check runs for all its entries for which this holds, and every failure is named."""

    def made(check: Check) -> Callable[[str], None]:
        chosen = {f: [op for op in FAMILIES[f] if holds(op)] for f in FAMILIES}

        @pytest.mark.parametrize("family", [f for f, entries in chosen.items() if entries])
        def test(family: str) -> None:
            failures = [f"{op.name}: {e}" for op in chosen[family] if (e := failure(check, op))]
            assert not failures, "\n".join(["", *failures])

        test.__doc__, test.check, test.holds = check.__doc__, check, holds  # type: ignore[attr-defined]
        return test

    return made


def failure(check: Check, op: Operation) -> AssertionError | None:
    try:
        check(op)
    except AssertionError as error:
        return error
    return None


each = of(lambda op: True)


@dataclass(slots=True)
class Cell:
    """What one example did on one source. A field is None where it has no meaning there."""

    example: str
    source: str
    traits: frozenset[Trait]
    error: Exception | None = None
    warned: list[warnings.WarningMessage] = field(default_factory=list)
    x: Any = None
    target: Any = None
    value: Any = None
    y: Any = None
    shares_by_address: bool | None = None
    shares_by_bytes: bool | None = None
    same_object: bool | None = None
    keeps_graph: bool | None = None
    version_shared: bool | None = None
    required_grad: bool = False
    changed_source: bool | None = None
    changed_target: bool | None = None

    def __str__(self) -> str:
        return f"{self.example!r} on {self.source}"


def evaluate(code: str, names: dict[str, Any]) -> Any:
    """The value of the last line of *code* after running the lines before it; None if the last line is a statement."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<catalogue>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<catalogue>", "eval"), names) if last else None  # type: ignore[attr-defined]


def raised_by(code: str, **names: Any) -> Exception | None:
    """The error that *code* raises, if it does."""
    try:
        with warnings.catch_warnings(record=True), always_warning():
            evaluate(code, NAMESPACE | names)
    except Exception as error:
        return error
    return None


@cache
def cells(name: str) -> tuple[Cell, ...]:
    """All cells of the entry *name*: each of its examples on each source of its kind."""
    op = next(e for e in ENTRIES if e.name == name)
    found = [s for s in SOURCES if s.kind is op.source and not left_out(op) & traits_of(s.build()[0])]
    return tuple(measure(op, example, s) for example in op.examples for s in found)


def left_out(op: Operation) -> set[Trait | None]:
    """Traits of sources that the entry is not about, or that would end this process."""
    return {*op.unless, *(c.given for c in op.crashes)}


def measure(op: Operation, example: str, source: Source) -> Cell:
    x, leaf = source.build()
    names = {**NAMESPACE, "x": x}
    cell = Cell(example, source.name, frozenset())
    with warnings.catch_warnings(record=True) as cell.warned, always_warning():
        try:
            cell.traits = traits_of(x)
            evaluate(op.setup or "None", names)
            x = names["x"]
            cell.traits = traits_of(x) | traits_beside(op, example, x)
            kept = snapshot(x), snapshot(names.get("dst"))
            cell.required_grad = any(t.requires_grad for t in tensors(x))
            cell.value = evaluate(example, names)
            cell.y = eval(op.probe, {**names, "y": cell.value})
        except Exception as error:
            cell.error = error.with_traceback(None)
            return cell
        cell.x, cell.target = x, names.get("dst")
        _fill(cell, leaf, kept)
    return cell


def rerun(op: Operation, within: AbstractContextManager[Any] | None = None) -> Any:
    """The first example once more, *within* a context, on the first source that it accepts, made outside of it."""
    accepted = next(c.source for c in cells(op.name) if c.error is None and c.example == op.example)
    names = {**NAMESPACE, "x": next(s for s in SOURCES if s.name == accepted).build()[0]}
    evaluate(op.setup or "None", names)
    with warnings.catch_warnings(record=True), always_warning(), within or nullcontext():
        return eval(op.probe, {**names, "y": evaluate(op.example, names)})


def results(op: Operation) -> list[tuple[Cell, Any]]:
    """Each cell with every tensor or array in its result."""
    done = [c for c in cells(op.name) if c.error is None]
    return [(c, p) for c in done for p in pieces(c.y) if isinstance(p, torch.Tensor | np.ndarray)]


def _fill(cell: Cell, leaf: Any, kept: tuple[Snapshot, Snapshot]) -> None:
    x = cell.x
    cell.changed_source = changed(x, kept[0])
    cell.changed_target = changed(cell.target, kept[1])
    cell.same_object = cell.y is x
    cell.keeps_graph = gradient_reaches(leaf, cell.y) if leaf is not None else None
    cell.shares_by_address = overlaps(x, cell.y)
    cell.shares_by_bytes = follows_flips(x, cell.y)
    cell.version_shared = version_follows(x, cell.y)


class always_warning:
    """Warnings are neither errors nor given only once."""

    def __enter__(self) -> None:
        warnings.simplefilter("always")
        self.before = torch.is_warn_always_enabled()
        torch.set_warn_always(True)

    def __exit__(self, *_: object) -> None:
        torch.set_warn_always(self.before)


# --- memory -----------------------------------------------------------------------------------------------------------


def pieces(value: Any) -> Iterator[Any]:
    """The tensors, arrays, storages and buffers in *value*."""
    if isinstance(value, torch.Tensor | np.ndarray | torch.UntypedStorage | bytearray | memoryview | bytes | array):
        yield value
    elif isinstance(value, torch.TypedStorage):
        yield value.untyped()
    elif isinstance(value, nn.Module):
        yield from (p for p in (*value.parameters(), *value.buffers()))
    elif isinstance(value, dict):
        for part in value.values():
            yield from pieces(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from pieces(part)


def region(piece: Any, *, whole: bool) -> tuple[int, int]:
    """First address and end of the bytes of *piece*: those of its elements, or of the whole storage behind a tensor."""
    if isinstance(piece, torch.UntypedStorage):
        return piece.data_ptr(), piece.data_ptr() + piece.nbytes()
    if isinstance(piece, torch.Tensor):
        return _tensor_region(piece, whole=whole)
    if isinstance(piece, np.ndarray):
        return _array_region(piece)
    return _array_region(np.asarray(piece) if isinstance(piece, memoryview) else np.frombuffer(piece, np.uint8))


def _tensor_region(t: torch.Tensor, *, whole: bool) -> tuple[int, int]:
    if t.device.type == "meta" or t.layout != torch.strided or t.numel() == 0:
        return 0, 0
    if whole:
        return region(t.untyped_storage(), whole=True)
    last = sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True))
    return t.data_ptr(), t.data_ptr() + (last + 1) * t.element_size()


def _array_region(a: np.ndarray) -> tuple[int, int]:
    if a.size == 0:
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(a.shape, a.strides, strict=True)]
    start = a.ctypes.data
    return start + sum(s for s in steps if s < 0), start + sum(s for s in steps if s > 0) + a.itemsize


def regions(value: Any, *, whole: bool) -> list[tuple[int, int]]:
    return [r for r in (region(p, whole=whole) for p in pieces(value)) if r[0] < r[1]]


def held_bytes(value: Any) -> bytes:
    return b"".join(ctypes.string_at(start, end - start) for start, end in regions(value, whole=False))


Snapshot = tuple[list[tuple[int, int]], bytes]


def snapshot(value: Any) -> Snapshot:
    return regions(value, whole=False), held_bytes(value)


def changed(value: Any, before: Snapshot) -> bool:
    """Whether the bytes differ where *value* lay and lies; an object that moved to other memory wrote nothing."""
    return regions(value, whole=False) == before[0] and held_bytes(value) != before[1]


def overlaps(x: Any, y: Any) -> bool | None:
    ours = regions(x, whole=True)
    if not ours:
        return None
    return any(a < d and c < b for a, b in ours for c, d in regions(y, whole=False))


def follows_flips(x: Any, y: Any) -> bool | None:
    """Whether *y* changes when every byte of the source is inverted; the bytes are put back."""
    ours = regions(x, whole=True)
    if not ours:
        return None
    before = seen(y)
    try:
        flip(ours)
        return seen(y) != before
    finally:
        flip(ours)


def seen(y: Any) -> object:
    found = regions(y, whole=False)
    return held_bytes(y) if found else repr(y)


def flip(where: list[tuple[int, int]]) -> None:
    for start, end in dict.fromkeys(where):
        block = (ctypes.c_ubyte * (end - start)).from_address(start)
        block[:] = [b ^ 0xFF for b in block]


# --- graph and version ------------------------------------------------------------------------------------------------


def tensors(value: Any) -> list[torch.Tensor]:
    return [p for p in pieces(value) if isinstance(p, torch.Tensor)]


def gradient_reaches(leaf: torch.Tensor, y: Any) -> bool:
    """Whether differentiating the sum of *y* gives the leaf a gradient."""
    on_graph = [t for t in tensors(y) if t.requires_grad]
    if not on_graph:
        return False
    if any(t.device.type == "meta" for t in on_graph):
        return any(leaf is reached for t in on_graph for reached in leaves(t.grad_fn))
    total = sum(((t.real + t.imag).sum() if t.is_complex() else t.float().sum()) for t in on_graph)
    try:
        return torch.autograd.grad(total, leaf, allow_unused=True)[0] is not None
    except RuntimeError as error:
        if "derivative for" in str(error):
            return False
        raise


def leaves(node: Any) -> Iterator[torch.Tensor]:
    """The leaves that the graph behind *node* leads to; for results without values to differentiate."""
    if hasattr(node, "variable"):
        yield node.variable
    for before, _ in node.next_functions if node is not None else ():
        yield from leaves(before)


def version_follows(x: Any, y: Any) -> bool | None:
    """Whether a write into *y* is counted on *x*."""
    if not isinstance(x, torch.Tensor) or not tensors(y):
        return None
    before = x._version
    for t in tensors(y):
        if not t.is_inference():
            torch.autograd.graph.increment_version(t)
    return x._version != before


# --- what the call asks for -------------------------------------------------------------------------------------------

_DTYPE = re.compile(r"\b(torch|np)\.(bool|u?int(?:8|16|32|64)|b?float(?:16|32|64)|complex(?:64|128)|longdouble)\b")


def asked_dtype(op: Operation, example: str) -> Any:
    """The dtype that the call names, if it names one."""
    if op.dtype_name:
        return eval(op.dtype_name, dict(NAMESPACE))
    if op.dtype is Dtype.DEFAULT:
        return torch.get_default_dtype()
    found = _DTYPE.search(example)
    return getattr(torch if found[1] == "torch" else np, found[2]) if found and op.dtype is Dtype.GIVEN else None


def as_torch(dtype: Any) -> torch.dtype | None:
    """The torch dtype of a NumPy one; None if there is none."""
    if isinstance(dtype, torch.dtype):
        return dtype
    return getattr(torch, np.dtype(dtype).name, None) if np.dtype(dtype).isnative else None


def traits_beside(op: Operation, example: str, x: Any) -> frozenset[Trait]:
    """What is true of the source beside what the call asks for."""
    formats = {Trait.OTHER_FORMAT} if "channels_last" in example and not in_channels_last(x) else frozenset()
    asked = asked_dtype(op, example)
    if asked is None or not hasattr(x, "dtype"):
        return frozenset(formats)
    wanted, own = as_torch(asked), as_torch(x.dtype)
    traits = {
        Trait.OTHER_DTYPE: own is None or wanted != own,
        Trait.RESULT_NOT_DIFFERENTIABLE: wanted is not None and not (wanted.is_floating_point or wanted.is_complex),
    }
    return frozenset(t for t, holds in traits.items() if holds) | formats


def in_channels_last(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_contiguous(memory_format=torch.channels_last)

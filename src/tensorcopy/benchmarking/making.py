"""Sources made to order: kind, shape, dtype, layout, place in the graph."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from ..errors import BadArgumentError
from ..live.allocations import available_bytes
from ..live.devices import device_of
from ..live.dtypes import DTYPES, ML_DTYPES, name_of, numpy_dtype, torch_dtype
from ..live.libraries import load

KINDS = ("tensor", "array", "list")
_PERIOD = 997
_LARGEST = 1 << 40
_BYTES_PER_NUMBER = 40
"""What a list takes for one number, roughly: its place in the list and the object itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a source should be like."""

    kind: str = "tensor"
    shape: tuple[int, ...] = (1000, 1000)
    dtype: str = "float32"
    layout: str = "contiguous"
    requires_grad: bool = False
    device: str = "cpu"

    def of_size(self, elements: int) -> Order:
        """The same with about so many elements: near a square in two dimensions, longer or shorter in others."""
        if len(self.shape) == 2:
            side = max(1, math.isqrt(elements))
            return replace(self, shape=(side, elements // side))
        rest = max(1, math.prod(self.shape[1:]))
        return replace(self, shape=(max(1, elements // rest), *self.shape[1:]))

    @property
    def nbytes(self) -> int:
        """Bytes that the source will take."""
        each = _BYTES_PER_NUMBER if self.kind == "list" else DTYPES[self.dtype].bytes
        return math.prod(self.shape) * each * (2 if self.layout == "strided" else 1)


def shape_of(text: str) -> tuple[int, ...]:
    """``1000x1000``, ``1e6`` or ``64,3,224,224`` as a shape; ``()`` for no dimensions.

    Raises:
        BadArgumentError: it is no shape, or that of more elements than any machine holds.
    """
    plain = text.strip().strip("()[] ")
    parts = [part for part in re.split(r"\s*[x×,*]\s*", plain) if part]
    if not all(re.fullmatch(r"\d+([eE]\+?\d{1,2})?", part) for part in parts) or (not parts and plain):
        raise _no_shape(text, "a shape is written as whole numbers with x between")
    shape = tuple(int(float(part)) if "e" in part.lower() else int(part) for part in parts)
    if math.prod(shape) > _LARGEST:
        raise _no_shape(text, f"that are {math.prod(shape):.3g} elements")
    return shape


def _no_shape(text: str, why: str) -> BadArgumentError:
    return BadArgumentError(f"{text!r} is no shape", why=why, fix="write it like 1000x1000, 1e6 or 8x3x224x224")


def made(order: Order) -> Any:
    """The source that *order* describes, with values that repeat after 997. Loads torch, and NumPy for arrays.

    Raises:
        BadArgumentError: the parts of the order contradict each other, or it needs more memory than is free.
        UnsupportedDtypeError: there is no such dtype in torch or in NumPy.
        WrongDeviceError: there is no such device.
    """
    order = replace(order, dtype=name_of(order.dtype))
    _require_sense(order)
    _require_memory(order)
    if order.kind == "tensor":
        tensor = _laid_out(order)
        return tensor.requires_grad_() if order.requires_grad else tensor
    plain = _laid_out(replace(order, dtype="float32" if order.dtype in ML_DTYPES else order.dtype))
    array = plain.numpy()
    if order.kind == "list":
        return array.tolist()
    array = array[::-1] if order.layout == "negative" else array
    array = array.astype(numpy_dtype(order.dtype)) if order.dtype in ML_DTYPES else array
    if order.layout == "read-only":
        array.flags.writeable = False
    return array


def _laid_out(order: Order) -> Any:
    shape = LAYOUTS[order.layout].base(order.shape)
    tensor = LAYOUTS[order.layout].view(_filled(shape, order.dtype, order.device))
    return tensor.expand(order.shape) if order.layout == "expanded" else tensor


def _filled(shape: tuple[int, ...], dtype: str, device: str) -> Any:
    torch = load("torch")
    pattern = torch.arange(_PERIOD) % 2 if dtype == "bool" else torch.arange(_PERIOD) % 100
    values = (pattern / 10 if DTYPES[dtype].kind in "fc" else pattern).to(torch_dtype(dtype)).to(device_of(device))
    flat = torch.empty(math.prod(shape), dtype=values.dtype, device=values.device)
    whole = len(flat) // _PERIOD * _PERIOD
    flat[:whole].view(-1, _PERIOD).copy_(values)
    flat[whole:].copy_(values[: len(flat) - whole])
    return flat.view(shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How elements lie: the shape to fill first, the view of it to take, and how many dimensions that needs."""

    base: Callable[[tuple[int, ...]], tuple[int, ...]] = lambda shape: shape
    view: Callable[[Any], Any] = lambda tensor: tensor
    least: int = 0
    most: int = 99
    only_arrays: bool = False


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "contiguous": Layout(),
        "transposed": Layout(
            base=lambda shape: (*shape[:-2], shape[-1], shape[-2]), view=lambda t: t.transpose(-1, -2), least=2
        ),
        "strided": Layout(base=lambda shape: (*shape[:-1], 2 * shape[-1]), view=lambda t: t[..., ::2], least=1),
        "expanded": Layout(base=lambda shape: (1, *shape[1:]), least=1),
        "channels_last": Layout(
            base=lambda shape: (shape[0], *shape[2:], shape[1]), view=lambda t: t.permute(0, 3, 1, 2), least=4, most=4
        ),
        "negative": Layout(least=1, only_arrays=True),
        "read-only": Layout(only_arrays=True),
    }
)


def _require_sense(order: Order) -> None:
    layout, shape = LAYOUTS.get(order.layout), order.shape
    if layout is None:
        raise _senseless(
            f"there is no layout {order.layout!r}", f"the layouts are {', '.join(LAYOUTS)}", "name one of them"
        )
    if not layout.least <= len(shape) <= layout.most:
        dimensions = f"exactly {layout.least}" if layout.least == layout.most else f"at least {layout.least}"
        raise _senseless(
            f"the shape {shape} has no layout {order.layout}",
            f"it takes {dimensions} dimensions",
            "pass another --shape",
        )
    if layout.only_arrays and order.kind != "array":
        raise _senseless(
            f"{_kind(order)} has no layout {order.layout}",
            "only NumPy arrays have such strides and flags",
            "add --kind array",
        )
    if order.requires_grad and (order.kind != "tensor" or DTYPES[order.dtype].kind not in "fc"):
        raise _senseless(
            f"{_kind(order)} of {order.dtype} cannot require grad",
            "only tensors of floating or complex numbers can",
            "leave --requires-grad out, or pass --dtype float32",
        )


def _kind(order: Order) -> str:
    return {"array": "an array"}.get(order.kind, f"a {order.kind}")


def _senseless(what: str, why: str, fix: str) -> BadArgumentError:
    return BadArgumentError(what, why=why, fix=fix)


def _require_memory(order: Order) -> None:
    """The source, one result beside it, and as much again for what is being tried."""
    free, needed = available_bytes(), 3 * order.nbytes
    if free is not None and needed > free and order.device == "cpu":
        raise BadArgumentError(
            f"a source of shape {order.shape} is too large to compare here",
            why=f"it and two results of its size take {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free",
            fix="pass a smaller --shape; how a method grows shows --sizes",
        )

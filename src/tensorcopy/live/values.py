"""Whether a result holds the values of its source: exactly, rounded as its dtype rounds, or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any

from .dtypes import DTYPES, ML_DTYPES, name_of_numpy, name_of_torch
from .libraries import is_instance, is_ndarray, is_tensor, load

_COMPARED = 1 << 20
"""How many elements are compared; of more, so many are taken at even distances, the first and last row among them."""

MOST_DIMENSIONS = 64
"""How many a tensor can have."""


class Fidelity(Enum):
    """How true a result is to its source."""

    EXACT = "exact"
    ROUNDED = "rounded"
    OTHER_VALUES = "other values"
    OTHER_SHAPE = "other shape"
    UNMASKED = "mask dropped"
    UNKNOWN = "not compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How true a result is, and the first element that tells."""

    fidelity: Fidelity
    text: str = ""


_EXACT = Difference(fidelity=Fidelity.EXACT)


def difference(x: Any, y: Any) -> Difference:
    """How the tensor or array *y* differs from *x*: a tensor, an array, a masked array or a nested list of numbers."""
    if isinstance(x, (list, tuple)):
        return _from_list(x, y)
    if tuple(x.shape) != tuple(y.shape):
        return _other_shape(tuple(x.shape), tuple(y.shape))
    if _hides(x) and not is_instance(y, "numpy.ma", "MaskedArray"):
        return Difference(fidelity=Fidelity.UNMASKED, text="the mask is dropped, and hidden values become data")
    if 0 in x.shape:
        return _EXACT
    if _device(y) == "meta":
        return Difference(fidelity=Fidelity.UNKNOWN, text="the result lies on meta and holds no values")
    return _compared(_plain(_thinned(x)), _plain(_thinned(y)), _rounding_of(y))


def twice(y: Any, shape: Sequence[int]) -> tuple[Any, Any] | None:
    """The two halves of *y*, if its shape is that of two things of *shape*, stacked or one behind the other."""
    shape, found = tuple(shape), tuple(y.shape)
    if found == (2, *shape):
        return y[0], y[1]
    if shape and found == (2 * shape[0], *shape[1:]):
        return y[: shape[0]], y[shape[0] :]
    return None


def _other_shape(wanted: tuple[int, ...], got: tuple[int, ...]) -> Difference:
    return Difference(fidelity=Fidelity.OTHER_SHAPE, text=f"the shape becomes {got}, not {wanted}")


def _hides(x: Any) -> bool:
    return is_instance(x, "numpy.ma", "MaskedArray") and bool(load("numpy").ma.is_masked(x))


def _device(obj: Any) -> str:
    return str(obj.device.type) if is_tensor(obj) else "cpu"


def _thinned(obj: Any) -> Any:
    """*obj*, or a view of rows at even distances along its longest dimension."""
    size = 1
    for length in obj.shape:
        size *= length
    if size <= _COMPARED:
        return obj
    axis = max(range(len(obj.shape)), key=lambda k: obj.shape[k])
    step = max(1, min(size // _COMPARED, obj.shape[axis] - 1))
    return obj[(slice(None),) * axis + (slice(None, None, step),)]


def _plain(obj: Any) -> Any:
    """The values as a NumPy array of a dtype that holds them exactly."""
    numpy = load("numpy")
    if not is_tensor(obj):
        array = numpy.ma.getdata(obj) if is_instance(obj, "numpy.ma", "MaskedArray") else numpy.asarray(obj)
        return array.astype(numpy.float32) if name_of_numpy(array.dtype) in ML_DTYPES else array
    torch = load("torch")
    values = obj.detach().as_subclass(torch.Tensor).resolve_conj().resolve_neg().cpu()
    name = name_of_torch(values.dtype)
    if name == "complex32":
        values = values.to(torch.complex64)
    elif name in ML_DTYPES:
        values = values.to(torch.float32)
    return values.numpy()


def _rounding_of(y: Any) -> float:
    """The relative step of the dtype of *y*; 0 for integers, which do not round."""
    name = name_of_torch(y.dtype) if is_tensor(y) else name_of_numpy(y.dtype)
    known = DTYPES.get(name)
    return 1 / known.exact if known is not None and known.exact else 0.0


def _compared(a: Any, b: Any, step: float) -> Difference:
    numpy = load("numpy")
    with numpy.errstate(all="ignore"):
        different = ~_same(a, b)
        if not different.any():
            return _EXACT
        place = tuple(int(k) for k in numpy.unravel_index(int(different.argmax()), different.shape))
        old, new = a[place], b[place]
        rounds = step and a.dtype.kind in "fc" and b.dtype.kind in "fc" and bool(_close(a, b, step)[different].all())
    return _changed(old, new, place, rounds=bool(rounds))


def _same(a: Any, b: Any) -> Any:
    """Where two arrays hold the same number. An integer beside a float has to survive the way there and back."""
    numpy = load("numpy")
    same = numpy.asarray(a == b)
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        return same | ((a != a) & (b != b))
    if a.dtype.kind in "iu" and b.dtype.kind in "fc" and a.dtype.itemsize > 2:
        return same & (b.real.astype(a.dtype) == a) & (abs(b.real) < 2.0**63)
    return same


def _close(a: Any, b: Any, step: float) -> Any:
    return abs(b.astype("complex128") - a) <= step * abs(a) + 1e-37


def _changed(old: Any, new: Any, place: tuple[int, ...], *, rounds: bool) -> Difference:
    where = f" at {list(place)}" if place else ""
    fidelity = Fidelity.ROUNDED if rounds else Fidelity.OTHER_VALUES
    return Difference(fidelity=fidelity, text=f"{_number(old)} becomes {_number(new)}{where}")


def _number(value: Any) -> str:
    return repr(value.item() if hasattr(value, "item") else value)


def _from_list(x: Sequence[Any], y: Any) -> Difference:
    shape = nest_shape(x)
    if shape != tuple(y.shape):
        return _other_shape(shape, tuple(y.shape))
    if 0 in shape:
        return _EXACT
    wanted, got = _flat(x, len(shape)), _flat(y.tolist(), len(shape))
    return _EXACT if wanted == got else _first_change(wanted, got, shape, _rounding_of(y))


def nest_shape(x: Any) -> tuple[int, ...]:
    """The lengths of nested lists, of the first member each, and the shape of an array or tensor in the innermost.

    Ends after as many dimensions as a tensor can have, so that a list within itself has an end.
    """
    shape: list[int] = []
    while isinstance(x, (list, tuple)) and len(shape) <= MOST_DIMENSIONS:
        shape.append(len(x))
        x = x[0] if x else None
    return (*shape, *getattr(x, "shape", ()))


def _flat(nest: Any, depth: int) -> list[Any]:
    """All numbers of a rectangular nest in row-major order."""
    for _ in range(depth - 1):
        nest = chain.from_iterable(_listed(member) for member in nest)
    return [member.item() if hasattr(member, "item") else member for member in nest]


def _listed(member: Any) -> Any:
    return member.tolist() if is_tensor(member) or is_ndarray(member) else member


def _first_change(wanted: list[Any], got: list[Any], shape: tuple[int, ...], step: float) -> Difference:
    changed = [k for k, (a, b) in enumerate(zip(wanted, got, strict=True)) if a != b and (a == a or b == b)]
    if not changed:
        return _EXACT
    rounds = all(isinstance(wanted[k], (float, complex)) and _near(wanted[k], got[k], step) for k in changed)
    return _changed(wanted[changed[0]], got[changed[0]], _place(changed[0], shape), rounds=rounds)


def _near(a: Any, b: Any, step: float) -> bool:
    return bool(step and abs(b - a) <= step * abs(a) + 1e-37)


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        index.append(flat % size)
        flat //= size
    return tuple(reversed(index))

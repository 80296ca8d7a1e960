"""Whether a value survives a change of element type, and which one does not.

``casting="checked"`` lets a floating value be rounded to a nearer floating type and refuses every other change;
``"same_value"`` refuses the rounding too; ``"unsafe"`` asks for the loss. `can_lose` decides from the two types alone,
so most conversions are never checked; `find_loss` looks at the values, first by their range, then one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import BadArgumentError, LossyConversionError, TensorcopyError
from ..live.dtypes import DTYPES, Dtype
from .places import path_at, place

CASTINGS = ("checked", "same_value", "unsafe")


def require_casting(casting: str) -> str:
    """*casting* itself, or `BadArgumentError` if it is none of `CASTINGS`."""
    if casting not in CASTINGS:
        raise BadArgumentError(
            f"casting={casting!r} is not known",
            why="it decides what happens to a value that the result cannot hold",
            fix="pass 'checked', 'same_value' or 'unsafe'",
        )
    return casting


def can_lose(source: str, target: str, casting: str) -> bool:
    """Whether some value of type *source* would be refused on its way to *target* under *casting*."""
    if casting == "unsafe" or source == target:
        return False
    a, b = DTYPES[source], DTYPES[target]
    if a.kind == "b":
        return False
    if a.kind in "iu":
        return not (b.low <= a.low and a.high <= b.high) if b.kind in "biu" else max(-a.low, a.high) > b.exact
    if b.kind in "biu" or (a.kind == "c" and b.kind == "f"):
        return True
    return a.largest > b.largest or (a.has_inf and not b.has_inf) or (casting == "same_value" and a.exact > b.exact)


def find_loss(xp: Any, source: Any, result: Any, names: tuple[str, str], casting: str) -> tuple[int, ...] | None:
    """Index of the first element of *source* that *result* does not hold, or None.

    *source* and *result* are arrays of one shape and of the library *xp* (torch or NumPy), before and after the cast;
    *names* are their dtype names.
    """
    if 0 in source.shape:
        return None
    a, b = DTYPES[names[0]], DTYPES[names[1]]
    source, a = _widened(xp, source, a)
    result, b_seen = _widened(xp, result, b)
    if _range_is_safe(xp, source, result, a, b, casting):
        return None
    return _first(xp, _lost(xp, source, result, a, b_seen, b, casting))


def _widened(xp: Any, values: Any, dtype: Dtype) -> tuple[Any, Dtype]:
    """8- and 16-bit floats as float32, where both libraries can compare them; exact."""
    if dtype.kind == "f" and dtype.bytes < 4:
        wide = DTYPES["float32"]
        return (values.astype("float32") if xp.__name__ == "numpy" else values.float()), wide
    return values, dtype


def _range_is_safe(xp: Any, source: Any, result: Any, a: Dtype, b: Dtype, casting: str) -> bool:
    """Whether the smallest and largest value prove that nothing was lost; False says nothing."""
    if a.kind in "iu" and b.kind in "biufc":
        low, high = _min_max(xp, source)
        limits = (b.low, b.high) if b.kind in "biu" else (-b.exact, b.exact)
        return bool(limits[0] <= low and high <= limits[1])
    if a.kind == b.kind == "f" and casting == "checked" and b.has_inf:
        low, high = _min_max(xp, result)
        return bool(-b.largest <= low and high <= b.largest)
    return False


def _min_max(xp: Any, values: Any) -> tuple[Any, Any]:
    if xp.__name__ == "numpy":
        return values.min(), values.max()
    low, high = xp.aminmax(values)
    return low.item(), high.item()


def _lost(xp: Any, source: Any, result: Any, a: Dtype, b_seen: Dtype, b: Dtype, casting: str) -> Any:
    """A boolean array: true where the value did not survive. *b_seen* is the type that *result* has been widened to."""
    if a.kind == "c" and b.kind == "c":
        part = DTYPES["float64" if b.bytes == 16 else "float32"]
        return _lost(xp, source.real, result.real, _real_of(a), part, part, casting) | _lost(
            xp, source.imag, result.imag, _real_of(a), part, part, casting
        )
    if a.kind == "c":
        return (source.imag != 0) | _lost(xp, source.real, result, _real_of(a), b_seen, b, casting)
    if b.kind == "c":
        part = DTYPES["float64" if b.bytes == 16 else "float32"]
        return _lost(xp, source, result.real, a, part, part, casting)
    if b.kind == "b":
        return (source != 0) & (source != 1)
    if a.kind in "iu":
        return _integer_lost(xp, source, result, a, b)
    if b.kind in "iu":
        return ~((source == xp.trunc(source)) & (source >= b.low) & (source < float(b.high + 1)))
    return _float_lost(xp, source, result, b, casting)


def _real_of(dtype: Dtype) -> Dtype:
    return DTYPES["float64" if dtype.bytes == 16 else "float32"]


def _integer_lost(xp: Any, source: Any, result: Any, a: Dtype, b: Dtype) -> Any:
    if b.kind in "iu":
        outside = xp.zeros_like(source, dtype=bool if xp.__name__ == "numpy" else xp.bool)
        if a.low < b.low:
            outside = outside | (source < b.low)
        return outside | (source > b.high) if a.high > b.high else outside
    held = (result >= float(a.low)) & (result < float(a.high + 1))  # -inf would come back as the smallest integer
    back = xp.where(held, result, 0)
    back = back.astype(source.dtype) if xp.__name__ == "numpy" else back.to(source.dtype)
    return ~held | (back != source)


def _float_lost(xp: Any, source: Any, result: Any, b: Dtype, casting: str) -> Any:
    nan = xp.isnan(source)
    if casting == "same_value":
        return ~((result == source) | nan)
    if not b.has_inf:
        return (xp.abs(source) > b.largest) & ~nan
    return xp.isinf(result) & ~xp.isinf(source)


def _first(xp: Any, lost: Any) -> tuple[int, ...] | None:
    """Index of the first true element, in row-major order."""
    if not bool(lost.any()):
        return None
    flat = int((lost.reshape(-1) if xp.__name__ == "numpy" else lost.reshape(-1).to(xp.uint8)).argmax())
    return path_at(flat, lost.shape)


def loss_error(value: Any, index: tuple[int, ...], source: str, target: str) -> LossyConversionError:
    """The refusal of one *value* at *index*, naming a dtype that would hold it."""
    where = place(index) or "the only element"
    return LossyConversionError(
        f"{source} value {value!r} at {where} cannot become {target}",
        why=_reason(value, target),
        fix=advice(fitting_dtype(value, source)),
    )


def advice(dtype: str, why: str = "") -> str:
    """The fix that names *dtype*, and perhaps *why* this one."""
    return f"pass dtype={dtype!r}{', ' + why if why else ''}, or casting='unsafe' to accept the change"


EXACT = "which holds it exactly"
_ADVISED = {advice(name, why): name for name in DTYPES for why in ("", EXACT)}
_WIDE = ("int64", "uint64", "float64", "complex128")


def advised_dtype(error: LossyConversionError) -> str | None:
    """The dtype that *error* advises, None if it advises none."""
    return _ADVISED.get(error.fix)


def followable(error: LossyConversionError, attempt: Callable[[str], object]) -> LossyConversionError:
    """*error* itself if the dtype that it names takes all values of the source, else one whose advice can be followed.

    One value alone tells what holds it, and not what holds those beside it. *attempt* converts the source to a dtype,
    or raises; its results are dropped.
    """
    advised = advised_dtype(error)
    if advised is None or _succeeds(attempt, advised):
        return error
    better = next((name for name in _WIDE if name != advised and _succeeds(attempt, name)), None)
    fix = _NO_DTYPE if better is None else advice(better)
    return LossyConversionError(error.what, why=error.why, fix=fix)


_NO_DTYPE = "pass casting='unsafe' to accept the change; no dtype holds all the values beside it too"


def _succeeds(attempt: Callable[[str], object], dtype: str) -> bool:
    try:
        attempt(dtype)
    except (TensorcopyError, RuntimeError, TypeError, ValueError, MemoryError):
        return False
    return True


def _reason(value: Any, target: str) -> str:
    b = DTYPES[target]
    if isinstance(value, complex) and b.kind != "c":
        return f"{target} has no imaginary part"
    if b.kind == "b":
        return "only 0 and 1 are truth values"
    if b.kind in "iu":
        if value != value or value in (float("inf"), float("-inf")):
            return "an integer type has no NaN or infinity"
        if isinstance(value, float) and value != int(value):
            return "the fraction would be cut off"
        return f"{target} holds {b.low} to {b.high}, and the value would wrap around"
    if isinstance(value, int) and abs(value) <= b.largest:
        return f"{target} holds every integer only up to {b.exact}, and the value would be rounded"
    if not isinstance(value, complex) and abs(value) <= b.largest:
        return f"{target} would round it"
    return f"{target} ends at {b.largest:g}"


def fitting_dtype(value: Any, source: str) -> str:
    """The name of a dtype that holds *value* exactly: the source's own, or the smallest usual one."""
    if source in DTYPES:
        return source
    if isinstance(value, complex):
        return "complex128"
    if isinstance(value, float):
        return "float64"
    return "int64" if -(2**63) <= value < 2**63 else "uint64" if 0 <= value < 2**64 else "float64"

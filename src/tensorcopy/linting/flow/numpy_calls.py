"""Calls of NumPy that the catalogue does not describe, or that are given something unknown."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

from . import dtypes
from . import values as v
from .applying import mapped_traits
from .making import fresh, shared
from .sites import Site
from .values import Value
from .vocabulary import NUMPY_COMPUTED, NUMPY_FACTORIES

_CONVERTERS = frozenset(["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy"])
_REDUCTIONS = frozenset(["sum", "mean", "max", "min", "std", "var", "median", "dot", "argmax", "argmin"])
_KEEP_DTYPE = frozenset(["stack", "concatenate", "clip", "vstack", "hstack"])
_FLOAT64 = frozenset(
    ["zeros", "ones", "empty", "eye", "linspace", "rand", "randn", "random", "random_sample", "uniform", "normal"]
)
# Where the size is among the arguments of a draw from a distribution.
_SIZE_AT = {"uniform": 2, "normal": 2, "randint": 2, "beta": 2, "gamma": 2, "poisson": 1, "exponential": 1}
_NO_ARRAYS = frozenset(["seed", "shuffle", "default_rng", "RandomState", "get_state", "set_state"])
_FLIPPED = frozenset(["flip", "fliplr", "flipud", "rot90"])
_COMPUTED_FROM = frozenset((v.ARRAY, v.TENSOR, v.UNKNOWN, v.LIST, v.JAX))


def numpy_result(site: Site, name: str) -> Value | None:
    """The result of a call of NumPy, None if unknown."""
    last = name.rpartition(".")[2]
    if name.startswith("numpy.fft.") and last in dtypes.SPECTRA:
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, dtype="complex128")
    if name in ("numpy.load", "numpy.memmap"):
        return _mapped(site, last)
    if name == "numpy.dtype":
        return site.first
    if name.startswith("numpy.ma.masked") or name in ("numpy.ma.array", "numpy.ma.MaskedArray"):
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, traits=frozenset(("masked",)))
    if last in _CONVERTERS:
        return _converted(site, last)
    if name.startswith("numpy.random."):
        return _random(site, last)
    if last in NUMPY_FACTORIES:
        return _made(site, last)
    if last in _FLIPPED:
        return Value(v.ARRAY, site.node, traits=frozenset(("negative",)))
    if last in NUMPY_COMPUTED:
        return _computed(site, last)
    return Value(v.FLOAT, site.node, dtype=last) if last in ("float32", "float64", "float16") else None


def described(site: Site, found: Value) -> Value:
    """An array with what its call says of its dtype."""
    if found.kind != v.ARRAY:
        return found
    asked = [site.keywords.get("dtype"), *site.args[1:]]
    found.dtype = dtype_asked(asked) or found.dtype
    found.traits |= array_traits(asked) | _content(site.first)
    return found


def _mapped(site: Site, last: str) -> Value | None:
    """An array from a file; None for an archive of several, as far as can be told."""
    mode = site.keywords.get("mode" if last == "memmap" else "mmap_mode")
    if last == "load" and mode is None:
        return None
    return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, traits=mapped_traits(mode))


def _converted(site: Site, last: str) -> Value:
    source = site.first
    dtype = site.numpy_dtype or (dtypes.of_literal(source) if source is not None else "")
    traits = array_traits([site.keywords.get("dtype")]) | _content(source)
    if last in ("array", "copy") or source is None or not source.regions:
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, dtype=dtype, traits=traits)
    seen = "readonly" if source.kind == "picture" and not site.numpy_dtype else "may copy"
    facts = {"kind": v.ARRAY, "dtype": dtype, "graph": v.OFF, "traits": frozenset((seen,))}
    return shared(site.frame, site.node, source, f"np.{last}", **facts)


def _random(site: Site, last: str) -> Value | None:
    if last in _NO_ARRAYS:
        return None
    if not site.args and not site.keywords:
        return Value(v.FLOAT, site.node)
    return _one_draw(site, last) if _is_unsized(site, last) else _made(site, last)


def _is_unsized(site: Site, last: str) -> bool:
    """Whether a draw from a distribution is asked for no size."""
    place = _SIZE_AT.get(last)
    if place is None or len(site.args) > place or any(type(a) is ast.Starred for a in site.node.args):
        return False
    return all(k.arg not in ("size", None) for k in site.node.keywords)


def _one_draw(site: Site, last: str) -> Value | None:
    """One number, or an array where a parameter is one; None where that can't be told."""
    given = [*site.args, *site.keywords.values()]
    if any(a is not None and a.kind in (v.ARRAY, v.LIST, v.TUPLE, v.TENSOR, v.SERIES) for a in given):
        return _made(site, last)
    known = all(a is not None and a.kind in v.NUMBERS for a in given)
    return Value(v.INT if last == "randint" else v.FLOAT, site.node) if known else None


def _made(site: Site, last: str) -> Value:
    asked = [site.keywords.get("dtype"), *site.args[1:]]
    dtype = dtype_asked(asked) or _default_dtype(site, last)
    return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, dtype=dtype, traits=array_traits(asked))


def _default_dtype(site: Site, last: str) -> str:
    if "dtype" in site.keywords:
        return ""
    if last == "arange":
        return "int64" if site.args and all(a is not None and a.kind == v.INT for a in site.args) else ""
    # Their second argument may be a dtype.
    told = last in ("zeros", "ones", "empty") and len(site.args) > 1
    return "float64" if last in _FLOAT64 and not told else ""


def _computed(site: Site, last: str) -> Value:
    out = site.keywords.get("out")
    if out is not None and out.kind in (v.ARRAY, v.UNKNOWN):
        site.frame.write(site.node, out, "out")
        return out
    operands = site.operands
    if not any(o is None or o.kind in _COMPUTED_FROM for o in operands):
        return Value(v.FLOAT, site.node)
    if last in _REDUCTIONS and "axis" not in site.keywords and len(site.args) < 2:
        return Value(v.INT if last.startswith("arg") else v.FLOAT, site.node)
    dtype = dtypes.common(operands, v.ARRAY) if last in _KEEP_DTYPE else ""
    cut = next((o.cut for o in operands if o is not None and o.cut is not None), None)
    return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, dtype=dtype, cut=cut)


def dtype_asked(asked: Iterable[Value | None]) -> str:
    """The dtype named by an object or a text among *asked*."""
    for value in asked:
        if found := dtypes.dtype_of(value):
            return found
        if value is not None and value.kind == v.TEXT and isinstance(value.const, str):
            return dtypes.named(value.const.lstrip(">"))
    return ""


def array_traits(asked: Iterable[Value | None]) -> frozenset[str]:
    """Facts on the dtype of an array that torch cares about, from what was asked for."""
    return frozenset(trait for value in asked if value is not None and (trait := _dtype_trait(value)))


def _dtype_trait(dtype: Value) -> str:
    if dtype.kind == v.LIST and dtype.items and all(i is not None and i.kind == v.TUPLE for i in dtype.items):
        return "structured"
    if dtype.kind == v.TEXT and isinstance(dtype.const, str) and dtype.const.startswith(">"):
        return "big-endian" if dtype.const[1:] not in ("i1", "u1", "b") else ""
    if dtype.kind == v.DTYPE and str(dtype.ref).startswith("ml_dtypes."):
        return "ml_dtypes"
    return "objects" if dtype.kind == v.LIBRARY and dtype.ref == "builtins.object" else ""


def number_traits(items: Iterable[Value | None], *, rounds: bool = False) -> frozenset[str]:
    """Facts on the numbers written in a list: NaN among them, one that float32 would round or float16 has not.

    rounds: floats among them become float32.
    """
    found = set()
    for item in items:
        if item is not None and "nan" in item.traits:
            found.add("nan")
        if item is not None and isinstance(item.const, int) and item.const % 2 and abs(item.const) > 2**24:
            found.add("past 2**24")
        if item is not None and type(item.const) in (int, float) and 65520 <= abs(item.const) < math.inf:
            found.add("past float16")
        if rounds and item is not None and type(item.const) is float and dtypes.is_rounded(item.const):
            found.add("rounded")
    return frozenset(found)


def _content(source: Value | None) -> frozenset[str]:
    """Facts on an array that follow from the list it is made of."""
    if source is None:
        return frozenset()
    if source.kind == "dict view":
        return frozenset(("objects",))
    items = source.items if source.kind in (v.LIST, v.TUPLE) else None
    if not items:
        return frozenset()
    if all(i is not None and i.kind == v.TEXT for i in items):
        return frozenset(("text",))
    if any(i is not None and i.kind == v.NOTHING for i in items):
        return frozenset(("objects",))
    numbers = all(i is not None and i.kind in v.NUMBERS for i in items)
    return number_traits(items) | frozenset(("1-d",) if numbers else ())

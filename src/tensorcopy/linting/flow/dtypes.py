"""What a call says of dtypes: names in all their spellings, the dtype asked for, and the one that literals get."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from . import values as v
from .values import Value

DTYPES = frozenset(
    [
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "float",
        "double",
        "half",
        "int8",
        "int16",
        "int32",
        "int64",
        "int",
        "long",
        "short",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "bool",
        "complex64",
        "complex128",
        "cfloat",
        "cdouble",
        "bool_",
        "float_",
        "int_",
        "single",
        "longlong",
        "intp",
        "float8_e4m3fn",
        "float8_e5m2",
    ]
)
_REAL_OF = {"complex64": "float32", "complex128": "float64"}
_COMPLEX_OF = {"float64": "complex128", "complex128": "complex128"}
_TORCH = {
    "cfloat": "complex64",
    "cdouble": "complex128",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}
_NUMPY = {
    "float": "float64",
    "double": "float64",
    "half": "float16",
    "int": "int64",
    "long": "int64",
    "bool_": "bool",
    "float_": "float64",
    "int_": "int64",
    "single": "float32",
    "longlong": "int64",
    "intp": "int64",
    "short": "int16",
}
PYTHON = {"builtins.float": "float64", "builtins.int": "int64", "builtins.bool": "bool", "builtins.object": "object"}
_CODES = {
    "f4": "float32",
    "f8": "float64",
    "f2": "float16",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "?": "bool",
    "O": "object",
    "float": "float64",
    "int": "int64",
}
_INDICES = frozenset(
    [
        "argmax",
        "argmin",
        "argsort",
        "nonzero",
        "argwhere",
        "bincount",
        "count_nonzero",
        "searchsorted",
        "bucketize",
        "multinomial",
    ]
)
# Functions that give integers for integers, whatever their other arguments are.
_KEEP_WHOLE = frozenset(
    [
        "abs",
        "neg",
        "negative",
        "sign",
        "flip",
        "roll",
        "sort",
        "max",
        "min",
        "amax",
        "amin",
        "gather",
        "index_select",
        "masked_select",
        "take",
        "tril",
        "triu",
        "diag",
        "unique",
        "floor",
        "ceil",
        "trunc",
    ]
)
# Functions of torch.fft and numpy.fft that give complex numbers, whatever they are given.
SPECTRA = frozenset(["fft", "rfft", "fft2", "rfft2", "fftn", "rfftn"])
# What comes back of them is complex as well, but by then its imaginary part may be nothing but rounding.
_INVERSES = frozenset(["ifft", "ifft2", "ifftn", "irfft", "irfft2", "irfftn", "hfft", "hfft2", "hfftn"])
TRANSFORMS = SPECTRA | _INVERSES
_TESTS = frozenset(
    [
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "isnan",
        "isinf",
        "isfinite",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "isin",
        "isclose",
    ]
)


def torch_name(name: str) -> str:
    """``"float32"`` of torch's ``float``."""
    return _TORCH.get(name, name)


def real_of(name: str) -> str:
    """The dtype of the parts of a complex dtype, or the dtype itself."""
    return _REAL_OF.get(name, name)


def numpy_name(name: str) -> str:
    """``"float64"`` of NumPy's ``float``."""
    return _NUMPY.get(name, name)


def named(text: str) -> str:
    """The dtype of a text like ``"<f4"`` or ``"float32"``."""
    return _CODES.get(text.lstrip("<=|>"), text.lstrip("<=|>"))


def is_dtype(value: Value) -> bool:
    """Whether the value is a dtype object, or one of Python's types that stand for one."""
    return value.kind == v.DTYPE or (value.kind == v.LIBRARY and value.ref in PYTHON)


def dtype_of(value: Value | None) -> str:
    """The name of the dtype that a value is, empty if it is none or not known."""
    if value is None:
        return ""
    if value.kind == v.DTYPE:
        return value.const if isinstance(value.const, str) else ""
    return PYTHON.get(str(value.ref), "") if value.kind == v.LIBRARY else ""


def asked_for(args: Sequence[Value | None], keywords: Mapping[str, Value | None]) -> str:
    """The dtype asked for as an object, or as text by keyword; empty if none is or it can't be told."""
    text = keywords.get("dtype")
    for value in (text, *args):
        if found := dtype_of(value):
            return found
    return named(text.const) if text is not None and text.kind == v.TEXT and isinstance(text.const, str) else ""


def of_literal(value: Value | None) -> str:
    """The dtype NumPy gives a number or a list of numbers: int64 for integers, float64 once a float is among them."""
    if value is None:
        return ""
    if value.kind in v.NUMBERS:
        return {v.INT: "int64", v.FLOAT: "float64", v.BOOL: "bool"}[value.kind]
    if value.kind not in (v.LIST, v.TUPLE) or not isinstance(value.items, list) or not value.items:
        return ""
    found = {of_literal(item) for item in value.items}
    if "" in found or not found <= {"int64", "float64", "bool"}:
        return ""
    return next(name for name in ("float64", "int64", "bool") if name in found)


def computed(name: str, operands: Sequence[Value | None]) -> str:
    """The dtype of what a function computes of tensors, where it can be told."""
    if name in _INDICES:
        return "int64"
    if name in _TESTS:
        return "bool"
    if name in _INVERSES:
        return ""
    if name in SPECTRA:
        return _COMPLEX_OF.get(common(operands, v.TENSOR), "complex64")
    found = common(operands, v.TENSOR)
    if found.startswith(("int", "uint", "bool")):
        return _of_whole(name, found)
    return real_of(found) if name in ("abs", "absolute", "angle") else found


def _of_whole(name: str, found: str) -> str:
    """The dtype of what is computed of integers: most functions make floats of them, sums are int64."""
    if name in ("sum", "prod", "cumsum", "cumprod"):
        return "int64"
    return found if name in _KEEP_WHOLE else ""


def is_rounded(number: float) -> bool:
    """Whether float32 cannot hold a finite number exactly."""
    return abs(number) < 3e38 and bool(struct.unpack("f", struct.pack("f", number))[0] != number)


def is_discrete(name: str) -> bool:
    """Whether a function gives indices or truth values, which have no gradient."""
    return name in _INDICES or name in _TESTS


def common(operands: Sequence[Value | None], kind: str) -> str:
    """The one dtype that all operands of *kind* have."""
    found = {operand.dtype for operand in operands if operand is not None and operand.kind == kind}
    return found.pop() if len(found) == 1 else ""

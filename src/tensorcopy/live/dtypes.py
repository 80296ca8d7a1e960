"""Element types by name: what each can hold, and its object in torch, NumPy and ml_dtypes.

The three libraries use one set of names (``float32``, ``bfloat16``, ``float8_e4m3fn`` …): a name is the currency here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import BadArgumentError, UnsupportedDtypeError
from .libraries import load, loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Dtype:
    """What one element type can hold. ``exact`` is the largest N such that every integer in [-N, N] is exact."""

    name: str
    kind: str
    """``b`` bool, ``i`` signed, ``u`` unsigned, ``f`` real floating, ``c`` complex."""
    bytes: int
    low: int = 0
    high: int = 0
    exact: int = 0
    largest: float = 0.0
    """Largest finite value of a floating type (of each part, for a complex one)."""
    has_inf: bool = True


def _integers() -> list[Dtype]:
    signed = [
        Dtype(name=f"int{n}", kind="i", bytes=n // 8, low=-(2 ** (n - 1)), high=2 ** (n - 1) - 1)
        for n in (8, 16, 32, 64)
    ]
    unsigned = [Dtype(name=f"uint{n}", kind="u", bytes=n // 8, low=0, high=2**n - 1) for n in (8, 16, 32, 64)]
    return [Dtype(name="bool", kind="b", bytes=1, low=0, high=1), *signed, *unsigned]


def _floating() -> list[Dtype]:
    single, double = (2 - 2.0**-23) * 2.0**127, (2 - 2.0**-52) * 2.0**1023
    return [
        Dtype(name="float8_e4m3fn", kind="f", bytes=1, exact=2**4, largest=448.0, has_inf=False),
        Dtype(name="float8_e4m3fnuz", kind="f", bytes=1, exact=2**4, largest=240.0, has_inf=False),
        Dtype(name="float8_e5m2", kind="f", bytes=1, exact=2**3, largest=57344.0),
        Dtype(name="float8_e5m2fnuz", kind="f", bytes=1, exact=2**3, largest=57344.0, has_inf=False),
        Dtype(name="float16", kind="f", bytes=2, exact=2**11, largest=65504.0),
        Dtype(name="bfloat16", kind="f", bytes=2, exact=2**8, largest=(2 - 2.0**-7) * 2.0**127),
        Dtype(name="float32", kind="f", bytes=4, exact=2**24, largest=single),
        Dtype(name="float64", kind="f", bytes=8, exact=2**53, largest=double),
        Dtype(name="complex32", kind="c", bytes=4, exact=2**11, largest=65504.0),
        Dtype(name="complex64", kind="c", bytes=8, exact=2**24, largest=single),
        Dtype(name="complex128", kind="c", bytes=16, exact=2**53, largest=double),
    ]


DTYPES: dict[str, Dtype] = {d.name: d for d in (*_integers(), *_floating())}
"""Every element type that a conversion can read or make, by name."""

ML_DTYPES = frozenset(n for n in DTYPES if n.startswith("float8") or n == "bfloat16")
"""The names that NumPy knows only through the package ml_dtypes."""

_SPELLINGS = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}
_SPELLINGS |= {"cfloat": "complex64", "cdouble": "complex128", "bool_": "bool", "chalf": "complex32"}
_PYTHON = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}

_torch_dtypes: dict[str, Any] = {}
_names_of_torch: dict[Any, str] = {}
_names_of_numpy: dict[Any, str] = {}
"""Names of the dtypes seen so far; NumPy makes up the name of one anew each time it is asked."""


def torch_dtype(name: str) -> Any:
    """The ``torch.dtype`` called *name*; `UnsupportedDtypeError` where this torch has none."""
    found = _torch_dtypes.get(name)
    if found is None:
        found = getattr(load("torch"), name, None)
        if found is None:
            raise _missing(name, "torch", loaded("torch"))
        _torch_dtypes[name] = found
    return found


def numpy_dtype(name: str) -> Any:
    """The ``numpy.dtype`` called *name*, from ml_dtypes for bfloat16 and float8."""
    numpy = load("numpy")
    if name in ML_DTYPES:
        return numpy.dtype(getattr(load("ml_dtypes"), name))
    if name == "complex32":
        raise _missing(name, "NumPy", numpy)
    return numpy.dtype(name)


def _missing(name: str, library: str, module: Any) -> UnsupportedDtypeError:
    version = getattr(module, "__version__", "")
    return UnsupportedDtypeError(
        f"{library} {version} has no dtype {name}",
        why="the result cannot hold such elements there",
        fix="pass dtype= with one that it has, such as float32",
    )


def name_of_torch(dtype: Any) -> str:
    """The name of a ``torch.dtype``, such as ``float32``."""
    found = _names_of_torch.get(dtype)
    if found is None:
        found = _names_of_torch[dtype] = str(dtype).rpartition(".")[2]
    return found


def name_of_numpy(dtype: Any) -> str:
    """The name of a ``numpy.dtype`` whatever its byte order; not checked to be numeric."""
    found = _names_of_numpy.get(dtype)
    if found is None:
        found = str(dtype.name)
        if found in DTYPES:
            _names_of_numpy[dtype] = found
    return found


def default_float() -> str:
    """The name of ``torch.get_default_dtype()``, or ``float32`` while torch is not loaded."""
    torch = loaded("torch")
    return name_of_torch(torch.get_default_dtype()) if torch is not None else "float32"


def name_of(dtype: Any) -> str:
    """The name of a dtype given as a torch or NumPy dtype, a scalar type, a Python type or a string."""
    if type(dtype).__module__ == "torch" and type(dtype).__name__ == "dtype":
        name = name_of_torch(dtype)
    elif isinstance(dtype, str):
        name = dtype.removeprefix("torch.")
        name = _SPELLINGS.get(name, name)
    else:
        name = _PYTHON.get(dtype) or _name_through_numpy(dtype)
    if name not in DTYPES:
        name = _name_through_numpy(name) if isinstance(dtype, str) else name
    if name not in DTYPES:
        raise _unknown(dtype)
    return name


def _name_through_numpy(dtype: Any) -> str:
    numpy = load("numpy")
    try:
        found = numpy.dtype(dtype)
    except TypeError:
        raise _unknown(dtype) from None
    if not found.isnative:
        raise BadArgumentError(
            f"dtype {found.str!r} asks for a foreign byte order",
            why="results are made in the byte order of this machine",
            fix=f"pass dtype={found.name!r}",
        )
    return str(found.name)


def _unknown(dtype: Any) -> UnsupportedDtypeError:
    return UnsupportedDtypeError(
        f"unknown dtype {dtype!r}",
        why="a conversion makes numbers of one of " + ", ".join(DTYPES),
        fix="pass one of these names, a torch.dtype or a numpy.dtype",
    )

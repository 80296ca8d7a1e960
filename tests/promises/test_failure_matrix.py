"""Every kind of object that people pass to a conversion comes out right, or is refused with a reason and a way out."""

from __future__ import annotations

import pickle
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy import errors
from tests.promises.matrix import SOURCES


class Outcome(NamedTuple):
    """What `to_torch` makes of a source: a dtype, values, and whether it lies on the source's memory; or an error."""

    dtype: str = ""
    values: Any = None
    shares: bool = False
    error: type[tc.TensorcopyError] | None = None
    what: str = ""
    fix: str = ""


def copies(dtype: str, values: Any) -> Outcome:
    return Outcome(dtype, values)


def shares(dtype: str, values: Any) -> Outcome:
    return Outcome(dtype, values, shares=True)


def raises(error: type[tc.TensorcopyError], what: str, fix: str) -> Outcome:
    return Outcome(error=error, what=what, fix=fix)


EXPECTED = {
    "int 5": copies("int64", 5),
    "int 0": copies("int64", 0),
    "int -3": copies("int64", -3),
    "int 2**24+1": copies("int64", 16777217),
    "int 2**53+1": copies("int64", 9007199254740993),
    "int 2**63": raises(
        errors.LossyConversionError,
        "int value 9223372036854775808 at the only element cannot become int64",
        "pass dtype='uint64', or casting='unsafe' to accept the change",
    ),
    "int 2**64": raises(
        errors.LossyConversionError,
        "int value 18446744073709551616 at the only element cannot become int64",
        "pass dtype='float64', which holds it exactly, or casting='unsafe' to accept the change",
    ),
    "float 0.1": copies("float32", 0.10000000149011612),
    "float nan": copies("float32", nan),
    "float 1e300": raises(
        errors.LossyConversionError,
        "float value 1e+300 at the only element cannot become float32",
        "pass dtype='float64', or casting='unsafe' to accept the change",
    ),
    "bool True": copies("bool", True),
    "complex 1+2j": copies("complex64", (1 + 2j)),
    "None": raises(
        errors.UnsupportedSourceError,
        "cannot convert NoneType None",
        "leave it out, or convert the number that should be there",
    ),
    "str 'abc'": raises(
        errors.UnsupportedSourceError, "cannot convert str 'abc'", "parse it first, as with float(text)"
    ),
    "str ''": raises(errors.UnsupportedSourceError, "cannot convert str ''", "parse it first, as with float(text)"),
    "str '5'": raises(errors.UnsupportedSourceError, "cannot convert str '5'", "parse it first, as with float(text)"),
    "Decimal 0.1": raises(errors.UnsupportedSourceError, "cannot convert Decimal 0.1", "call float(value) on it first"),
    "Fraction 1/3": raises(
        errors.UnsupportedSourceError, "cannot convert Fraction 1/3", "call float(value) on it first"
    ),
    "datetime": raises(
        errors.UnsupportedSourceError,
        "cannot convert datetime 2020-01-01 00:00:00",
        "choose the unit, as with value.timestamp()",
    ),
    "object()": raises(
        errors.UnsupportedSourceError,
        "cannot convert object",
        "take the numbers out of it first, as a list or an array",
    ),
    "np.float64(0.1)": copies("float64", 0.1),
    "np.float32(0.1)": copies("float32", 0.10000000149011612),
    "np.int64(5)": copies("int64", 5),
    "np.uint8(5)": copies("uint8", 5),
    "np.uint64(2**63)": copies("uint64", 9223372036854775808),
    "np.bool_(True)": copies("bool", True),
    "np.datetime64": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of datetime64[D]",
        "choose the unit: array.astype('datetime64[ns]').view('int64')",
    ),
    "np.str_": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of <U1",
        "map each string to a number first, or parse it with array.astype('float64')",
    ),
    "[]": copies("float32", []),
    "[[]]": copies("float32", [[]]),
    "[1, 2, 3]": copies("int64", [1, 2, 3]),
    "(1, 2, 3) tuple": copies("int64", [1, 2, 3]),
    "[1.5, 2, 3] mixed": copies("float32", [1.5, 2.0, 3.0]),
    "[0.1, 0.2] doubles": copies("float32", [0.10000000149011612, 0.20000000298023224]),
    "[16777217, 0.5] big int + float": raises(
        errors.LossyConversionError,
        "int value 16777217 at [0] cannot become float32",
        "pass dtype='float64', which holds it exactly, or casting='unsafe' to accept the change",
    ),
    "[2**53+1] int": copies("int64", [9007199254740993]),
    "[2**63] int": raises(
        errors.LossyConversionError,
        "int value 9223372036854775808 at [0] cannot become int64",
        "pass dtype='uint64', or casting='unsafe' to accept the change",
    ),
    "[1e300] float": raises(
        errors.LossyConversionError,
        "float value 1e+300 at [0] cannot become float32",
        "pass dtype='float64', or casting='unsafe' to accept the change",
    ),
    "[True, 2]": copies("int64", [1, 2]),
    "[True, 2.5]": copies("float32", [1.0, 2.5]),
    "[1, 2j]": copies("complex64", [(1 + 0j), 2j]),
    "[True, False]": copies("bool", [True, False]),
    "[nan, 1]": copies("float32", [nan, 1.0]),
    "[1, None]": raises(
        errors.LossyConversionError,
        "found None at [1], not a number",
        "pass null= with a number to put there, for example float('nan'), or leave it out",
    ),
    "['1', '2']": raises(
        errors.UnsupportedSourceError, "found str '1' at [0], not a number", "parse it first, as with float(text)"
    ),
    "[[1, 2], [3]] ragged": raises(
        errors.RaggedError,
        "the sequence at [1] has length 1, not 2",
        "pad or cut the rows to one length, or make one tensor for each",
    ),
    "[[1, 2], 3] ragged depth": raises(
        errors.RaggedError, "found the number 3 at [1], not a sequence of length 2", "bring all numbers to one depth"
    ),
    "[1, [2]] ragged depth 2": raises(
        errors.RaggedError, "found a list of length 1 at [1], not a number", "bring all numbers to one depth"
    ),
    "self-referencing list": raises(
        errors.NestError,
        "the list at [1] contains itself",
        "take it out of itself, or copy its numbers into a new list",
    ),
    "nested list 2x2": copies("int64", [[1, 2], [3, 4]]),
    "list of equal ndarrays f8": copies("float64", [[1.5, 2.0], [3.5, 4.0]]),
    "list of ndarrays int then float": copies("float64", [[1.0, 2.0], [3.5, 4.0]]),
    "list of ndarrays float then int": copies("float64", [[3.5, 4.0], [1.0, 2.0]]),
    "list of ragged ndarrays": raises(
        errors.RaggedError,
        "nest is ragged at [1]: expected shape (2,), found shape (1,)",
        "pad or trim the parts, or convert them one by one",
    ),
    "list of 0-d ndarrays": copies("float64", [1.5, 2.5]),
    "list of np.float64": copies("float64", [0.1, 2.0]),
    "list of np.float32": copies("float32", [0.5, 2.0]),
    "list of np.int32": copies("int32", [1, 2]),
    "list [np.float32, int]": raises(
        errors.LossyConversionError,
        "int value 16777217 at [1] cannot become float32",
        "pass dtype='float64', which holds it exactly, or casting='unsafe' to accept the change",
    ),
    "list of 0-d tensors": copies("float32", [1.5, 2.5]),
    "list of 0-d tensors requires_grad": copies("float32", [1.5, 2.5]),
    "list of 0-d int64 tensors": copies("int64", [9007199254740993, 2]),
    "list of 0-d float64 tensors": copies("float64", [0.1, 2.0]),
    "list [0-d float tensor, int]": copies("float32", [1.5, 2.0]),
    "list [int, 0-d float tensor]": copies("float32", [2.0, 1.5]),
    "list of (1,)-shape tensors": copies("float32", [[1.5], [2.5]]),
    "list of (2,)-shape tensors": copies("float32", [[1.5, 2.0], [2.5, 3.0]]),
    "list of (1,1)-shape tensors": copies("float32", [[[1.5]], [[2.5]]]),
    "list of lists of 0-d tensors": copies("float32", [[1.5], [2.5]]),
    "list of bf16 tensors": copies("bfloat16", [1.5, 2.5]),
    "list of Decimals": raises(
        errors.UnsupportedSourceError, "cannot convert Decimal 0.5 at [0]", "call float(value) on it first"
    ),
    "list of bool ndarrays": copies("bool", [[True], [False]]),
    "list of uint8 ndarrays": copies("uint8", [[1], [2]]),
    "range(5)": copies("int64", [0, 1, 2, 3, 4]),
    "generator": copies("int64", [0, 1, 2]),
    "set {1,2}": raises(errors.UnsupportedSourceError, "cannot convert set", "pass sorted(values) or list(values)"),
    "dict": raises(
        errors.UnsupportedSourceError,
        "cannot convert dict of 1",
        "pass list(mapping.values()), or tensorcopy.copy for a nest of tensors",
    ),
    "dict {0: 5, 1: 6}": raises(
        errors.UnsupportedSourceError,
        "cannot convert dict of 2",
        "pass list(mapping.values()), or tensorcopy.copy for a nest of tensors",
    ),
    "deque": copies("int64", [1, 2]),
    "UserList": copies("int64", [1, 2]),
    "torch.Size([2,3])": copies("int64", [2, 3]),
    "map object": copies("int64", [1, 2]),
    "dict.values()": copies("int64", [1, 2]),
    "str list nested": raises(
        errors.UnsupportedSourceError, "found str 'a' at [0][0], not a number", "parse it first, as with float(text)"
    ),
    "list of str digits": raises(
        errors.UnsupportedSourceError, "found str '1' at [0], not a number", "parse it first, as with float(text)"
    ),
    "IntEnum": copies("int64", 3),
    'bytes b"\\x01\\x02\\x03\\x04"': copies("uint8", [1, 2, 3, 4]),
    "bytes 3 long": copies("uint8", [1, 2, 3]),
    "bytes empty": shares("uint8", []),
    "bytearray": shares("uint8", [1, 2, 3, 4]),
    "memoryview of bytearray": shares("uint8", [1, 2, 3, 4]),
    "memoryview of float64 ndarray": shares("float64", [1.5, 2.5]),
    "memoryview of 2-D int64 ndarray": shares("int64", [[1, 2], [3, 4]]),
    "array.array('i')": shares("int32", [1, 2, 3]),
    "array.array('d')": shares("float64", [1.5, 2.5]),
    "array.array('f')": shares("float32", [1.5, 2.5]),
    "array.array('u')": raises(
        errors.UnsupportedSourceError,
        "cannot convert array of format 'w'",
        "pass list(map(ord, buffer)), its code points",
    ),
    "mmap": shares("uint8", [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    "ndarray f8": shares("float64", [[0.1, 2.0], [3.0, 4.0]]),
    "ndarray f4": shares("float32", [1.5, 2.5]),
    "ndarray f2": shares("float16", [1.5, 2.5]),
    "ndarray i8 big 2**53+1": shares("int64", [9007199254740993, 16777217]),
    "ndarray i4": shares("int32", [1, 2]),
    "ndarray u1": shares("uint8", [1, 2]),
    "ndarray u2": shares("uint16", [1, 2]),
    "ndarray u4": shares("uint32", [4294967295, 2]),
    "ndarray u8 > int64": shares("uint64", [18446744073709551615, 2]),
    "ndarray bool": shares("bool", [True, False]),
    "ndarray c8": shares("complex64", [(1 + 2j)]),
    "ndarray c16": shares("complex128", [(0.1 + 2j)]),
    "ndarray longdouble": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of float128",
        "round it yourself with array.astype('float64' or 'complex128') first",
    ),
    "ndarray clongdouble": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of complex256",
        "round it yourself with array.astype('float64' or 'complex128') first",
    ),
    "ndarray read-only f4": copies("float32", [1.5, 2.5]),
    "ndarray broadcast (0-stride, read-only)": copies("float32", [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]),
    "ndarray negative stride": copies("float32", [2.0, 1.0, 0.0]),
    "ndarray 2-D negative stride": copies("float32", [[1.0, 0.0], [3.0, 2.0]]),
    "ndarray step slice": shares("float32", [0.0, 2.0, 4.0]),
    "ndarray F-order": shares("float32", [[0.0, 2.0], [1.0, 3.0]]),
    "ndarray 0-d f4": shares("float32", 3.5),
    "ndarray 0-d int": shares("int64", 3),
    "ndarray empty (0,3)": shares("float32", []),
    "ndarray big-endian f4": copies("float32", [1.5, 2.5]),
    "ndarray big-endian i8": copies("int64", [1, 2]),
    "ndarray big-endian i1 (>i1)": shares("int8", [1, 2]),
    "ndarray object of floats": copies("float32", [1.5, 2.5]),
    "ndarray object ragged": raises(
        errors.RaggedError,
        "the sequence at [1] has length 1, not 2",
        "pad or cut the rows to one length, or make one tensor for each",
    ),
    "ndarray object of None": raises(
        errors.LossyConversionError,
        "found None at [0], not a number",
        "pass null= with a number to put there, for example float('nan'), or leave it out",
    ),
    "ndarray object of arrays": copies("int64", [[0, 1], [0, 1]]),
    "ndarray str": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of <U1",
        "map each string to a number first, or parse it with array.astype('float64')",
    ),
    "ndarray bytes S": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of |S1",
        "for raw bytes use array.view('uint8'), for digits array.astype('int64')",
    ),
    "ndarray StringDType": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of StringDType()",
        "map each string to a number first, or parse it with array.astype('float64')",
    ),
    "ndarray datetime64": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of datetime64[s]",
        "choose the unit: array.astype('datetime64[ns]').view('int64')",
    ),
    "ndarray datetime64 NaT": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of datetime64[s]",
        "choose the unit: array.astype('datetime64[ns]').view('int64')",
    ),
    "ndarray timedelta64": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of timedelta64[s]",
        "choose the unit: array / numpy.timedelta64(1, 's')",
    ),
    "ndarray structured": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of [('a', '<f8'), ('b', '<i4')]",
        "convert a field, such as array['a'], or each of a, b",
    ),
    "ndarray structured field (unaligned stride 12)": copies("float64", [1.5, 2.5]),
    "ndarray structured field i4 (stride 12)": shares("int32", [2, 3]),
    "ndarray unaligned": copies("float64", [1.5, 2.5]),
    "ndarray void": raises(
        errors.UnsupportedSourceError, "cannot convert NumPy array of |V4", "give them one with array.view(dtype)"
    ),
    "np.recarray": raises(
        errors.UnsupportedSourceError,
        "cannot convert NumPy array of (numpy.record, [('a', '<f8'), ('b', '<i4')])",
        "convert a field, such as array['a'], or each of a, b",
    ),
    "np.ma masked f4": raises(
        errors.LossyConversionError,
        "masked array has 1 masked of 3 elements, the first at [1]",
        "pass null= with the value to put there, or convert array.data and array.mask separately",
    ),
    "np.ma masked int": raises(
        errors.LossyConversionError,
        "masked array has 1 masked of 3 elements, the first at [1]",
        "pass null= with the value to put there, or convert array.data and array.mask separately",
    ),
    "np.ma.masked constant": raises(
        errors.LossyConversionError,
        "masked array has 1 masked of 1 elements, the first at its only element",
        "pass null= with the value to put there, or convert array.data and array.mask separately",
    ),
    "np.matrix f4": shares("float32", [[1.0, 2.0]]),
    "np.memmap mode 'r'": copies("float32", [0.0, 1.0, 2.0, 3.0]),
    "np.memmap mode 'r+'": shares("float32", [0.0, 1.0, 2.0, 3.0]),
    "np.memmap mode 'c'": shares("float32", [0.0, 1.0, 2.0, 3.0]),
    "np.frombuffer(bytes)": copies("float32", [1.5, 2.5]),
    "ndarray subclass": shares("float32", [1.5, 2.5]),
    "ndarray nan/inf": shares("float32", [nan, inf, -inf]),
    "ndarray 64-dim": shares("float32", np.zeros((1,) * 64).tolist()),
    "ndarray huge-virtual broadcast": copies("float32", [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]),
    "ndarray ml_dtypes bfloat16": shares("bfloat16", [1.5, 2.5]),
    "ndarray ml_dtypes float8_e4m3fn": shares("float8_e4m3fn", [1.5, 2.5]),
    "ndarray ml_dtypes int4": raises(
        errors.UnsupportedSourceError, "cannot convert NumPy array of int4", "widen it first, with array.astype('int8')"
    ),
    "ml_dtypes bfloat16 scalar": copies("bfloat16", 1.5),
    "tensor f4": shares("float32", [1.5, 2.5]),
    "tensor f4 requires_grad": shares("float32", [1.5, 2.5]),
    "tensor non-leaf": shares("float32", [3.0, 5.0]),
    "tensor f8": shares("float64", [0.1]),
    "tensor i8": shares("int64", [9007199254740993]),
    "tensor 0-d f4": shares("float32", 1.5),
    "tensor 0-d i8": shares("int64", 3),
    "tensor bf16": shares("bfloat16", [1.5]),
    "tensor bool": shares("bool", [True]),
    "tensor conj view": shares("complex64", [(1 - 2j)]),
    "tensor neg view": shares("float32", [-2.0]),
    "tensor sparse": shares("float32", [[1.0, 0.0], [0.0, 1.0]]),
    "tensor meta": shares("float32", None),
    "tensor expanded": shares("float32", [1.5, 1.5]),
    "Parameter": shares("float32", [1.5]),
    "tensor subclass": shares("float32", [1.5]),
    "tensor float8": shares("float8_e4m3fn", [1.5]),
    "tensor storage": shares("uint8", [0, 0, 192, 63, 0, 0, 32, 64]),
    "obj with __array__ only": shares("float64", [1.5, 2.5]),
    "obj with __array_interface__ only": shares("float64", [1.5, 2.5]),
    "obj __array_interface__ + sequence": shares("float64", [1.5, 2.5]),
    "obj sequence protocol only": copies("float32", [1.5, 2.5]),
    "obj with __dlpack__": shares("float32", [1.5, 2.5]),
    "obj with __float__": raises(
        errors.UnsupportedSourceError, "cannot convert WithFloat", "call float(value) on it first"
    ),
    "obj with __index__": raises(
        errors.UnsupportedSourceError, "cannot convert WithIndex", "call operator.index(value) on it first"
    ),
    "[obj with __float__]": raises(
        errors.UnsupportedSourceError, "cannot convert WithFloat at [0]", "call float(value) on it first"
    ),
    "[obj with __index__]": raises(
        errors.UnsupportedSourceError, "cannot convert WithIndex at [0]", "call operator.index(value) on it first"
    ),
    "[obj with __array__]": copies("float64", [[1.5, 2.5]]),
    "pd.Series float": copies("float64", [0.1, 2.5, 3.5]),
    "pd.Series int": copies("int64", [1, 2, 3]),
    "pd.Series index 1..3": copies("int64", [10, 20, 30]),
    "pd.Series index reversed": copies("int64", [10, 20, 30]),
    "pd.Series str index": copies("int64", [10, 20]),
    "pd.Series filtered": copies("int64", [3, 4]),
    "pd.Series nullable Int64 with NA": raises(
        errors.LossyConversionError,
        "pandas Series has 1 null among 2 elements, the first at row [1]",
        "pass null=0 or another number, or fill or drop the nulls first",
    ),
    "pd.Series bool": copies("bool", [True, False]),
    "pd.Series str": raises(
        errors.UnsupportedSourceError,
        "cannot convert pandas Series of dtype str",
        "parse it first with pandas.to_numeric, or encode it with pandas.factorize",
    ),
    "pd.Series category": raises(
        errors.UnsupportedSourceError,
        "cannot convert pandas Series of dtype category",
        "take them on purpose with .cat.codes (.codes of an index), or its values with .astype('float64')",
    ),
    "pd.Series datetime": raises(
        errors.UnsupportedSourceError,
        "cannot convert pandas Series of dtype datetime64[us]",
        "take the count on purpose, with .astype('int64')",
    ),
    "pd.Series nullable Int64 no NA": copies("int64", [1, 2]),
    "pd.Series object ints": copies("int64", [1, 2]),
    "pd.DataFrame": copies("int64", [[1, 3], [2, 4]]),
    "pd.DataFrame int column names": copies("int64", [[1, 2], [3, 4]]),
    "pd.DataFrame mixed dtypes": copies("float64", [[1.0, 0.5], [2.0, 4.0]]),
    "pd.Index": copies("int64", [1, 2]),
    "pd.Series.values": copies("float64", [0.1, 2.5]),
    "pd.Series.to_numpy()": copies("float64", [0.1, 2.5]),
    "pd.NA": raises(
        errors.UnsupportedSourceError,
        "cannot convert NAType",
        "leave it out, or convert the number that should be there",
    ),
    "list of pd.Series": copies("float64", [[0.1, 2.0], [3.5, 4.0]]),
    "pyarrow array": copies("float64", [1.5, 2.5]),
    "pyarrow array with null": raises(
        errors.LossyConversionError,
        "Arrow DoubleArray has 1 null among 2 elements, the first at row [1]",
        "pass null=float('nan') or another number, or fill or drop the nulls first",
    ),
    "PIL image L 2x2": copies("uint8", [[7, 7], [7, 7]]),
    "PIL image RGB 2x2": copies("uint8", [[[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]]]),
}

CONVERTED = [name for name, outcome in EXPECTED.items() if outcome.error is None]
REFUSED = [name for name, outcome in EXPECTED.items() if outcome.error is not None]
GRAPH = ("list of 0-d tensors requires_grad", "tensor f4 requires_grad", "tensor non-leaf", "Parameter")
NOT_IN_NUMPY = {"tensor sparse": errors.UnsupportedSourceError, "tensor meta": errors.WrongDeviceError}
NOT_IN_NUMPY |= dict.fromkeys(GRAPH, errors.GraphError)


def plain(values: Any) -> Any:
    """*values* in a form in which NaN equals NaN."""
    return repr(values.tolist() if hasattr(values, "tolist") else values)


def values_of(result: torch.Tensor) -> Any:
    return None if result.is_meta else (result.to_dense() if result.is_sparse else result).detach()


def test_the_table_and_the_sources_are_about_the_same_things():
    assert list(EXPECTED) == list(SOURCES)


@pytest.mark.parametrize("name", CONVERTED)
def test_it_becomes_a_tensor_with_its_own_values(name):
    result = tc.to_torch(SOURCES[name]())
    assert str(result.dtype) == f"torch.{EXPECTED[name].dtype}"
    assert plain(values_of(result)) == plain(EXPECTED[name].values)
    assert result.requires_grad is (name in GRAPH)


@pytest.mark.parametrize("name", [name for name in CONVERTED if name not in ("generator", "map object")])
def test_it_is_shared_or_copied_as_the_table_says(name):
    source = SOURCES[name]()
    first, second = tc.to_torch(source), tc.to_torch(source)
    assert tc.plan(source, to="torch").shares is EXPECTED[name].shares
    if first.numel() and not (first.is_meta or first.is_sparse):
        assert (first.data_ptr() == second.data_ptr()) is EXPECTED[name].shares


@pytest.mark.parametrize("name", [name for name in CONVERTED if name not in NOT_IN_NUMPY])
def test_it_becomes_an_array_with_the_same_values(name):
    result = tc.to_numpy(SOURCES[name]())
    expected = EXPECTED[name]
    if expected.dtype in ("float32", "complex64") and result.dtype.name != expected.dtype:
        assert result.dtype.name == {"float32": "float64", "complex64": "complex128"}[expected.dtype]
        result = result.astype(expected.dtype)
    assert result.dtype.name == expected.dtype
    assert plain(result.astype("float32") if expected.dtype in ("bfloat16", "float8_e4m3fn") else result) == plain(
        expected.values
    )


@pytest.mark.parametrize("name", NOT_IN_NUMPY)
def test_what_numpy_cannot_hold_is_refused(name):
    with pytest.raises(NOT_IN_NUMPY[name], match=r".+ · .+ · .+"):
        tc.to_numpy(SOURCES[name]())


@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy], ids=["torch", "numpy"])
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_reason_and_a_way_out(name, convert):
    outcome = EXPECTED[name]
    if convert is tc.to_numpy and name in ONLY_TORCH:
        assert convert(SOURCES[name]()).tolist() == ONLY_TORCH[name]
        return
    with pytest.raises(outcome.error) as caught:
        convert(SOURCES[name]())
    error = caught.value
    assert (error.what, error.fix) == (outcome.what, outcome.fix)
    assert error.why
    assert str(error) == f"{error.what} · {error.why} · {error.fix}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


ONLY_TORCH = {
    "float 1e300": 1e300,
    "[1e300] float": [1e300],
    "[16777217, 0.5] big int + float": [16777217.0, 0.5],
}
"""Refused because torch's default dtype is float32; NumPy's is float64, which holds them."""


@pytest.mark.parametrize("name", [name for name in REFUSED if not SOURCES[name].__name__.startswith("object")])
def test_what_is_refused_is_not_planned_either_unless_only_its_values_are_wrong(name):
    looked_at = ("value", "found", "the sequence at", "the list at", "nest is ragged", "at [0]")
    if any(part in EXPECTED[name].what for part in looked_at):
        assert tc.plan(SOURCES[name](), to="torch").shares is False
    else:
        with pytest.raises(EXPECTED[name].error):
            tc.plan(SOURCES[name](), to="torch")

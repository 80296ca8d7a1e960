"""Every kind of object that people pass to a conversion, by name: how to build it afresh."""

from __future__ import annotations

import array
import datetime
import mmap
import tempfile
from collections import UserList, deque
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from PIL import Image


class Level(IntEnum):
    THREE = 3


class Tracked(np.ndarray):
    """A plain ndarray subclass."""


class Tagged(torch.Tensor):
    """A plain tensor subclass."""


class WithMethod:
    def __init__(self) -> None:
        self.held = np.array([1.5, 2.5])

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.held


class WithInterface:
    def __init__(self) -> None:
        self.held = np.array([1.5, 2.5])

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.held.__array_interface__


class InterfaceAndSequence(WithInterface):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return float(self.held[index])


class OnlySequence:
    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return [1.5, 2.5][index]


class WithCapsule:
    def __init__(self) -> None:
        self.held = torch.tensor([1.5, 2.5])

    def __dlpack__(self, **options: Any) -> Any:
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.held.__dlpack_device__()


class WithFloat:
    def __float__(self) -> float:
        return 1.5


class WithIndex:
    def __index__(self) -> int:
        return 3


def itself() -> list[Any]:
    nest: list[Any] = [1]
    nest.append(nest)
    return nest


def leaf(value: float) -> torch.Tensor:
    return torch.tensor(value, requires_grad=True)


def mapped() -> mmap.mmap:
    memory = mmap.mmap(-1, 16)
    memory[:4] = bytes([1, 2, 3, 4])
    return memory


def objects(*values: Any) -> np.ndarray:
    result = np.empty(len(values), object)
    result[:] = values
    return result


def read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def records() -> np.ndarray:
    return np.array([(1.5, 2), (2.5, 3)], [("a", "f8"), ("b", "i4")])


def unaligned() -> np.ndarray:
    return np.frombuffer(bytearray(b"\0" + np.array([1.5, 2.5]).tobytes()), "uint8")[1:].view("float64")


def memory_map(mode: str) -> np.memmap:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "data"
    np.arange(4, dtype="float32").tofile(path)
    result = np.memmap(path, "float32", mode)
    folder.cleanup()
    return result


SOURCES: dict[str, Any] = {
    "int 5": lambda: 5,
    "int 0": lambda: 0,
    "int -3": lambda: -3,
    "int 2**24+1": lambda: 2**24 + 1,
    "int 2**53+1": lambda: 2**53 + 1,
    "int 2**63": lambda: 2**63,
    "int 2**64": lambda: 2**64,
    "float 0.1": lambda: 0.1,
    "float nan": lambda: float("nan"),
    "float 1e300": lambda: 1e300,
    "bool True": lambda: True,
    "complex 1+2j": lambda: 1 + 2j,
    "None": lambda: None,
    "str 'abc'": lambda: "abc",
    "str ''": lambda: "",
    "str '5'": lambda: "5",
    "Decimal 0.1": lambda: Decimal("0.1"),
    "Fraction 1/3": lambda: Fraction(1, 3),
    "datetime": lambda: datetime.datetime(2020, 1, 1),
    "object()": object,
    "np.float64(0.1)": lambda: np.float64(0.1),
    "np.float32(0.1)": lambda: np.float32(0.1),
    "np.int64(5)": lambda: np.int64(5),
    "np.uint8(5)": lambda: np.uint8(5),
    "np.uint64(2**63)": lambda: np.uint64(2**63),
    "np.bool_(True)": lambda: np.bool_(True),
    "np.datetime64": lambda: np.datetime64("2020-01-01"),
    "np.str_": lambda: np.str_("a"),
    "[]": list,
    "[[]]": lambda: [[]],
    "[1, 2, 3]": lambda: [1, 2, 3],
    "(1, 2, 3) tuple": lambda: (1, 2, 3),
    "[1.5, 2, 3] mixed": lambda: [1.5, 2, 3],
    "[0.1, 0.2] doubles": lambda: [0.1, 0.2],
    "[16777217, 0.5] big int + float": lambda: [16777217, 0.5],
    "[2**53+1] int": lambda: [2**53 + 1],
    "[2**63] int": lambda: [2**63],
    "[1e300] float": lambda: [1e300],
    "[True, 2]": lambda: [True, 2],
    "[True, 2.5]": lambda: [True, 2.5],
    "[1, 2j]": lambda: [1, 2j],
    "[True, False]": lambda: [True, False],
    "[nan, 1]": lambda: [float("nan"), 1],
    "[1, None]": lambda: [1, None],
    "['1', '2']": lambda: ["1", "2"],
    "[[1, 2], [3]] ragged": lambda: [[1, 2], [3]],
    "[[1, 2], 3] ragged depth": lambda: [[1, 2], 3],
    "[1, [2]] ragged depth 2": lambda: [1, [2]],
    "self-referencing list": itself,
    "nested list 2x2": lambda: [[1, 2], [3, 4]],
    "list of equal ndarrays f8": lambda: [np.array([1.5, 2]), np.array([3.5, 4])],
    "list of ndarrays int then float": lambda: [np.array([1, 2]), np.array([3.5, 4])],
    "list of ndarrays float then int": lambda: [np.array([3.5, 4]), np.array([1, 2])],
    "list of ragged ndarrays": lambda: [np.array([1.5, 2]), np.array([3.5])],
    "list of 0-d ndarrays": lambda: [np.array(1.5), np.array(2.5)],
    "list of np.float64": lambda: [np.float64(0.1), np.float64(2)],
    "list of np.float32": lambda: [np.float32(0.5), np.float32(2)],
    "list of np.int32": lambda: [np.int32(1), np.int32(2)],
    "list [np.float32, int]": lambda: [np.float32(0.5), 16777217],
    "list of 0-d tensors": lambda: [torch.tensor(1.5), torch.tensor(2.5)],
    "list of 0-d tensors requires_grad": lambda: [leaf(1.5), leaf(2.5)],
    "list of 0-d int64 tensors": lambda: [torch.tensor(2**53 + 1), torch.tensor(2)],
    "list of 0-d float64 tensors": lambda: [
        torch.tensor(0.1, dtype=torch.float64),
        torch.tensor(2, dtype=torch.float64),
    ],
    "list [0-d float tensor, int]": lambda: [torch.tensor(1.5), 2],
    "list [int, 0-d float tensor]": lambda: [2, torch.tensor(1.5)],
    "list of (1,)-shape tensors": lambda: [torch.tensor([1.5]), torch.tensor([2.5])],
    "list of (2,)-shape tensors": lambda: [torch.tensor([1.5, 2]), torch.tensor([2.5, 3])],
    "list of (1,1)-shape tensors": lambda: [torch.tensor([[1.5]]), torch.tensor([[2.5]])],
    "list of lists of 0-d tensors": lambda: [[torch.tensor(1.5)], [torch.tensor(2.5)]],
    "list of bf16 tensors": lambda: [torch.tensor(1.5).bfloat16(), torch.tensor(2.5).bfloat16()],
    "list of Decimals": lambda: [Decimal("0.5")],
    "list of bool ndarrays": lambda: [np.array([True]), np.array([False])],
    "list of uint8 ndarrays": lambda: [np.array([1], "uint8"), np.array([2], "uint8")],
    "range(5)": lambda: range(5),
    "generator": lambda: (i for i in range(3)),
    "set {1,2}": lambda: {1, 2},
    "dict": lambda: {"a": 1},
    "dict {0: 5, 1: 6}": lambda: {0: 5, 1: 6},
    "deque": lambda: deque([1, 2]),
    "UserList": lambda: UserList([1, 2]),
    "torch.Size([2,3])": lambda: torch.Size([2, 3]),
    "map object": lambda: map(int, "12"),
    "dict.values()": lambda: {"a": 1, "b": 2}.values(),
    "str list nested": lambda: [["a"], ["b"]],
    "list of str digits": lambda: ["1", "2"],
    "IntEnum": lambda: Level.THREE,
    'bytes b"\\x01\\x02\\x03\\x04"': lambda: b"\x01\x02\x03\x04",
    "bytes 3 long": lambda: b"\x01\x02\x03",
    "bytes empty": lambda: b"",
    "bytearray": lambda: bytearray([1, 2, 3, 4]),
    "memoryview of bytearray": lambda: memoryview(bytearray([1, 2, 3, 4])),
    "memoryview of float64 ndarray": lambda: memoryview(np.array([1.5, 2.5])),
    "memoryview of 2-D int64 ndarray": lambda: memoryview(np.array([[1, 2], [3, 4]])),
    "array.array('i')": lambda: array.array("i", [1, 2, 3]),
    "array.array('d')": lambda: array.array("d", [1.5, 2.5]),
    "array.array('f')": lambda: array.array("f", [1.5, 2.5]),
    "array.array('u')": lambda: array.array("u", "ab"),
    "mmap": mapped,
    "ndarray f8": lambda: np.array([[0.1, 2], [3, 4]]),
    "ndarray f4": lambda: np.array([1.5, 2.5], "f4"),
    "ndarray f2": lambda: np.array([1.5, 2.5], "f2"),
    "ndarray i8 big 2**53+1": lambda: np.array([2**53 + 1, 2**24 + 1]),
    "ndarray i4": lambda: np.array([1, 2], "i4"),
    "ndarray u1": lambda: np.array([1, 2], "u1"),
    "ndarray u2": lambda: np.array([1, 2], "u2"),
    "ndarray u4": lambda: np.array([2**32 - 1, 2], "u4"),
    "ndarray u8 > int64": lambda: np.array([2**64 - 1, 2], "u8"),
    "ndarray bool": lambda: np.array([True, False]),
    "ndarray c8": lambda: np.array([1 + 2j], "c8"),
    "ndarray c16": lambda: np.array([0.1 + 2j]),
    "ndarray longdouble": lambda: np.array([1.5], np.longdouble),
    "ndarray clongdouble": lambda: np.array([1.5], np.clongdouble),
    "ndarray read-only f4": lambda: read_only(np.array([1.5, 2.5], "f4")),
    "ndarray broadcast (0-stride, read-only)": lambda: np.broadcast_to(np.arange(3, dtype="f4"), (2, 3)),
    "ndarray negative stride": lambda: np.arange(3, dtype="f4")[::-1],
    "ndarray 2-D negative stride": lambda: np.arange(4, dtype="f4").reshape(2, 2)[:, ::-1],
    "ndarray step slice": lambda: np.arange(6, dtype="f4")[::2],
    "ndarray F-order": lambda: np.arange(4, dtype="f4").reshape(2, 2, order="F"),
    "ndarray 0-d f4": lambda: np.array(3.5, "f4"),
    "ndarray 0-d int": lambda: np.array(3),
    "ndarray empty (0,3)": lambda: np.empty((0, 3), "f4"),
    "ndarray big-endian f4": lambda: np.array([1.5, 2.5], ">f4"),
    "ndarray big-endian i8": lambda: np.array([1, 2], ">i8"),
    "ndarray big-endian i1 (>i1)": lambda: np.array([1, 2], ">i1"),
    "ndarray object of floats": lambda: objects(1.5, 2.5),
    "ndarray object ragged": lambda: objects([1, 2], [3]),
    "ndarray object of None": lambda: objects(None, 1),
    "ndarray object of arrays": lambda: objects(np.arange(2), np.arange(2)),
    "ndarray str": lambda: np.array(["a", "b"]),
    "ndarray bytes S": lambda: np.array([b"a"]),
    "ndarray StringDType": lambda: np.array(["a"], np.dtypes.StringDType()),
    "ndarray datetime64": lambda: np.array(["2020-01-01"], "M8[s]"),
    "ndarray datetime64 NaT": lambda: np.array(["NaT"], "M8[s]"),
    "ndarray timedelta64": lambda: np.array([1], "m8[s]"),
    "ndarray structured": records,
    "ndarray structured field (unaligned stride 12)": lambda: records()["a"],
    "ndarray structured field i4 (stride 12)": lambda: records()["b"],
    "ndarray unaligned": unaligned,
    "ndarray void": lambda: np.zeros(2, "V4"),
    "np.recarray": lambda: records().view(np.recarray),
    "np.ma masked f4": lambda: np.ma.array([1, 999, 3], mask=[0, 1, 0], dtype="f4"),
    "np.ma masked int": lambda: np.ma.array([1, 999, 3], mask=[0, 1, 0]),
    "np.ma.masked constant": lambda: np.ma.masked,
    "np.matrix f4": lambda: np.array([[1, 2]], "f4").view(np.matrix),
    "np.memmap mode 'r'": lambda: memory_map("r"),
    "np.memmap mode 'r+'": lambda: memory_map("r+"),
    "np.memmap mode 'c'": lambda: memory_map("c"),
    "np.frombuffer(bytes)": lambda: np.frombuffer(np.array([1.5, 2.5], "f4").tobytes(), "f4"),
    "ndarray subclass": lambda: np.array([1.5, 2.5], "f4").view(Tracked),
    "ndarray nan/inf": lambda: np.array([np.nan, np.inf, -np.inf], "f4"),
    "ndarray 64-dim": lambda: np.zeros((1,) * 64, "f4"),
    "ndarray huge-virtual broadcast": lambda: np.broadcast_to(np.float32(1), (3, 2)),
    "ndarray ml_dtypes bfloat16": lambda: np.array([1.5, 2.5], ml_dtypes.bfloat16),
    "ndarray ml_dtypes float8_e4m3fn": lambda: np.array([1.5, 2.5], ml_dtypes.float8_e4m3fn),
    "ndarray ml_dtypes int4": lambda: np.array([1, 2], ml_dtypes.int4),
    "ml_dtypes bfloat16 scalar": lambda: ml_dtypes.bfloat16(1.5),
    "tensor f4": lambda: torch.tensor([1.5, 2.5]),
    "tensor f4 requires_grad": lambda: torch.tensor([1.5, 2.5], requires_grad=True),
    "tensor non-leaf": lambda: torch.tensor([1.5, 2.5], requires_grad=True) * 2,
    "tensor f8": lambda: torch.tensor([0.1], dtype=torch.float64),
    "tensor i8": lambda: torch.tensor([2**53 + 1]),
    "tensor 0-d f4": lambda: torch.tensor(1.5),
    "tensor 0-d i8": lambda: torch.tensor(3),
    "tensor bf16": lambda: torch.tensor([1.5]).bfloat16(),
    "tensor bool": lambda: torch.tensor([True]),
    "tensor conj view": lambda: torch.tensor([1 + 2j]).conj(),
    "tensor neg view": lambda: torch.tensor([1 + 2j]).conj().imag,
    "tensor sparse": lambda: torch.eye(2).to_sparse(),
    "tensor meta": lambda: torch.empty(2, device="meta"),
    "tensor expanded": lambda: torch.tensor([1.5]).expand(2),
    "Parameter": lambda: torch.nn.Parameter(torch.tensor([1.5])),
    "tensor subclass": lambda: torch.tensor([1.5]).as_subclass(Tagged),
    "tensor float8": lambda: torch.tensor([1.5]).to(torch.float8_e4m3fn),
    "tensor storage": lambda: torch.tensor([1.5, 2.5]).untyped_storage(),
    "obj with __array__ only": WithMethod,
    "obj with __array_interface__ only": WithInterface,
    "obj __array_interface__ + sequence": InterfaceAndSequence,
    "obj sequence protocol only": OnlySequence,
    "obj with __dlpack__": WithCapsule,
    "obj with __float__": WithFloat,
    "obj with __index__": WithIndex,
    "[obj with __float__]": lambda: [WithFloat()],
    "[obj with __index__]": lambda: [WithIndex()],
    "[obj with __array__]": lambda: [WithMethod()],
    "pd.Series float": lambda: pd.Series([0.1, 2.5, 3.5]),
    "pd.Series int": lambda: pd.Series([1, 2, 3]),
    "pd.Series index 1..3": lambda: pd.Series([10, 20, 30], [1, 2, 3]),
    "pd.Series index reversed": lambda: pd.Series([10, 20, 30], [2, 1, 0]),
    "pd.Series str index": lambda: pd.Series([10, 20], ["a", "b"]),
    "pd.Series filtered": lambda: (s := pd.Series([1, 2, 3, 4]))[s > 2],
    "pd.Series nullable Int64 with NA": lambda: pd.Series([1, None], dtype="Int64"),
    "pd.Series bool": lambda: pd.Series([True, False]),
    "pd.Series str": lambda: pd.Series(["a", "b"]),
    "pd.Series category": lambda: pd.Series(["a", "b"], dtype="category"),
    "pd.Series datetime": lambda: pd.Series(pd.to_datetime(["2020-01-01"])),
    "pd.Series nullable Int64 no NA": lambda: pd.Series([1, 2], dtype="Int64"),
    "pd.Series object ints": lambda: pd.Series([1, 2], dtype=object),
    "pd.DataFrame": lambda: pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
    "pd.DataFrame int column names": lambda: pd.DataFrame([[1, 2], [3, 4]]),
    "pd.DataFrame mixed dtypes": lambda: pd.DataFrame({"a": [1, 2], "b": [0.5, 4]}),
    "pd.Index": lambda: pd.Index([1, 2]),
    "pd.Series.values": lambda: pd.Series([0.1, 2.5]).values,
    "pd.Series.to_numpy()": lambda: pd.Series([0.1, 2.5]).to_numpy(),
    "pd.NA": lambda: pd.NA,
    "list of pd.Series": lambda: [pd.Series([0.1, 2]), pd.Series([3.5, 4])],
    "pyarrow array": lambda: pa.array([1.5, 2.5]),
    "pyarrow array with null": lambda: pa.array([1.5, None]),
    "PIL image L 2x2": lambda: Image.new("L", (2, 2), 7),
    "PIL image RGB 2x2": lambda: Image.new("RGB", (2, 2), (1, 2, 3)),
}

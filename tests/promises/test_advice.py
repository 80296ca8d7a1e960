"""What an error advises can be done: the dtype that it names takes the whole source, and gives the right values."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

import tensorcopy as tc
from tensorcopy.errors import LossyConversionError

ID = 2**24 + 1
BIG = 2**53 + 1


def tensor(*values: Any, dtype: Any = None) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


def array(*values: Any, dtype: Any = None) -> np.ndarray:
    return np.array(values, dtype)


REFUSED: dict[str, tuple[Any, dict[str, Any]]] = {
    "0-d id beside a fraction": ([torch.tensor(ID), 0.5], {}),
    "fraction before an id": ([0.5, torch.tensor(ID)], {}),
    "ids beside float tensors": ([tensor(ID, 2), tensor(0.5, 1.5)], {}),
    "many ids beside float tensors": ([tensor(0.5)] * 70 + [tensor(ID)], {}),
    "tuple of tensors": ((tensor(ID), tensor(0.25)), {}),
    "nested tensors": ([[tensor(ID), tensor(0.25)]], {}),
    "half tensors and integers": ([tensor(0.5, dtype=torch.float16), tensor(2049)], {}),
    "uint64 beyond int64 beside a negative": ([array(2**63 + 1, dtype="uint64"), array(-1)], {}),
    "id before a fraction": ([ID, 0.5], {}),
    "id after a fraction": ([0.5, ID], {}),
    "nested ids": ([[1, 0.5], [2, ID]], {}),
    "deque": (deque([ID, 0.5]), {}),
    "unsigned beside negative": ([2**63, -1], {}),
    "unsigned alone": ([2**63], {}),
    "unsigned beside a fraction": ([2**63 + 2**11, 0.5], {}),
    "beyond 64 bits": ([2**64, 1], {}),
    "beyond 64 bits, negative": ([-(2**63) - 2**20, 1], {}),
    "id beside complex": ([ID, 1j], {}),
    "beyond every float": ([BIG, 0.5], {}),
    "beyond every float, twice": ([ID, 0.5, BIG], {}),
    "wide and negative beside a fraction": ([2**64 - 1, -1, 0.5], {}),
    "integer and fraction into uint8": ([300, 1.5], {"dtype": "uint8"}),
    "negative into uint8": ([-1, 1], {"dtype": "uint8"}),
    "wide and negative into int8": ([2**63, -1], {"dtype": "int8"}),
    "fraction into int64": ([1, 0.5], {"dtype": "int64"}),
    "fraction into int64 beside an unsigned": ([2**63, 0.5], {"dtype": "int64"}),
    "overflow into float16": ([1e6, 1], {"dtype": "float16"}),
    "imaginary part": ([1, 1j], {"dtype": "float32"}),
    "same value": ([0.1, 1], {"dtype": "float32", "casting": "same_value"}),
    "two is no truth value": ([True, 2], {"dtype": "bool"}),
    "requires grad": ([ID, 1.0], {"requires_grad": True}),
    "array of ids": (array(ID, 2), {"dtype": "float32"}),
    "array of objects": (array(ID, 0.5, dtype=object), {}),
    "array of unsigned": (array(2**63, dtype="uint64"), {"dtype": "int64"}),
    "list of arrays": ([array(ID), array(2)], {"dtype": "float32"}),
    "list of arrays of two types": ([array(BIG), array(0.5)], {}),
    "array of doubles": (array(1e300, 1.0), {"dtype": "float32"}),
    "tensor of ids": (tensor(ID, 1), {"dtype": "float32"}),
    "masked array": (np.ma.masked_array([ID, 2], [False, True]), {"dtype": "float32", "null": 0}),
    "frame of two types": (pd.DataFrame({"a": [BIG], "b": [0.5]}), {}),
    "frame of ids": (pd.DataFrame({"a": [ID], "b": [0.5]}), {"dtype": "float32"}),
    "Arrow table": (pa.table({"a": [ID], "b": [0.5]}), {"dtype": "float32"}),
    "Arrow column with a null": (pa.array([ID, None]), {"dtype": "float32", "null": 0}),
    "Polars series": (pl.Series([ID, 1]), {"dtype": "float32"}),
    "range": (range(2**24, 2**24 + 3), {"dtype": "float32"}),
    "bytes": (b"\x02\x01", {"dtype": "bool"}),
    "one number": (ID, {"dtype": "float32"}),
    "NumPy scalars": ([np.int64(ID), np.float32(0.5)], {"dtype": "float32"}),
}


def values_of(source: Any) -> list[complex]:
    """The numbers in *source*, exactly, in order."""
    if isinstance(source, (torch.Tensor, np.ndarray, pl.Series)) and not isinstance(source, np.ma.MaskedArray):
        return values_of(source.to_list() if isinstance(source, pl.Series) else source.tolist())
    if isinstance(source, np.ma.MaskedArray):
        return values_of(source.filled(0))
    if isinstance(source, (pd.DataFrame, pa.Table)):
        columns = source.to_dict("list") if isinstance(source, pd.DataFrame) else source.to_pydict()
        return values_of([list(row) for row in zip(*columns.values(), strict=True)])
    if isinstance(source, pa.Array):
        return [0 if value is None else value for value in source.to_pylist()]
    if isinstance(source, (list, tuple, deque, range, bytes)):
        return [value for member in source for value in values_of(member)]
    return [source]


def follow(advice: str) -> dict[str, Any]:
    """The arguments that *advice* names."""
    found = re.match(r"pass (?:dtype='(\w+)')?(?:, which holds it exactly)?(?: with )?(casting='unsafe')?", advice)
    assert found is not None, advice
    dtype, unsafe = found.groups()
    assert dtype or unsafe, advice
    return {**({"dtype": dtype} if dtype else {}), **({"casting": "unsafe"} if unsafe else {})}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy])
def test_what_a_refusal_advises_gives_the_right_values(convert, name):
    source, options = REFUSED[name]
    options = {k: v for k, v in options.items() if convert is tc.to_torch or k != "requires_grad"}
    advised: dict[str, Any] = {}
    try:
        convert(source, **options)
    except LossyConversionError as error:
        advised = follow(error.fix)
    assert advised or convert is tc.to_numpy  # whose floats are wide enough for some of them
    result = convert(source, **{**options, **advised})
    if "casting" not in advised:
        assert values_of(result) == values_of(source)


@pytest.mark.parametrize("values", [[ID, 0.5], [0.5, ID], [torch.tensor(ID), 0.5], [2**63, -1], [np.int64(ID), 0.5]])
def test_what_a_refused_batch_advises_gives_the_right_values(values):
    with pytest.raises(
        LossyConversionError, match=r"in the dataset: torch.as_tensor\(value, dtype=torch.\w+\)$"
    ) as caught:
        tc.collate([{"x": value} for value in values])
    dtype = getattr(torch, caught.value.fix.rpartition(".")[2].rstrip(")"))
    batch = tc.collate([{"x": torch.as_tensor(value, dtype=dtype)} for value in values])
    assert values_of(batch["x"]) == values_of(values)


def test_a_batch_that_no_dtype_holds_says_so():
    with pytest.raises(LossyConversionError, match="round or replace the value in the dataset: no dtype holds it"):
        tc.collate([BIG, 0.5])

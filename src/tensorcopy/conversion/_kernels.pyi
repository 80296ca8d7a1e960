"""What `_kernels.c` gives; see `kernels`, which is its only caller."""

from __future__ import annotations

from typing import Any

dtypes: tuple[str, ...]

def cast(
    source: int, result: int, count: int, source_dtype: int, result_dtype: int, strict: bool, threads: int, /
) -> int: ...
def cast_strided(
    source: int,
    result: int,
    sizes: tuple[int, ...],
    source_strides: tuple[int, ...],
    result_strides: tuple[int, ...],
    source_dtype: int,
    result_dtype: int,
    strict: bool,
    indirect: int,
    threads: int,
    /,
) -> bool: ...
def is_known(
    array: Any,
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: Any,
    row_major: bool,
    aligned: bool,
    /,
) -> bool: ...
def gather(
    model: Any,
    members: list[Any] | tuple[Any, ...],
    number: int,
    result: int,
    size: int,
    parts: int,
    source_dtype: int,
    result_dtype: int,
    strict: bool,
    threads: int,
    /,
) -> int: ...
def share_threads(address: int, /) -> None: ...
def is_within(address: int, count: int, dtype: int, bits: int, /) -> bool: ...
def agree(members: list[Any] | tuple[Any, ...], getter: Any, value: Any, /) -> int: ...

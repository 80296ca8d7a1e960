"""``.safetensors``: a header in JSON, then the bytes of every tensor."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from math import prod
from typing import Any, BinaryIO

from ....errors import BadFileError
from ....live.memory import Region, contiguous_strides
from ..contents import Contents, Entry, StoredMemory
from ..reading import INTACT, read_at, size_of, truncated

NAME = "safetensors"
ORDER = 40
_LONGEST_HEADER = 100_000_000
_BITS = {
    "BOOL": ("bool", 8), "U8": ("uint8", 8), "I8": ("int8", 8), "I16": ("int16", 16), "U16": ("uint16", 16),
    "F16": ("float16", 16), "BF16": ("bfloat16", 16), "I32": ("int32", 32), "U32": ("uint32", 32),
    "F32": ("float32", 32), "F64": ("float64", 64), "I64": ("int64", 64), "U64": ("uint64", 64),
    "C64": ("complex64", 64), "F8_E5M2": ("float8_e5m2", 8), "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8), "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8), "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8),
    "F6_E2M3": ("float6_e2m3fn", 6), "F6_E3M2": ("float6_e3m2fn", 6), "F4": ("float4_e2m1fn", 4),
}  # fmt: skip
"""The names that the format has for dtypes, ours, and the bits of an element."""


def recognises(head: bytes) -> bool:
    """Whether the length of a header comes first and the header after it."""
    return len(head) > 8 and head[8:9] == b"{" and head[:2] != b"PK"


def read(file: BinaryIO, path: str) -> Contents:
    """What it holds, from the header alone."""
    (length,) = struct.unpack("<Q", read_at(file, 0, 8, "the length of the header"))
    if length > _LONGEST_HEADER:
        raise _wrong(f"the header claims {length:,} bytes", f"the format allows {_LONGEST_HEADER:,}")
    header = _parsed(read_at(file, 8, length, "the header"))
    start = 8 + length
    ranges = {name: _range(name, fields) for name, fields in header.items() if name != "__metadata__"}
    warnings = _checked(ranges, size_of(file) - start, size_of(file))
    entries = tuple(_entry(name, header[name], lo, hi) for name, (lo, hi) in ranges.items())
    storages = {
        entry.storage: StoredMemory(key=entry.name, nbytes=hi - lo, offset=start + lo, views=(entry.region,))
        for entry, (lo, hi) in zip(entries, ranges.values(), strict=True)
    }
    return Contents(
        path=path,
        format=NAME,
        file_bytes=size_of(file),
        entries=entries,
        storages=storages,
        warnings=warnings,
        cannot_compact="the format holds each tensor by itself, so that none drags anything along",
    )


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadFileError):
            raise
        raise _wrong("the header is no JSON", str(error)) from error
    if not isinstance(header, dict):
        raise _wrong("the header is no JSON object", f"it is a {type(header).__name__}")
    return header


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _wrong("a name is in the header twice", "readers disagree on which one counts")
    return found


def _range(name: str, fields: Any) -> tuple[int, int]:
    offsets: Any = fields.get("data_offsets") if isinstance(fields, dict) else None
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise _wrong(f"tensor {name[:80]!r} lies at {str(offsets)[:80]}", "it takes two offsets, the first one smaller")
    return offsets[0], offsets[1]


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value)


def _checked(ranges: dict[str, tuple[int, int]], available: int, file_bytes: int) -> tuple[str, ...]:
    """Refuse tensors that share bytes or reach beyond the file; tell of bytes that belong to none."""
    ordered = sorted(ranges.items(), key=lambda item: item[1])
    for (first, (_, end)), (second, (lo, hi)) in pairwise(ordered):
        if lo < end and lo < hi:
            raise _wrong(f"{first[:80]!r} and {second[:80]!r} share bytes", "the format forbids that")
    used = max((hi for _, hi in ranges.values()), default=0)
    if used > available:
        raise truncated(f"the tensors end {used:,} bytes behind the header, {available:,} follow it", file_bytes)
    unused = available - sum(hi - lo for lo, hi in ranges.values())
    return (f"{unused:,} bytes belong to no tensor, and readers of the format refuse the file",) if unused else ()


def _entry(name: str, fields: dict[str, Any], lo: int, hi: int) -> Entry:
    dtype, shape = fields.get("dtype"), fields.get("shape")
    if not isinstance(dtype, str) or dtype not in _BITS:
        raise _wrong(f"tensor {name[:80]!r} is of dtype {str(dtype)[:80]!r}", "the format has no such dtype")
    if not isinstance(shape, list) or not _are_sizes(shape):
        raise _wrong(f"tensor {name[:80]!r} has shape {str(shape)[:80]}", "a shape is a list of sizes")
    ours, bits = _BITS[dtype]
    if prod(shape) * bits != (hi - lo) * 8:
        raise _wrong(
            f"tensor {name[:80]!r} of {dtype} {str(shape)[:80]} has {hi - lo:,} bytes",
            f"it would need {-(-prod(shape) * bits // 8):,}",
        )
    if bits < 8:
        region = Region(0, (hi - lo,), (1,), 1)
        return Entry(name=name, dtype=ours, region=region, storage=name, note=f"packed, shape {tuple(shape)}")
    region = Region(0, tuple(shape), contiguous_strides(shape, bits // 8), bits // 8)
    return Entry(name=name, dtype=ours, region=region, storage=name)


def _wrong(what: str, why: str) -> BadFileError:
    return BadFileError(f"the safetensors file contradicts itself: {what}", why=why, fix=INTACT)

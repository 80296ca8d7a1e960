"""Files of safetensors: a length, a header in JSON, then the bytes. The library of that name is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live.dtypes import torch_dtype
from ...live.libraries import load

SUFFIXES = (".safetensors",)
_DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U64": "uint64",
    "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip


def read(path: Path) -> Mapping[str, Any]:
    """The tensors by name, those of a dtype that torch lacks left out. Loads torch."""
    import json

    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    if not 8 < start <= len(content):
        raise ValueError(f"the header would end at byte {start:,} of {len(content):,}")
    header = json.loads(content[8:start])
    parts = {name: part for name, part in header.items() if name != "__metadata__" and part["dtype"] in _DTYPES}
    return {name: _tensor(part, content[start:]) for name, part in parts.items()}


def _tensor(part: Mapping[str, Any], data: bytes) -> Any:
    torch = load("torch")
    first, last = part["data_offsets"]
    if not 0 <= first <= last <= len(data):
        raise ValueError(f"a tensor would lie at bytes {first:,} to {last:,} of {len(data):,}")
    dtype = torch_dtype(_DTYPES[part["dtype"]])
    if first == last:
        return torch.empty(part["shape"], dtype=dtype)
    return torch.frombuffer(bytearray(data[first:last]), dtype=dtype).reshape(part["shape"])

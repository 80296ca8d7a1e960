"""Tables in columns: Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live.libraries import load

SUFFIXES = (".parquet", ".arrow", ".feather")


def read(path: Path) -> Mapping[str, Any]:
    """The columns of numbers as arrays, those with nulls left out, as arrays have none. Loads PyArrow and NumPy."""
    table = _table(path)
    named = zip(table.schema.names, table.columns, strict=True)
    return {name: column.to_numpy() for name, column in named if _is_numeric(column.type) and not column.null_count}


def _table(path: Path) -> Any:
    load("pyarrow")
    if path.suffix.lower() == ".parquet":
        return load("pyarrow.parquet").read_table(path)
    if path.suffix.lower() == ".feather":
        return load("pyarrow.feather").read_table(path)
    ipc, content = load("pyarrow.ipc"), path.read_bytes()
    opened = ipc.open_file if content.startswith(b"ARROW1") else ipc.open_stream
    return opened(content).read_all()


def _is_numeric(kind: Any) -> bool:
    types = load("pyarrow.types")
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))

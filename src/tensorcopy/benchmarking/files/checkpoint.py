"""What ``torch.save`` wrote, read without running code from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from ...errors import BadArgumentError
from ...live.libraries import is_tensor, load
from ...live.nests import leaves

SUFFIXES = (".pt", ".pth")


_REFUSED = re.compile("unsupported (global|class)", re.I)
"""What torch says of a function or class that it does not call."""


def read(path: Path) -> Mapping[str, Any]:
    """The tensors by their place in the nest, named as ``tensorcopy inspect`` names them. Loads torch.

    Raises:
        BadArgumentError: a load would have to make other objects, by code that the file names.
    """
    try:
        nest = load("torch").load(path, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        if _REFUSED.search(str(error)):
            raise _more_than_tensors(path) from error
        raise
    return {place: leaf for place, leaf in _placed(nest) if is_tensor(leaf)}


def _placed(nest: Any) -> Iterator[tuple[str, Any]]:
    """The leaves; a name at the top stands without brackets."""
    if not isinstance(nest, dict):
        yield from leaves(nest)
        return
    for key, value in nest.items():
        first = key if isinstance(key, str) else f"[{key!r}]"
        yield from ((f"{first}{place}", leaf) for place, leaf in leaves(value))


def _more_than_tensors(path: Path) -> BadArgumentError:
    return BadArgumentError(
        f"{path.name!r} holds other objects than tensors, such as a whole module",
        why="to load them is to run code that the file names",
        fix="save its state_dict() and pass that; tensorcopy inspect shows what the file holds",
    )

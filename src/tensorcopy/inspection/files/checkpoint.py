"""From what a pickle of torch says to the `Contents` of the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from ...live.memory import Region
from .contents import Contents, StoredMemory
from .naming import entry_of, named
from .reading import size_of
from .torch_tensors import Laid, Reader


def contents_of(
    root: object,
    reader: Reader,
    *,
    path: str,
    format: str,
    file: BinaryIO,
    places: Mapping[str, tuple[int | None, int]],
    cannot_compact: str = "",
) -> Contents:
    """What the file holds.

    Args:
        root: What the pickle would build.
        reader: What was understood on the way.
        path, format: To show.
        file: For its size.
        places: Where the bytes of each storage begin in the file, and how many they are.
        cannot_compact: Why the file cannot be rewritten.
    """
    found, opaque = named(root)
    bare = {use.key for _, use in found if not isinstance(use, Laid)}
    views: dict[str, list[Region]] = {}
    for laid in reader.laid:
        if laid.use is not None:
            views.setdefault(laid.use.key, []).append(laid.region)
    devices = {use.key: use.device for use in reader.uses}
    storages = {
        key: StoredMemory(
            key=key,
            nbytes=size,
            offset=offset,
            device=devices[key],
            views=tuple(views.get(key, ())),
            whole="the storage itself is saved"
            if key in bare
            else ""
            if key in views
            else "no tensor is known to use it",
        )
        for key, (offset, size) in places.items()
    }
    return Contents(
        path=path,
        format=format,
        file_bytes=size_of(file),
        entries=tuple(entry_of(name, value) for name, value in found),
        storages=storages,
        opaque=dict(opaque.most_common()),
        cannot_compact=cannot_compact,
    )

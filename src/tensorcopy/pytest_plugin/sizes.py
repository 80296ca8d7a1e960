"""Sizes as people write them."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import BadArgumentError

_UNITS = {
    "B": 1,
    **{unit: 1000**power for power, unit in enumerate(("kB", "MB", "GB", "TB"), start=1)},
    **{unit: 1024**power for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), start=1)},
}
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)")


def bytes_of(size: object) -> int:
    """A whole number of bytes: of ``"24 MB"``, ``"1.5 GiB"``, or of a number of bytes itself.

    1 kB is 1000 bytes and 1 KiB is 1024; units are written exactly so.

    Raises:
        BadArgumentError: it is none, has no unit or one that isn't known, or ends in a fraction of a byte.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return size
    found = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    if found is None:
        raise _no_size(size, "a size is a number with a unit, or a whole number of bytes, and not negative")
    number, unit = found.groups()
    if unit not in _UNITS:
        raise _no_size(size, f"{unit!r} is no unit that is known" if unit else "it has no unit")
    exact = Fraction(number) * _UNITS[unit]
    if exact.denominator != 1:
        raise _no_size(size, "it is no whole number of bytes")
    return int(exact)


def _no_size(size: object, why: str) -> BadArgumentError:
    units = ", ".join(_UNITS)
    return BadArgumentError(f"{size!r} is no size", why=why, fix=f'write "24 MB", with one of the units {units}')

"""Sizes are read strictly."""

from __future__ import annotations

from typing import Any

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.pytest_plugin.sizes import bytes_of


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 0),
        (24_000_000, 24_000_000),
        ("24 MB", 24_000_000),
        ("24MB", 24_000_000),
        (" 1.5 kB ", 1500),
        ("0.1 GB", 100_000_000),
        ("7 B", 7),
        ("1.5 KiB", 1536),
        ("2 MiB", 2 << 20),
        ("1 GiB", 1 << 30),
        ("1 TiB", 1 << 40),
        ("1 TB", 10**12),
    ],
)
def test_a_size_is_a_number_of_bytes(size: Any, expected: int) -> None:
    assert bytes_of(size) == expected


@pytest.mark.parametrize(
    ("size", "why"),
    [
        ("24 mb", "'mb' is no unit that is known"),
        ("24 KB", "'KB' is no unit that is known"),
        ("24", "it has no unit"),
        ("1.5 B", "it is no whole number of bytes"),
        ("0.3 KiB", "it is no whole number of bytes"),
        ("-1 MB", "a size is a number with a unit"),
        ("1,000 MB", "a size is a number with a unit"),
        ("1e3 MB", "a size is a number with a unit"),
        ("MB", "a size is a number with a unit"),
        ("", "a size is a number with a unit"),
        ("24  MB", "a size is a number with a unit"),
        (-1, "not negative"),
        (1.5, "a whole number of bytes"),
        (True, "a whole number of bytes"),
        (None, "a whole number of bytes"),
    ],
)
def test_what_is_no_size_is_refused_with_the_reason(size: Any, why: str) -> None:
    with pytest.raises(
        BadArgumentError, match=rf"is no size · .*{why}.* · write \"24 MB\", with one of the units B, kB"
    ):
        bytes_of(size)

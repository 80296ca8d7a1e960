"""Locks take the permission to write away, and give back exactly what was there."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.live import locking
from tensorcopy.live.aliases import with_bases
from tensorcopy.live.locking import Lock


def arrays_to_lock() -> dict[str, np.ndarray]:
    whole = np.zeros((3, 4))
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    return {
        "owner": whole,
        "view": whole[1:],
        "of a tensor": torch.zeros(3).numpy(),
        "of a bytearray": np.frombuffer(bytearray(8), np.uint8),
        "column-major": np.zeros((3, 4), order="F"),
        "read-only": fixed,
        "broadcast with a warning": np.broadcast_arrays(np.zeros(1), np.zeros(3))[0],
        "masked": np.ma.zeros(3),
    }


ARRAYS = arrays_to_lock()


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_a_lock_makes_read_only_and_gives_back_exactly_the_old_flags(array: np.ndarray) -> None:
    before = array.flags.num
    lock = Lock([array])
    assert not array.flags.writeable
    lock.release()
    lock.release()
    assert array.flags.num == before


def test_locks_nest() -> None:
    array = np.zeros(3)
    outer = Lock([array])
    Lock([array]).release()
    assert not array.flags.writeable
    outer.release()
    assert array.flags.writeable


def test_where_flags_cannot_be_restored_only_numpys_own_memory_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "_can_restore", lambda: False)
    whole, lent = np.zeros(8), torch.zeros(3).numpy()
    view = whole[1:]
    lock = Lock(with_bases([view, lent]))
    assert (whole.flags.writeable, view.flags.writeable, lent.flags.writeable) == (False, False, True)
    lock.release()
    assert (whole.flags.writeable, view.flags.writeable) == (True, True)


def test_a_lock_that_cannot_be_completed_takes_nothing() -> None:
    first = np.zeros(3)
    with pytest.raises(AttributeError, match="flags"):
        Lock([first, object()])
    assert first.flags.writeable

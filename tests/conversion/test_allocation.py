"""Large results lie in ordinary torch storages, with or without the advice for huge pages."""

from __future__ import annotations

import pickle

import pytest
import torch

import tensorcopy as tc
from tensorcopy.conversion import allocation

LARGE = torch.arange(allocation.ADVISE_FROM // 4 + 1000, dtype=torch.float32)


@pytest.fixture(params=[True, False], ids=["advised", "plain"])
def large(request):
    before = tc.use_huge_pages(request.param)
    yield tc.copy(LARGE)
    tc.use_huge_pages(before)


def test_a_large_copy_has_the_same_values_and_its_own_exact_storage(large):
    assert torch.equal(large, LARGE)
    assert (large.untyped_storage().nbytes(), large.data_ptr() % 64, large._base) == (LARGE.nbytes, 0, None)


def test_its_storage_can_be_resized_pickled_and_moved_to_shared_memory(large):
    assert torch.equal(pickle.loads(pickle.dumps(large)), LARGE)
    large.resize_(LARGE.numel() + 1)
    large.untyped_storage().resize_(0)
    again = tc.copy(LARGE)
    assert torch.equal(again.share_memory_(), LARGE)


def test_memory_goes_back_when_the_copy_is_dropped():
    big = torch.ones(64 << 18)
    tc.copy(big)
    before = _resident()
    for _ in range(4):
        kept = tc.copy(big)
    after = _resident()
    del kept
    assert after - before <= big.nbytes * 1.05
    assert _resident() - before <= big.nbytes * 0.05


def _resident() -> int:
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * 4096


def test_the_switch_gives_the_setting_before():
    before = tc.use_huge_pages(False)
    assert tc.use_huge_pages(before) is False

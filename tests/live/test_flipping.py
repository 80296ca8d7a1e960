"""Sharing is proved by inverting bytes, which are put back."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.live.flipping import follows, may_flip

PAIRS = [
    ("the same tensor", lambda: (x := torch.arange(6.0), x), True),
    ("a view", lambda: (x := torch.arange(6.0).reshape(2, 3), x.t()), True),
    ("a clone", lambda: (x := torch.arange(6.0), x.clone()), False),
    ("an array over a tensor", lambda: (x := torch.arange(6.0), x.numpy()), True),
    ("a tensor over an array", lambda: (x := np.arange(6.0), torch.from_numpy(x)), True),
    ("a tensor copied from an array", lambda: (x := np.arange(6.0), torch.tensor(x)), False),
    ("one element repeated", lambda: (x := torch.ones(1).expand(4), x[2:]), True),
    ("a conjugate", lambda: (x := torch.tensor([1 + 2j]), x.conj()), True),
    ("negative strides", lambda: (x := np.arange(6.0)[::-1], x[:]), True),
    ("the data of a masked array", lambda: (x := np.ma.masked_array([1.0, 2.0], [0, 1]), x.data), True),
    ("no elements", lambda: (x := torch.empty(0), x), None),
    ("objects", lambda: (x := np.array([1, "a"], dtype=object), x), None),
    ("no memory", lambda: (x := torch.ones(2, device="meta"), x), None),
    ("a list", lambda: ([1, 2], torch.tensor([1, 2])), None),
]


@pytest.mark.parametrize(("build", "expected"), [row[1:] for row in PAIRS], ids=[row[0] for row in PAIRS])
def test_a_result_follows_what_it_shares_and_nothing_is_changed_in_the_end(build, expected):
    x, y = build()
    before = repr(x), repr(y)
    assert follows(x, y) is expected
    assert (repr(x), repr(y)) == before


def test_autograd_does_not_notice():
    x = torch.ones(3, requires_grad=True)
    loss = (x * x).sum()
    follows(x, x.detach())
    loss.backward()
    assert (x._version, x.grad.tolist()) == (0, [2.0, 2.0, 2.0])


def test_memory_that_somebody_marked_read_only_is_not_to_be_flipped(tmp_path):
    plain, frozen = np.arange(3.0), np.arange(3.0)
    frozen.flags.writeable = False
    np.arange(3.0).tofile(tmp_path / "a.bin")
    mapped = np.memmap(tmp_path / "a.bin", mode="r", dtype=np.float64)
    found = [may_flip(x) for x in (plain, torch.ones(2), frozen, mapped, np.frombuffer(b"12345678"))]
    assert found == [True, True, False, False, False]

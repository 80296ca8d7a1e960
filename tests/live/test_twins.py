"""A twin is like its source in all that operations look at, and shares nothing with it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tensorcopy.catalogue import Kind
from tensorcopy.live.flipping import follows
from tensorcopy.live.regions import common_memory
from tensorcopy.live.traits import traits_of
from tensorcopy.live.twins import twin_of
from tests.facts.sources import SOURCES

BUILDERS = {s.name: s.build for s in SOURCES if s.kind in (Kind.TENSOR, Kind.ARRAY, Kind.MASKED)}


def values(x):
    """All that a print shows, less the name of the operation that a tensor comes from."""
    return repr(x).partition("grad_fn")[0], x.dtype, x.stride() if isinstance(x, torch.Tensor) else x.strides


@pytest.mark.parametrize("name", BUILDERS)
def test_a_twin_has_the_traits_and_values_of_its_source_and_none_of_its_memory(name):
    x, _ = BUILDERS[name]()
    twin = twin_of(x)
    assert (type(twin), values(twin), traits_of(twin)) == (type(x), values(x), traits_of(x))
    assert not common_memory(x, twin)
    assert follows(x, twin) is not True


def test_the_twin_of_a_nest_is_a_nest_of_its_own():
    x = [[1, 2], [3]]
    twin = twin_of(x)
    assert (twin, twin is x, twin[0] is x[0]) == (x, False, False)


def test_a_twin_can_be_changed_in_the_ways_of_its_source():
    x = torch.arange(6.0).reshape(2, 3).clone().requires_grad_()
    twin = twin_of(x)
    twin.detach_()
    assert (x.requires_grad, twin.requires_grad, twin._is_view()) == (True, False, False)
    assert np.shares_memory(x.detach().numpy(), twin.numpy()) is False

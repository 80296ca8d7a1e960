from __future__ import annotations

from unittest.mock import MagicMock, Mock

import numpy as np
import pytest
import torch

import tensorcopy as tc

SAMPLES = ()

MOCKS = {
    "Mock": Mock,
    "MagicMock": MagicMock,
    "MagicMock of a tensor": lambda: MagicMock(spec=torch.Tensor),
    "Mock of a tensor": lambda: Mock(spec=torch.Tensor),
    "MagicMock of an array": lambda: MagicMock(spec=np.ndarray),
    "MagicMock of a list": lambda: MagicMock(spec=list),
}
mocks = pytest.mark.parametrize("make", MOCKS.values(), ids=MOCKS)
VERBS = {
    "to_torch": tc.to_torch,
    "to_numpy": tc.to_numpy,
    "member": lambda x: tc.to_torch([x]),
    "member among numbers": lambda x: tc.to_torch([1.0, x]),
    "member among arrays": lambda x: tc.to_torch([np.ones(2), x]),
    "copy": tc.copy,
    "copy of a nest": lambda x: tc.copy([torch.ones(1), x]),
    "plan": lambda x: tc.plan(x, "torch"),
}


@mocks
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_no_numbers_are_made_up_from_a_mock(verb, make):
    with pytest.raises(tc.errors.UnsupportedSourceError, match="a mock answers whatever it is asked"):
        verb(make())


@mocks
def test_a_mock_has_no_memory_that_is_known(make):
    assert tc.inspect(make()).span is None

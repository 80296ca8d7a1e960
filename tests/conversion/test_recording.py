"""What is converted while a tracer records calls is there when they are played back: memory alone is never recorded."""

from __future__ import annotations

import warnings
from collections import deque

import numpy as np
import pandas as pd
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import tensorcopy as tc


def _traced(function, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.jit.trace(function, x, check_trace=False)


def _fx(function, x):
    return make_fx(function)(x)


def _early(function, x):
    return make_fx(function, pre_dispatch=True)(x)


SOURCES = {
    "list": [1.0, 2.0],
    "nested list": [[1, 2]],
    "deque": deque([1, 2]),
    "number": 1.5,
    "array": np.array([1.0, 2.0]),
    "reversed array": np.array([2.0, 1.0])[::-1],
    "read-only array": np.broadcast_to(np.array([1.0, 2.0]), (2,)),
    "arrays": [np.ones(2), np.full(2, 2.0)],
    "NumPy scalars": [np.float32(1), np.float32(2)],
    "range": range(1, 3),
    "bytes": b"\x01\x02",
    "series": pd.Series([1.0, 2.0]),
    "frame": pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}),
}
CALLS = {
    "shares": tc.to_torch,
    "copies": lambda source: tc.to_torch(source, copy=True),
    "float64": lambda source: tc.to_torch(source, dtype="float64"),
    "int16, unsafe": lambda source: tc.to_torch(source, dtype="int16", casting="unsafe"),
}


@pytest.mark.parametrize("record", [_traced, _fx, _early])
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_values_become_constants_of_what_is_recorded(source, call, record):
    recorded = record(lambda x: x + call(source), torch.ones(2))
    x = torch.tensor([5.0, 7.0])
    for _ in range(2):
        assert torch.equal(recorded(x), x + call(source))


FOLLOWED = {
    "list of tensors": lambda x: tc.to_torch([x, x * 2]),
    "tensor and number": lambda x: tc.to_torch([x[0], 2]),
    "list of tensors to float64": lambda x: tc.to_torch([x, x * 2], dtype="float64"),
    "another dtype": lambda x: tc.to_torch(x, dtype="float64"),
    "a dtype that is checked elsewhere": lambda x: tc.to_torch(x, dtype="int16"),
    "batch of tensors": lambda x: tc.collate([x, x * 2]),
    "batch of numbers": lambda x: x + tc.collate([1, 2]),
    "batch of arrays": lambda x: x + tc.collate([np.ones(2), np.zeros(2)]),
    "copy": lambda x: tc.copy(x) * 2,
    "copy to float64": lambda x: tc.copy(x, dtype="float64"),
    "nest": lambda x: tc.copy({"a": x, "b": [x * 2]})["b"][0],
    "nest of views": lambda x: (lambda copies: copies[0] + copies[1])(tc.copy([x[:1], x])),
}


@pytest.mark.parametrize("record", [_traced, _fx, _early])
@pytest.mark.parametrize("function", FOLLOWED.values(), ids=list(FOLLOWED))
def test_tensors_are_followed_by_what_is_recorded(function, record):
    recorded = record(function, torch.ones(2))
    x = torch.tensor([5.0, 7.0])
    assert torch.equal(recorded(x), function(x))


def test_an_exported_program_holds_what_was_converted_in_it():
    class Shift(torch.nn.Module):
        def forward(self, x):
            return x + tc.to_torch([1.0, 2.0]) + tc.to_torch([x, x])[1]

    x = torch.tensor([5.0, 7.0])
    exported = torch.export.export(Shift(), (torch.ones(2),), strict=False)
    assert torch.equal(exported.module()(x), Shift()(x))


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("source", [*SOURCES.values(), [torch.ones(2), 1.5 * torch.ones(2)]], ids=[*SOURCES, "tensors"])
def test_among_fake_tensors_a_fake_one_comes_out(source, call):
    real = call(source)
    with FakeTensorMode(allow_non_fake_inputs=True):
        fake = call(source)
        batch = tc.collate([1, 2])
    assert isinstance(fake, FakeTensor)
    assert isinstance(batch, FakeTensor)
    assert (fake.shape, fake.dtype, fake.device) == (real.shape, real.dtype, real.device)

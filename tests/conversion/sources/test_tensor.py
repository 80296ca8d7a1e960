from __future__ import annotations

import pytest
import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


class Tagged(torch.Tensor):
    """A plain subclass."""


SAMPLES = (
    Sample(name="float32", build=lambda: torch.arange(3.0), expected=[0.0, 1.0, 2.0], dtype="float32", shares="yes"),
    Sample(
        name="int64 matrix",
        build=lambda: torch.tensor([[1, 2], [3, 4]]),
        expected=[[1, 2], [3, 4]],
        dtype="int64",
        shares="yes",
    ),
    Sample(
        name="transposed",
        build=lambda: torch.tensor([[1.0, 2], [3, 4]]).t(),
        expected=[[1.0, 3], [2, 4]],
        dtype="float32",
        shares="yes",
    ),
    Sample(name="no dimensions", build=lambda: torch.tensor(2.5), expected=2.5, dtype="float32", shares="yes"),
    Sample(name="bool", build=lambda: torch.tensor([True, False]), expected=[True, False], dtype="bool", shares="yes"),
    Sample(
        name="bfloat16",
        build=lambda: torch.arange(3.0).bfloat16(),
        expected=[0.0, 1.0, 2.0],
        dtype="bfloat16",
        shares="yes",
    ),
    Sample(name="complex", build=lambda: torch.tensor([1 + 2j]), expected=[1 + 2j], dtype="complex64", shares="yes"),
    Sample(
        name="subclass",
        build=lambda: torch.arange(3.0).as_subclass(Tagged),
        expected=[0.0, 1.0, 2.0],
        dtype="float32",
        shares="yes",
    ),
    Sample(
        name="parameter",
        build=lambda: torch.nn.Parameter(torch.arange(3.0)),
        expected=[0.0, 1.0, 2.0],
        dtype="float32",
        shares="yes",
    ),
)


def test_a_tensor_that_fits_is_handed_back_itself():
    x = torch.arange(3.0)
    assert tc.to_torch(x) is x


def test_a_tensor_on_the_graph_stays_on_it_and_is_refused_to_numpy():
    x = torch.arange(3.0, requires_grad=True)
    y = tc.to_torch(x * 2, dtype="float64", copy=True)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(tc.errors.GraphError, match=r"NumPy records no gradients.*detach=True"):
        tc.to_numpy(x * 2)


@pytest.mark.parametrize(
    ("x", "values"),
    [(torch.tensor([1 + 2j]).conj(), [1 - 2j]), (torch.tensor([1 + 2j]).conj().imag, [-2.0])],
    ids=["conjugate bit", "negative bit"],
)
def test_the_bits_that_torch_keeps_beside_the_memory_become_values_in_numpy(x, values):
    assert tc.to_numpy(x).tolist() == values
    with pytest.raises(tc.errors.CannotShareError, match="bit is set, so the bytes in memory are not its values"):
        tc.to_numpy(x, copy=False)


def test_a_tensor_without_one_block_of_memory_is_refused_to_numpy():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"layout sparse_coo.*to_dense"):
        tc.to_numpy(torch.eye(2).to_sparse())
    with pytest.raises(tc.errors.WrongDeviceError, match="no data"):
        tc.to_numpy(torch.empty(2, device="meta"))

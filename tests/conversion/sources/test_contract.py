"""The promises that every kind of source keeps, checked on the samples beside each source's own tests."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy._discovery import modules_of
from tensorcopy.conversion import sources
from tensorcopy.conversion.sources import source_of
from tests.conversion.sources.samples import Sample

MODULES = {module.__name__.rpartition(".")[2]: module for module in modules_of(sources)}
SAMPLES = {
    f"{name}: {sample.name}": (name, sample)
    for name in MODULES
    for sample in import_module(f"tests.conversion.sources.test_{name}").SAMPLES
}


def every(*shares: str, used_up: bool = True) -> Any:
    chosen = [
        pytest.param(sample, id=name)
        for name, (_, sample) in SAMPLES.items()
        if (not shares or sample.shares in shares) and (used_up or not sample.used_up)
    ]
    return pytest.mark.parametrize("sample", chosen)


def expected_of(sample: Sample, dtype: str = "") -> torch.Tensor:
    return torch.tensor(sample.expected).to(getattr(torch, dtype or sample.dtype))


def same(result: torch.Tensor, expected: torch.Tensor) -> bool:
    return result.dtype == expected.dtype and result.shape == expected.shape and values(result) == values(expected)


def values(result: torch.Tensor) -> Any:
    wide = torch.complex128 if result.is_complex() else torch.float64
    return result.detach().to(wide).tolist()


def to_torch(obj: Any, sample: Sample, **options: Any) -> torch.Tensor:
    return tc.to_torch(obj, **dict(sample.options), **options)


def address(result: Any) -> int:
    return result.data_ptr() if isinstance(result, torch.Tensor) else result.__array_interface__["data"][0]


def overwrite(result: torch.Tensor) -> None:
    """Change every element in place."""
    part = result.detach()
    part.copy_(~part if part.dtype == torch.bool else part + 1 if part.is_complex() else part.double() + 1)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_which_types_it_serves_and_explains_itself(name: str) -> None:
    module = MODULES[name]
    assert isinstance(module.ORDER, int)
    assert module.__doc__
    assert module.recognises.__doc__
    assert module.expose.__doc__
    assert module.recognises(object) is False


def test_no_two_modules_have_the_same_place_in_the_order() -> None:
    assert len({module.ORDER for module in MODULES.values()}) == len(MODULES)


@pytest.mark.parametrize(("module", "sample"), SAMPLES.values(), ids=SAMPLES)
def test_the_module_beside_the_samples_serves_them(module: str, sample: Sample) -> None:
    assert source_of(sample.build()) is MODULES[module]


@every()
def test_the_tensor_has_the_values_the_dtype_and_the_shape_of_the_source(sample: Sample) -> None:
    result = to_torch(sample.build(), sample)
    assert same(result, expected_of(sample))
    assert result.device.type == "cpu"


@every()
def test_the_array_agrees_with_the_tensor(sample: Sample) -> None:
    options = {"detach": True, **dict(sample.options)}
    array = tc.to_numpy(sample.build(), **options)
    assert array.dtype.name == (sample.numpy_dtype or sample.dtype)
    assert array.dtype.isnative
    assert array.shape == tuple(expected_of(sample).shape)
    assert np.array_equal(array.astype("complex128"), expected_of(sample).to(torch.complex128).numpy())


@every(used_up=False)
def test_a_copy_can_be_written_and_the_source_stays_as_it_was(sample: Sample) -> None:
    source = sample.build()
    result = to_torch(source, sample, copy=True)
    overwrite(result)
    assert same(to_torch(source, sample), expected_of(sample))


@every(used_up=False)
def test_a_copied_array_can_be_written_and_the_source_stays_as_it_was(sample: Sample) -> None:
    source = sample.build()
    result = tc.to_numpy(source, copy=True, detach=True, **dict(sample.options))
    result[...] = 0
    assert result.flags.writeable
    assert same(to_torch(source, sample), expected_of(sample))


@every("yes")
def test_copy_false_lies_on_the_memory_of_the_source(sample: Sample) -> None:
    source = sample.build()
    result = to_torch(source, sample, copy=False)
    overwrite(result)
    assert same(to_torch(source, sample).detach(), result.detach())
    assert result.numel() == 0 or not same(result, expected_of(sample))


@every("readonly")
def test_read_only_memory_is_shared_with_those_who_promise_not_to_write(sample: Sample) -> None:
    source = sample.build()
    results = [to_torch(source, sample, copy=False, readonly=True) for _ in range(2)]
    assert address(results[0]) == address(results[1])
    assert same(results[0], expected_of(sample))
    array = tc.to_numpy(source, copy=False, readonly=True, **dict(sample.options))
    assert not array.flags.writeable


@every("readonly")
def test_read_only_memory_is_not_shared_writably(sample: Sample) -> None:
    with pytest.raises(tc.errors.ReadOnlyMemoryError, match=r"cannot share .* · .* · pass copy=None") as caught:
        to_torch(sample.build(), sample, copy=False)
    assert all((caught.value.what, caught.value.why, caught.value.fix))


@every("no")
def test_what_cannot_be_shared_says_why(sample: Sample) -> None:
    with pytest.raises(tc.errors.CannotShareError, match=r"cannot share .* · .* · pass copy=None") as caught:
        to_torch(sample.build(), sample, copy=False)
    assert all((caught.value.what, caught.value.why, caught.value.fix))
    with pytest.raises(tc.errors.CannotShareError, match="cannot share"):
        to_torch(sample.build(), sample, copy=False, readonly=True)


@every(used_up=False)
@pytest.mark.parametrize("convert", [tc.to_torch, tc.to_numpy], ids=["torch", "numpy"])
def test_the_plan_says_what_happens(sample: Sample, convert: Any) -> None:
    wide = "complex128" if "complex" in sample.dtype else "float64"
    for options in ({}, {"copy": True}, {"readonly": True}, {"dtype": wide}):
        assert_planned(sample.build(), convert, {**dict(sample.options), **options, "detach": True})


def assert_planned(source: Any, convert: Any, options: dict[str, Any]) -> None:
    plan = tc.plan(source, to="torch" if convert is tc.to_torch else "numpy", **options)
    first, second = convert(source, **options), convert(source, **options)
    if 0 not in first.shape:
        assert plan.shares is (address(first) == address(second))
    assert plan.dtype in (None, str(first.dtype).removeprefix("torch."))
    assert plan.shape in (None, tuple(first.shape))
    assert plan.bytes_moved is None or (plan.bytes_moved == 0) is (plan.shares or first.nbytes == 0)


@every()
def test_another_dtype_comes_out_directly(sample: Sample) -> None:
    for dtype in ("complex64", "complex128") if "complex" in sample.dtype else ("float64", "float32", "bfloat16"):
        assert same(to_torch(sample.build(), sample, dtype=dtype), expected_of(sample, dtype))


@every()
def test_a_list_of_two_becomes_one_tensor(sample: Sample) -> None:
    both = to_torch([sample.build(), sample.build()], sample)
    expected = torch.stack([expected_of(sample)] * 2)
    assert same(both, expected) or (not both.numel() and both.shape == expected.shape)


@every()
def test_an_unknown_casting_is_refused(sample: Sample) -> None:
    with pytest.raises(tc.errors.BadArgumentError, match="casting='safe' is not known"):
        to_torch(sample.build(), sample, copy=True, casting="safe")

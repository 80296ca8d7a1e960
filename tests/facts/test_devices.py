"""On which device a result lies, shown with the meta device, which every machine has."""

from __future__ import annotations

import warnings

import torch

from tensorcopy.catalogue import Device, Kind, Operation

from .measuring import ENTRIES, NAMESPACE, always_warning, evaluate, of, rerun, results, tensors

HELPERS = ("torch.ones(", "torch.empty(", "torch.zeros(", "torch.tensor([", "torch.tensor(0)")


def alone(op: Operation) -> bool:
    """Whether the example makes nothing beside the source that would lie on another device than it."""
    helped = op.setup or any(word in op.example for word in (*HELPERS, "tempfile"))
    return op.result is Kind.TENSOR and not helped


@of(alone)
def test_the_default_device_is_followed_only_as_stated(op):
    found = {t.device.type for t in tensors(rerun(op, torch.device("meta")))}
    assert found == {"meta" if op.device is Device.DEFAULT or "'meta'" in op.example else "cpu"}


@of(lambda op: alone(op) and op.source is Kind.TENSOR)
def test_a_result_stays_on_the_device_of_the_source_only_as_stated(op):
    dtype = torch.complex64 if "imag" in op.name or "view_as_real" in op.name else torch.float32
    x = (
        torch.ones(2, 2, 2, 2, dtype=dtype, device="meta")
        if "channels_last" in op.example
        else torch.ones(2, 2, dtype=dtype, device="meta")
    )
    with warnings.catch_warnings(record=True), always_warning():
        try:
            found = {
                t.device.type
                for t in tensors(eval(op.probe, {**NAMESPACE, "y": evaluate(op.example, {**NAMESPACE, "x": x})}))
            }
        except (RuntimeError, NotImplementedError, TypeError, BufferError, ValueError):
            found = {"refused"}
    follows = op.device in {Device.SAME, Device.DEFAULT} or "'meta'" in op.example
    assert found == {"refused"} or (found == {"meta"}) is follows


@of(lambda op: op.result in {Kind.TENSOR, Kind.TENSORS})
def test_a_result_is_on_the_cpu_unless_another_device_is_given(op):
    found = {p.device.type for _, p in results(op) if isinstance(p, torch.Tensor)}
    assert found <= ({"meta"} if op.device is Device.GIVEN and "meta" in op.example else {"cpu"})


def test_arrays_and_what_is_laid_over_them_are_on_the_cpu():
    made_of_arrays = [op for op in ENTRIES if op.result in {Kind.ARRAY, Kind.ARRAYS, Kind.NUMBERS, Kind.SCALAR}]
    assert [op.name for op in made_of_arrays if op.device is not Device.HOST] == []


def test_a_result_lies_with_what_is_written_into_only_where_something_is():
    assert [op.name for op in ENTRIES if op.device is Device.TARGET and not op.writes and "load" not in op.name] == []


def test_a_device_is_given_only_where_the_call_takes_one():
    given = {name.rpartition(".")[2] for op in ENTRIES if op.device is Device.GIVEN for name in op.call.names}
    assert given == {"to", "cpu", "cuda"}

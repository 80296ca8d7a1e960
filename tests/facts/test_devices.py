"""Which calls follow the default device, shown with the meta device, which every machine has."""

from __future__ import annotations

import warnings

import pytest
import torch

from tensorcopy.catalogue import Device, Kind, Operation

from .measuring import ENTRIES, NAMESPACE, always_warning, cells, evaluate, tensors
from .sources import SOURCES

PLAIN = [op for op in ENTRIES if op.result is Kind.TENSOR and not op.setup and "tempfile" not in op.example]


def result_under_default_device(op: Operation) -> torch.Tensor:
    accepted = next(c.source for c in cells(op.name) if c.error is None)
    names = {**NAMESPACE, "x": next(s for s in SOURCES if s.name == accepted).build()[0]}
    with warnings.catch_warnings(record=True), always_warning(), torch.device("meta"):
        return eval(op.probe, {**names, "y": evaluate(op.example, names)})


def makes_a_helper_on_the_default_device(op: Operation) -> bool:
    """An index, a mask or a second tensor made in the example lands there too, and the call then mixes devices."""
    made = op.example.replace("torch.empty_like", "").replace("torch.zeros_like", "")
    words = ("torch.ones(", "torch.empty(", "torch.zeros(", "torch.tensor([", "torch.tensor(0)")
    return any(word in made for word in words)


@pytest.mark.parametrize(
    "op", [op for op in PLAIN if not makes_a_helper_on_the_default_device(op)], ids=lambda op: op.name
)
def test_the_default_device_is_followed_only_as_stated(op):
    found = {t.device.type for t in tensors(result_under_default_device(op))}
    assert found == {"meta" if op.device is Device.DEFAULT or "'meta'" in op.example else "cpu"}

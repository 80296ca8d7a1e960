from __future__ import annotations

import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def typed(values, dtype):
    return torch.TypedStorage(
        wrap_storage=torch.tensor(values, dtype=dtype).untyped_storage(), dtype=dtype, _internal=True
    )


SAMPLES = (
    Sample(
        name="untyped",
        build=lambda: torch.tensor([1, 2, 3], dtype=torch.uint8).untyped_storage(),
        expected=[1, 2, 3],
        dtype="uint8",
        shares="yes",
    ),
    Sample(
        name="typed", build=lambda: typed([1.5, 2.5], torch.float32), expected=[1.5, 2.5], dtype="float32", shares="yes"
    ),
    Sample(name="empty", build=lambda: torch.UntypedStorage(0), expected=[], dtype="uint8", shares="yes"),
)


def test_an_untyped_storage_gives_its_bytes_and_not_whole_numbers_of_eight():
    assert tc.to_torch(torch.tensor([1.5]).untyped_storage()).tolist() == [0, 0, 192, 63]


def test_a_copy_of_a_storage_is_a_copy():
    storage = torch.tensor([1, 2], dtype=torch.uint8).untyped_storage()
    assert tc.to_torch(storage, copy=True).data_ptr() != storage.data_ptr()

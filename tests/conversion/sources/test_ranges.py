from __future__ import annotations

import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


def sample(name, values, dtype="int64"):
    return Sample(name=name, build=lambda: values, expected=list(values), dtype=dtype)


SAMPLES = (
    sample("upwards", range(5)),
    sample("downwards by two", range(5, 0, -2)),
    sample("empty", range(0)),
)


@pytest.mark.parametrize(
    "values",
    [
        range(0, 2**62 + 1, 2**62),
        range(2**63 - 1, -(2**63), -(2**62)),
        range(2**64 - 1, 2**63, -(2**62)),
        range(2**60, 2**60 + 3),
    ],
    ids=str,
)
def test_large_numbers_are_counted_and_computed_exactly(values):
    assert tc.to_torch(values).tolist() == list(values)


def test_numbers_that_only_uint64_holds_become_uint64():
    assert tc.to_torch(range(2**63, 2**63 + 2)).tolist() == [2**63, 2**63 + 1]
    assert tc.to_numpy(range(2**64 - 2, 2**64)).tolist() == [2**64 - 2, 2**64 - 1]


def test_the_last_of_int64_are_exact():
    assert tc.to_torch(range(2**63 - 3, 2**63)).tolist() == [2**63 - 3, 2**63 - 2, 2**63 - 1]
    assert tc.to_torch(range(-(2**63), -(2**63) + 2)).tolist() == [-(2**63), -(2**63) + 1]


@pytest.mark.parametrize("values", [range(-1, 2**63 + 2, 2**63 + 1), range(2**64, 2**64 + 1)], ids=str)
def test_a_range_that_no_integer_type_holds_is_refused(values):
    with pytest.raises(tc.errors.LossyConversionError, match="no integer type holds both"):
        tc.to_torch(values)


def test_a_range_costs_its_result_and_no_python_numbers():
    assert tc.plan(range(10**6), to="torch").bytes_moved == 8 * 10**6

from __future__ import annotations

import datetime
from collections import OrderedDict, UserDict
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import pandas as pd
import pytest

import tensorcopy as tc

SAMPLES = ()


class Colour(Enum):
    RED = 1


class Whole:
    def __index__(self):
        return 3


class Real:
    def __float__(self):
        return 3.0


REFUSED = [
    (None, "cannot convert NoneType None", "it stands for no value", "leave it out"),
    (pd.NA, "cannot convert NAType", "it stands for no value", "leave it out"),
    ({"a": 1}, "cannot convert dict of 1", "a mapping has no order of axes", "list(mapping.values())"),
    (OrderedDict(), "cannot convert OrderedDict of 0", "a mapping has no order of axes", "list(mapping.values())"),
    (Decimal("0.1"), "cannot convert Decimal 0.1", "turning it into one may round", "float(value)"),
    (Fraction(1, 3), "cannot convert Fraction 1/3", "turning it into one may round", "float(value)"),
    (datetime.date(2020, 1, 2), "cannot convert date 2020-01-02", "a count of some unit", "toordinal()"),
    (datetime.time(1, 2), "cannot convert time 01:02:00", "a count of some unit", "value.hour"),
    (datetime.timedelta(days=1), "cannot convert timedelta 1 day", "a count of some unit", "total_seconds()"),
    (pd.Timestamp("2020-01-02"), "cannot convert Timestamp 2020", "a count of some unit", "timestamp()"),
    (Colour.RED, "cannot convert Colour Colour.RED", "the members of an enumeration are names", "member.value"),
    (Whole(), "cannot convert Whole", "made a whole number", "operator.index(value)"),
    (Real(), "cannot convert Real", "turning it into one may round", "float(value)"),
    (object(), "cannot convert object", "it is no array, tensor, buffer", "take the numbers out of it first"),
    (len, "cannot convert builtin_function_or_method", "it is no array", "take the numbers out"),
]


@pytest.mark.parametrize(("value", "what", "why", "fix"), REFUSED, ids=[what[15:30] for _, what, _, _ in REFUSED])
def test_it_is_refused_with_what_why_and_the_way_out(value, what, why, fix):
    with pytest.raises(tc.errors.UnsupportedSourceError) as caught:
        tc.to_torch(value)
    assert what in caught.value.what
    assert why in caught.value.why
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    "value",
    [value for value, *_ in REFUSED if value is not None and value is not pd.NA],
    ids=lambda v: type(v).__name__,
)
def test_inside_a_list_the_refusal_names_the_place(value):
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"\[1\]"):
        tc.to_torch([1, value])
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"\[0\]"):
        tc.to_torch([value])


@pytest.mark.parametrize("wrap", [lambda inner: {"a": inner}, lambda inner: UserDict(a=inner)])
@pytest.mark.parametrize("call", [tc.to_torch, tc.to_numpy, tc.share, lambda x: tc.plan(x, "torch")])
def test_a_mapping_of_any_depth_is_refused_without_writing_it_out(call, wrap):
    nest = {}
    for _ in range(10_000):
        nest = wrap(nest)
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"Dict of 1|dict of 1"):
        call(nest)
    while nest:  # the interpreter would free a UserDict in a UserDict by recursion
        nest = nest.pop("a")

"""What a source's own code raises comes out as it is, with a note; what never ends is refused."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.errors import UnsupportedSourceError


class Boom(Exception):
    """Nobody expects it."""


class RaisingCalls(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise Boom("own code")


class RaisingAttributes(torch.Tensor):
    def __getattribute__(self, name: str) -> Any:
        raise Boom("own code")


class RaisingArray(np.ndarray):
    def __getattribute__(self, name: str) -> Any:
        raise Boom("own code")


class RaisingObject:
    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:
        raise Boom("own code")

    def __getattribute__(self, name: str) -> Any:
        raise Boom("own code")


class RaisingList(list):
    def __iter__(self) -> Any:
        raise Boom("own code")


def raising_generator() -> Any:
    yield 1
    raise Boom("own code")


SOURCES = {
    "RaisingCalls": lambda: torch.ones(2).as_subclass(RaisingCalls),
    "RaisingAttributes": lambda: torch.ones(2).as_subclass(RaisingAttributes),
    "RaisingArray": lambda: np.ones(2).view(RaisingArray),
    "RaisingObject": RaisingObject,
    "RaisingList": lambda: RaisingList([1]),
    "generator": raising_generator,
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("verb", [tc.to_torch, tc.to_numpy, lambda x: tc.convert(x, "list")])
def test_an_exception_of_the_sources_own_code_comes_out_as_it_is_with_a_note(verb, name):
    with pytest.raises(Boom, match="own code") as caught:
        verb(SOURCES[name]())
    if sys.version_info >= (3, 11):
        (note,) = caught.value.__notes__
        assert note.startswith("while tensorcopy converted an object of class ")
        assert note.endswith(name)


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "generator"])
def test_inside_a_list_it_comes_out_as_well(name):
    with pytest.raises(Boom, match="own code"):
        tc.to_torch([SOURCES[name](), SOURCES[name]()])


@pytest.mark.parametrize("name", ["RaisingAttributes", "RaisingArray"])
def test_copy_lets_it_out_too(name):
    with pytest.raises(Boom, match="own code") as caught:
        tc.copy(SOURCES[name]())
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == [f"while tensorcopy copied an object of class {__name__}.{name}"]


@pytest.mark.parametrize(
    "endless", [itertools.count(), itertools.cycle([1]), itertools.repeat(1)], ids=["count", "cycle", "repeat"]
)
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x, x]], ids=["alone", "in a list"])
def test_an_iterator_that_is_known_never_to_end_is_refused(endless, wrap):
    with pytest.raises(UnsupportedSourceError, match=r"cannot convert itertools.* · it never ends.*itertools.islice"):
        tc.to_torch(wrap(endless))


def test_iterators_that_end_are_read():
    assert tc.to_torch(itertools.repeat(2, 3)).tolist() == [2, 2, 2]
    assert tc.to_torch(itertools.islice(itertools.count(), 3)).tolist() == [0, 1, 2]

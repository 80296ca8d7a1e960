from __future__ import annotations

import array
import copy as stdlib_copy
import datetime
import decimal
import enum
import functools
import gc
import io
import pathlib
import re
import types
from argparse import Namespace
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import tensorcopy as tc
from tensorcopy.conversion import aliases
from tensorcopy.errors import (
    BadArgumentError,
    LossyConversionError,
    NestError,
    ReadOnlyMemoryError,
    UnsupportedSourceError,
)


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: Any
    y: Any


Pair = namedtuple("Pair", "first second")


class MarkedPair(Pair):
    """A named tuple with an instance dictionary."""


@dataclass
class Batch:
    images: Any
    labels: Any = None
    seen: int = field(default=0, init=False)


@dataclass
class NamedBatch(Batch):
    name: str = ""


@dataclass(frozen=True)
class Frozen:
    values: Any
    name: str = "x"


@dataclass(slots=True)
class Slotted:
    values: Any
    unset: Any = field(init=False)


class MarkedList(list):
    __slots__ = ("mark",)


class MarkedDict(dict):
    pass


def array_of(x: Any) -> np.ndarray:
    """The memory of a strided tensor, or the array itself."""
    return x if isinstance(x, np.ndarray) else x.detach().numpy()


def share(a: Any, b: Any) -> bool:
    return bool(np.shares_memory(array_of(a), array_of(b)))


def loop_of(kind: str) -> list[Any]:
    """A list that contains itself through a container of the kind."""
    inside: list[Any] = []
    around = {
        "list": [inside],
        "tuple": (inside,),
        "dict": {"k": inside},
        "frozen": Frozen(inside),
        "deque": deque([inside]),
    }
    inside.append(around[kind])
    return inside


@pytest.mark.parametrize(
    "nest",
    [
        {},
        [],
        (),
        set(),
        [[], {}, ()],
        {"a": {"b": [1, (2.5, "x")]}, 3: None},
        OrderedDict(b=1, a=[2]),
        defaultdict(list, a=[1]),
        Counter("abca"),
        deque([1, [2], 3], maxlen=5),
        {1, 2, "x"},
        frozenset({1, (2, 3)}),
        Point([1], 2),
        Pair(1, [2]),
        Batch([1], {"a": 2}),
        NamedBatch([1], name="n"),
        Frozen([1]),
        types.SimpleNamespace(a=[1]),
        Namespace(lr=0.1, layers=[1, 2]),
        UserDict(a=[1]),
        UserList([1, [2]]),
        ChainMap({"a": [1]}, {"b": 2}),
        {(1, "k"): [1], Frozen(1): 2},
        bytearray(b"abc"),
        array.array("d", [1.0, 2.0]),
    ],
    ids=lambda nest: type(nest).__name__,
)
def test_a_copy_equals_the_nest_has_its_class_and_no_mutable_part_in_common(nest: Any) -> None:
    new = tc.copy(nest)
    assert type(new) is type(nest)
    assert str(new) == str(nest) or new == nest
    mutable = {id(o) for o in reachable(nest) if isinstance(o, (list, dict, set, deque, bytearray, array.array, Batch))}
    assert not mutable & {id(o) for o in reachable(new)}


def reachable(x: Any) -> list[Any]:
    """Every object below *x* that the garbage collector knows, and *x*."""
    found, pending = [x], [x]
    while pending:
        for o in gc.get_referents(pending.pop()):
            if not isinstance(o, (type, types.ModuleType, types.FunctionType)) and all(o is not f for f in found):
                found.append(o)
                pending.append(o)
    return found


def test_attributes_of_containers_travel_too() -> None:
    state = torch.nn.Linear(2, 2).state_dict()
    new = tc.copy(state)
    assert (type(new), list(new), new._metadata) == (OrderedDict, ["weight", "bias"], state._metadata)
    assert new._metadata is not state._metadata
    marked = MarkedList([1])
    marked.mark = [2]
    assert tc.copy(marked).mark == [2]
    assert tc.copy(marked).mark is not marked.mark
    labelled = MarkedDict(a=1)
    labelled.label = labelled
    assert tc.copy(labelled).label is not labelled
    pair = MarkedPair(1, 2)
    pair.note = [3]
    assert (tc.copy(pair), tc.copy(pair).note) == ((1, 2), [3])
    slotted = tc.copy(Slotted([1]))
    assert slotted.values == [1]
    assert not hasattr(slotted, "unset")
    batch = Batch([1])
    batch.seen, batch.extra = 7, [8]
    assert (tc.copy(batch).seen, tc.copy(batch).extra) == (7, [8])
    assert tc.copy(deque([1], maxlen=3)).maxlen == 3
    assert tc.copy(defaultdict(list))["new"] == []


def test_an_ordered_dict_keeps_an_order_that_was_changed() -> None:
    x = OrderedDict(a=1, b=2)
    x.move_to_end("a")
    new = tc.copy(x)
    assert list(new) == ["b", "a"]
    new.move_to_end("b")
    assert list(new) == ["a", "b"]


IMMUTABLE = [
    *(
        Colour.RED,
        pathlib.Path("a"),
        re.compile("a"),
        decimal.Decimal(1),
        datetime.date(2020, 1, 1),
        1j,
        b"x",
        slice(1),
    ),
    *(torch.float32, torch.device("cpu"), torch.Size([1]), torch.channels_last, np.dtype("f4"), np.float32(1)),
    *(
        np.str_("a"),
        int,
        len,
        range(3),
        Ellipsis,
        NotImplemented,
        list[int],
        int | None,
        pd.Timestamp(0),
        pd.NaT,
        pd.NA,
    ),
]


@pytest.mark.parametrize("value", IMMUTABLE, ids=lambda value: type(value).__name__)
def test_an_immutable_value_is_kept(value: Any) -> None:
    assert tc.copy(value) is value
    assert tc.copy([value])[0] is value


def test_immutable_containers_of_immutable_values_are_kept() -> None:
    for value in ((1, 2), frozenset({1}), Point(1, (2, 3)), torch.max(torch.ones(1), 0)[:0]):
        assert tc.copy([value])[0] is value


def test_results_of_torch_functions_and_packed_sequences_are_tuples_of_their_class() -> None:
    found = torch.max(torch.eye(3), 0)
    new = tc.copy(found)
    assert type(new) is type(found)
    assert torch.equal(new.indices, found.indices)
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)])
    assert type(tc.copy(packed)) is type(packed)
    assert not share(tc.copy(packed).data, packed.data)


def test_a_mapping_proxy_looks_at_a_new_dict() -> None:
    inside = {"a": [1]}
    new = tc.copy(types.MappingProxyType(inside))
    inside["a"].append(2)
    assert (type(new), dict(new)) == (types.MappingProxyType, {"a": [1]})


def test_one_object_met_twice_is_one_object_in_the_copy() -> None:
    x, shared = torch.ones(3), [1]
    new = tc.copy({"a": x, "b": [x], "c": shared, "d": (shared, x), "e": np.ones(1)})
    assert new["a"] is new["b"][0] is new["d"][1]
    assert new["c"] is new["d"][0]
    keyed = tc.copy({"params": [x], "state": {x: {"step": 1}}})
    assert next(iter(keyed["state"])) is keyed["params"][0]


@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "frozen", "deque"])
def test_a_cycle_is_copied_as_a_cycle(kind: str) -> None:
    x = loop_of(kind)
    for root in (x, x[0]):
        new = tc.copy(root)
        assert type(new) is type(root)
        one = new if isinstance(root, list) and root is x else inner_of(new)
        assert inner_of(one[0]) is one
        assert not {id(o) for o in reachable(new)} & {id(x), id(x[0])}


def inner_of(x: Any) -> Any:
    if isinstance(x, dict):
        return x["k"]
    return x.values if isinstance(x, Frozen) else x[0]


def test_cycles_through_several_tuples_and_attributes_are_copied() -> None:
    middle: list[Any] = []
    outer = (middle, 1)
    middle.append((outer, "x"))
    new = tc.copy(outer)
    assert new[0][0][0] is new
    owner = types.SimpleNamespace()
    owner.self, owner.pair = owner, (owner, [owner])
    twin = tc.copy(owner)
    assert twin.self is twin is twin.pair[0] is twin.pair[1][0]


def test_a_cycle_that_needs_a_hash_before_it_is_complete_is_refused() -> None:
    key = Frozen([])
    object.__setattr__(key, "values", None)
    table = {key: 1}
    object.__setattr__(key, "values", (1,))
    object.__setattr__(key, "name", table)
    with pytest.raises(NestError, match="contains itself · it is a key of, or member of a set in, what it contains"):
        tc.copy(key)


def test_a_cycle_of_immutable_containers_alone_is_refused() -> None:
    pair = MarkedPair(1, 2)
    pair.me = (pair,)
    with pytest.raises(NestError, match="contains itself · it is immutable, so it can only be made after what it"):
        tc.copy(pair)


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x, 1), lambda x: {"k": x}, Frozen, lambda x: deque([x])])
def test_ten_thousand_levels_are_copied_and_freed(wrap: Any) -> None:
    leaf = torch.ones(1)
    x: Any = leaf
    for _ in range(10_000):
        x = wrap(x)
    new = tc.copy(x)
    levels = 0
    while not isinstance(new, torch.Tensor):
        new, levels = (inner_of(new) if not isinstance(new, tuple) else new[0]), levels + 1
    assert levels == 10_000
    assert not share(new, leaf)


def test_an_error_ten_thousand_levels_down_has_a_short_path() -> None:
    x: Any = object()
    for _ in range(10_000):
        x = [x]
    with pytest.raises(UnsupportedSourceError, match=r"\[0\]\[… 9960 steps …\]\[0\]") as caught:
        tc.copy(x)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("nest", "path"),
    [
        ({"state": [0, 1, 2, Batch(object())]}, r"\['state'\]\[3\].images"),
        (Point(1, object()), r"\.y"),
        ({object(): 1}, r"\[key <object>\]"),
        ([{object()}], r"\[0\]\[member <object>\]"),
        ({("a", 1): object()}, r"\[<tuple>\]"),
        (types.SimpleNamespace(model=torch.nn.ReLU()), r"\.model"),
        (deque([1, object()]), r"\[1\]"),
        ([np.array([[1, object()]], object)], r"\[0\]\[0\]\[1\]"),
    ],
)
def test_what_cannot_be_copied_is_named_by_its_path(nest: Any, path: str) -> None:
    with pytest.raises(UnsupportedSourceError, match=f"cannot copy .* at {path} ·"):
        tc.copy(nest)


def test_objects_that_hide_state_are_refused() -> None:
    with pytest.raises(UnsupportedSourceError, match=r"cannot copy _io.BytesIO at \[0\]"):
        tc.copy([io.BytesIO()])
    with pytest.raises(UnsupportedSourceError, match="cannot copy dict_keys"):
        tc.copy({"k": {}.keys()})
    with pytest.raises(UnsupportedSourceError, match=r"cannot copy torch\._C\.Generator"):
        tc.copy([torch.Generator()])


@dataclass(init=False)
class Job(functools.partial):
    """A dataclass on top of a class that keeps its state in C."""

    note: str = ""


def test_a_dataclass_on_top_of_hidden_state_is_refused_rather_than_emptied() -> None:
    with pytest.raises(UnsupportedSourceError, match=r"cannot copy .*Job at \[0\]"):
        tc.copy([Job(len)])


def test_strange_special_methods_decide_nothing() -> None:
    class Liar(list):
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __len__(self) -> int:
            return 10**9

        def __bool__(self) -> bool:
            raise AssertionError

        def __iter__(self) -> Any:
            raise AssertionError

        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

        __hash__ = None  # type: ignore[assignment]

    x = Liar([1, [2]])
    new = tc.copy([x, x])
    assert type(new[0]) is Liar
    assert new[0] is new[1]
    assert list.__getitem__(new[0], 1) == [2]


def test_views_of_one_storage_stay_views_of_one_storage() -> None:
    base = torch.arange(12.0)
    nest = {
        "base": base,
        "flat": base.view(3, 4),
        "part": base[2:5],
        "column": base.view(3, 4)[:, 1],
        "bits": base.view(torch.int32),
        "alias": base.detach(),
        "wide": base[:1].expand(5),
    }
    new = tc.copy(nest)
    assert {k: v.tolist() for k, v in new.items()} == {k: v.tolist() for k, v in nest.items()}
    assert {k: v.stride() for k, v in new.items()} == {k: v.stride() for k, v in nest.items()}
    new["base"][2] = 100
    assert (new["flat"][0, 2], new["part"][0], new["alias"][2]) == (100, 100, 100)
    new["bits"].zero_()
    assert new["column"].tolist() == [0, 0, 0]
    assert base.tolist() == list(range(12))
    assert all(not v._is_view() and v.is_leaf for v in new.values())
    assert new["flat"]._version == new["base"]._version > 0


def test_tied_weights_stay_tied_and_compact() -> None:
    storage = torch.randn(1000)
    weight = torch.nn.Parameter(storage[10:20].view(2, 5))
    tied = torch.nn.Parameter(weight.data)
    new = tc.copy({"embed": weight, "head": tied, "buffer": weight.detach()})
    assert [type(v) for v in new.values()] == [torch.nn.Parameter, torch.nn.Parameter, torch.Tensor]
    assert share(new["embed"], new["head"])
    assert share(new["embed"], new["buffer"])
    assert new["embed"].untyped_storage().nbytes() == 40
    half = tc.copy({"a": weight, "b": tied}, dtype=torch.float16)
    assert (half["a"].dtype, share(half["a"], half["b"])) == (torch.float16, True)


def test_disjoint_parts_of_one_storage_become_compact_and_independent() -> None:
    base = torch.arange(1000.0)
    new = tc.copy([base[:3], base[3:6], base[::2][10:12], base[1::2][10:12]])
    assert [v.untyped_storage().nbytes() for v in new] == [12, 12, 8, 8]
    matrix = torch.arange(40.0).view(4, 10)
    columns = tc.copy({i: matrix[:, i] for i in range(10)})
    assert all(column.untyped_storage().nbytes() == 16 for column in columns.values())


def test_a_tangle_of_too_many_views_is_kept_together() -> None:
    base = torch.arange(600.0)
    new = tc.copy([base.view(2, 300)[:, i] for i in range(300)])
    assert new[7].tolist() == [7, 307]
    assert new[0].untyped_storage().data_ptr() == new[299].untyped_storage().data_ptr()
    assert aliases.MOST_PAIRS < 300 * 299 / 2


def test_arrays_and_their_views_share_in_the_copy_as_they_do_in_the_nest() -> None:
    a = np.arange(12.0).reshape(3, 4)
    record = np.zeros(3, [("x", "f4"), ("y", "i4")])
    nest = [a, a[::-1, ::2], a.T, a.view("u8"), record, record["y"], a.view(np.matrix)]
    new = tc.copy(nest)
    for mine, theirs in zip(new, nest, strict=True):
        assert (type(mine), mine.strides, mine.tolist()) == (type(theirs), theirs.strides, theirs.tolist())
    new[0][2, 0] = 50
    assert (new[1][0, 0], new[2][0, 2], new[6][2, 0]) == (50, 50, 50)
    new[4]["y"] = 9
    assert new[5].tolist() == [9, 9, 9]
    assert a[2, 0] == 8


def test_a_tensor_and_the_array_that_it_shares_memory_with_share_in_the_copy() -> None:
    a = np.arange(6.0)
    nest = {"array": a, "tensor": torch.from_numpy(a), "part": torch.from_numpy(a[2:4]), "back": a[::-1]}
    new = tc.copy(nest)
    assert not share(new["array"], a)
    new["tensor"].zero_()
    assert [v.tolist() for v in new.values()] == [[0] * 6, [0] * 6, [0] * 2, [0] * 6]
    assert a.tolist() == [0, 1, 2, 3, 4, 5]
    pair = tc.copy([torch.from_numpy(a), a])
    pair[1][0] = 7
    assert pair[0][0] == 7


def test_a_tensor_at_an_odd_address_goes_its_own_way_rather_than_out_of_line() -> None:
    raw = bytearray(21)
    odd = torch.frombuffer(raw, dtype=torch.float32, offset=1, count=4)
    even = torch.frombuffer(raw, dtype=torch.float32, offset=4, count=4)
    new = tc.copy([odd, even])
    assert all(v.data_ptr() % 4 == 0 for v in new)


def test_conjugate_and_negative_views_share_with_their_base_and_keep_their_bits() -> None:
    x = torch.tensor([1 + 2j, 3 - 4j])
    new = tc.copy([x, x.conj(), x.conj().imag])
    assert [v.tolist() for v in new] == [v.tolist() for v in (x, x.conj(), x.conj().imag)]
    new[0][0] = 10j
    assert (new[1][0].item(), new[2][0].item()) == (-10j, -10)


@pytest.mark.parametrize("flat", [False, True])
def test_dtype_concerns_floating_members_and_keeps_aliases(flat: bool) -> None:
    x = torch.arange(6.0)
    a = np.arange(4.0)
    nest = {
        "x": x,
        "part": x[1:3],
        "ids": torch.arange(3),
        "a": a,
        "b": a[::2],
        "mask": torch.ones(1, dtype=torch.bool),
    }
    new = tc.copy({**nest, "z": torch.ones(1, dtype=torch.complex64)}, dtype=torch.float16, flat=flat)
    assert {k: str(v.dtype).removeprefix("torch.") for k, v in new.items()} == {
        "x": "float16",
        "part": "float16",
        "ids": "int64",
        "a": "float16",
        "b": "float16",
        "mask": "bool",
        "z": "complex64",
    }
    assert share(new["x"], new["part"])
    assert share(new["a"], new["b"])
    assert (new["part"].tolist(), new["b"].tolist()) == ([1, 2], [0, 2])
    both = tc.copy([torch.from_numpy(a), a[1:]], dtype=torch.float32)
    assert (both[0].dtype, both[1].dtype, share(*both)) == (torch.float32, np.float32, True)
    assert (
        tc.copy([torch.ones(1), torch.ones(1, dtype=torch.complex64)], dtype="complex128")[1].dtype is torch.complex128
    )


def test_a_dtype_change_takes_apart_members_that_see_the_same_bytes_as_different_types() -> None:
    x = torch.ones(4)
    new = tc.copy([x, x.view(torch.int32)], dtype=torch.float64)
    assert (new[0].tolist(), new[1].tolist()) == ([1] * 4, x.view(torch.int32).tolist())


def test_a_value_that_would_change_is_named_by_its_path_and_unused_bytes_are_not_looked_at() -> None:
    x = torch.tensor([1.0, 1e300, 2.0, 3.0], dtype=torch.float64)
    for nest in ({"a": [x]}, {"a": [x, x[:3]]}, {"a": [x, x.detach()]}, {"a": [x.numpy(), x.numpy()[1:]]}):
        with pytest.raises(LossyConversionError, match=r"1e\+300 .*\(at \['a'\]\[0\]\)"):
            tc.copy(nest, dtype=torch.float32)
    around = tc.copy([x[::2], x[::2][:1], x[:1]], dtype=torch.float32)
    assert around[0].tolist() == [1, 2]


def test_members_on_the_graph_are_cloned_each_by_itself() -> None:
    leaf = torch.ones(4, requires_grad=True)
    view = leaf.view(2, 2)
    off = torch.arange(3.0)
    new = tc.copy([leaf, view, leaf, off, off[:1]], detach=False)
    assert new[0] is new[2]
    assert not share(new[0], new[1])
    assert share(new[3], new[4])
    assert torch.equal(torch.autograd.grad(new[1].sum(), view)[0], torch.ones(2, 2))
    assert torch.equal(torch.autograd.grad(new[0].sum(), leaf)[0], torch.ones(4))
    cut = tc.copy([leaf, view])
    assert (cut[0].requires_grad, share(*cut)) == (False, True)


def test_requires_grad_concerns_members_that_can() -> None:
    x = torch.ones(3)
    new = tc.copy([x, x.detach(), x[:1], torch.arange(2), np.ones(1)], requires_grad=True)
    assert [v.requires_grad for v in new[:4]] == [True, True, True, False]


def test_memory_format_concerns_members_of_its_rank() -> None:
    new = tc.copy({"w": torch.randn(2, 3, 4, 5), "b": torch.randn(3)}, memory_format=torch.channels_last)
    assert new["w"].is_contiguous(memory_format=torch.channels_last)


def test_device_concerns_tensors_and_keeps_their_aliases() -> None:
    x = torch.ones(4)
    new = tc.copy([x, x[:2], np.ones(2)], device="meta")
    assert [v.device.type for v in new[:2]] == ["meta", "meta"]
    assert new[0].untyped_storage()._cdata == new[1].untyped_storage()._cdata
    assert new[2].tolist() == [1, 1]
    mixed = tc.copy([torch.from_numpy(new[2]), new[2]], device="meta")
    assert (mixed[0].device.type, mixed[1].tolist()) == ("meta", [1, 1])


def test_subclasses_keep_class_and_attributes_inside_a_group() -> None:
    x = torch.arange(4.0).as_subclass(Marked)
    x.unit = "m"
    new = tc.copy([x, x.as_subclass(torch.Tensor)[1:]])
    assert (type(new[0]), new[0].unit, share(new[0].as_subclass(torch.Tensor), new[1])) == (Marked, "m", True)


class Marked(torch.Tensor):
    """A subclass whose objects carry attributes."""


def test_attributes_of_tensors_belong_to_the_nest() -> None:
    x, other = torch.ones(2).as_subclass(Marked), torch.nn.Parameter(torch.zeros(3))
    x.me, x.twin, x.rest = x, other, [other, object()]
    other.twin = x
    for new in (tc.copy([x, other])[0], tc.copy(x), tc.copy({"a": other})["a"].twin):
        assert type(new) is Marked
        assert new.me is new
        assert new.twin.twin is new
        assert new.rest[0] is new.twin
        assert new.rest[1] is x.rest[1]
        assert not share(new.twin, other)
    single = tc.copy(x, dtype=torch.float16)
    assert (single.dtype, single.twin.dtype) == (torch.float16, torch.float32)
    other.note = [1, torch.tensor([1e300], dtype=torch.float64)]
    with pytest.raises(LossyConversionError, match=r"\(at \[0\]\.twin\.note\[1\]\)"):
        tc.copy([x], dtype=torch.float32)


def test_other_layouts_masked_arrays_and_empty_tensors_are_members_like_others() -> None:
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    nest = [torch.eye(2).to_sparse(), torch.empty(0), torch.empty(0), masked, masked.data, torch.ones(2, device="meta")]
    new = tc.copy(nest, dtype=torch.float64)
    assert (new[0].layout, new[0].dtype) == (torch.sparse_coo, torch.float64)
    assert new[3].mask.tolist() == [False, True]


def test_flat_puts_strided_tensors_into_one_buffer_for_each_dtype() -> None:
    nest = {
        "a": torch.arange(3.0),
        "b": torch.randn(4, 5).t(),
        "p": torch.nn.Parameter(torch.ones(2)),
        "i": torch.arange(4),
        "s": torch.eye(2).to_sparse(),
        "n": np.ones(2),
        "e": torch.empty(0),
    }
    new = tc.copy(nest, flat=True)
    places = {k: v.untyped_storage().data_ptr() for k, v in new.items() if k in "abpi"}
    assert places["a"] == places["b"] == places["p"] != places["i"]
    assert new["b"].stride() == nest["b"].stride()
    assert type(new["p"]) is torch.nn.Parameter
    for key in "abpin":
        assert np.array_equal(array_of(new[key]), array_of(nest[key]))
        assert not share(new[key], nest[key])
    assert all(new[key].data_ptr() % 64 == 0 for key in "abpi")
    before = new["b"]._version
    new["a"].add_(1)
    assert (new["b"]._version, new["b"]._is_view()) == (before, False)
    one = io.BytesIO()
    torch.save(new["a"], one)
    assert len(one.getvalue()) > 256
    with pytest.raises(LossyConversionError, match="cannot become float16"):
        tc.copy([torch.tensor([1e30])], flat=True, dtype=torch.float16)
    assert tc.copy([torch.tensor([1e30])], flat=True, dtype=torch.float16, casting="unsafe")[0].isinf()


def test_objects_of_other_libraries_copy_themselves_or_are_immutable() -> None:
    nest = {
        "frame": pd.DataFrame({"a": [1, 2]}),
        "series": pd.Series([1.0]),
        "index": pd.Index([1, 2]),
        "polars": pl.DataFrame({"a": [1]}),
        "column": pl.Series([1]),
        "arrow": pa.table({"a": [1]}),
        "image": Image.new("L", (2, 2)),
        "void": np.zeros(1, [("a", "i4")])[0],
        "view": memoryview(bytearray(8)).cast("i", [2, 1]),
    }
    new = tc.copy(nest)
    assert {k: type(v) for k, v in new.items()} == {k: type(v) for k, v in nest.items()}
    assert new["arrow"] is nest["arrow"]
    new["frame"].iloc[0, 0] = 9
    new["series"].iloc[0] = 9
    new["column"][0] = 9
    new["image"].putpixel((0, 0), 9)
    new["void"]["a"] = 9
    new["view"][0, 0] = 9
    assert (nest["frame"].iloc[0, 0], nest["series"].iloc[0], nest["column"][0]) == (1, 1, 1)
    assert (nest["image"].getpixel((0, 0)), nest["void"]["a"], nest["view"][0, 0]) == (0, 0, 0)
    with pytest.raises(UnsupportedSourceError, match=r"cannot copy a memoryview of format 'T\{i:a:\}'"):
        tc.copy(memoryview(np.zeros(1, [("a", "i4")])))


def test_a_jax_array_is_kept_because_nothing_can_write_it() -> None:
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones(3)
    assert tc.copy([x])[0] is x


def test_an_error_leaves_the_nest_as_it_was() -> None:
    nest = {"a": torch.ones(3, dtype=torch.float64), "b": [torch.tensor([1e300], dtype=torch.float64)]}
    before = stdlib_copy.deepcopy(nest)
    with pytest.raises(LossyConversionError):
        tc.copy(nest, dtype="float32")
    assert str(nest) == str(before)
    assert nest["a"]._version == 0


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_writes_through_any_member_show_in_the_copy_exactly_where_they_show_in_the_nest(data: st.DataObject) -> None:
    base = np.arange(64, dtype="f4")
    members: list[Any] = []
    for _ in range(data.draw(st.integers(1, 5))):
        size = data.draw(st.integers(1, 12))
        step = data.draw(st.sampled_from([1, 1, 2, 3, 5]))
        start = data.draw(st.integers(0, 63 - (size - 1) * step))
        seen = base[start : start + (size - 1) * step + 1 : step]
        form = data.draw(st.sampled_from(["tensor", "array", "reversed", "bits", "parameter", "square"]))
        members.append(dressed(seen, form))
    new = tc.copy(members)
    assert [type(m) for m in new] == [type(m) for m in members]
    assert not any(share(m, base) for m in new)
    for position in range(len(members)):
        array_of(new[position])[...] = -position - 1
        array_of(members[position])[...] = -position - 1
        for mine, theirs in zip(new, members, strict=True):
            np.testing.assert_array_equal(array_of(mine), array_of(theirs))


def dressed(seen: np.ndarray, form: str) -> Any:
    match form:
        case "tensor":
            return torch.from_numpy(seen)
        case "parameter":
            return torch.nn.Parameter(torch.from_numpy(seen))
        case "reversed":
            return seen[::-1]
        case "bits":
            return torch.from_numpy(seen).view(torch.int32)
        case "square" if len(seen) % 2 == 0:
            return seen.reshape(2, -1).T
    return seen


def test_out_writes_every_leaf_in_place() -> None:
    nest = {"w": torch.ones(3), "n": [np.ones(2), 5], "t": (torch.zeros(1), "same"), "b": Batch(torch.ones(1), 3)}
    out = tc.copy(nest, dtype=torch.float64)
    kept = [id(v) for v in (out["w"], out["n"], out["n"][0], out["t"][0], out["b"].images)]
    nest["w"], nest["n"][0], nest["n"][1], nest["b"].labels = torch.full((3,), 4.0), np.full(2, 8.0), 6, 7
    assert tc.copy(nest, out=out) is out
    assert kept == [id(v) for v in (out["w"], out["n"], out["n"][0], out["t"][0], out["b"].images)]
    assert (out["w"].tolist(), out["w"].dtype, out["n"][0].tolist()) == ([4, 4, 4], torch.float64, [8, 8])
    assert (out["n"][1], out["b"].labels) == (6, 7)


def test_out_writes_a_state_dict_into_a_model() -> None:
    source, target = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    tc.copy(source.state_dict(), out=target.state_dict())
    assert torch.equal(source.weight, target.weight)
    assert source.weight.data_ptr() != target.weight.data_ptr()


def read_only(x: np.ndarray) -> np.ndarray:
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    ("x", "out", "error", "message"),
    [
        ([torch.ones(1)], [torch.zeros(1), 2], NestError, r"differ at the top: 2 members and 1"),
        ({"a": [torch.ones(1)]}, {"a": {"b": torch.zeros(1)}}, NestError, r"cannot copy list into dict at \['a'\]"),
        ({"a": torch.ones(1)}, {"b": torch.zeros(1)}, NestError, "only one of the two has"),
        ([torch.ones(1)], [np.zeros(1)], NestError, r"cannot copy Tensor into ndarray at \[0\]"),
        ([torch.ones(1), 5], (torch.zeros(1), 5), NestError, "cannot copy list into tuple at out"),
        ((torch.ones(1), 5), (torch.zeros(1), 6), NestError, r"cannot replace int at \[1\] of out · .* tuple holds it"),
        ([{1, 2}], [{1, 3}], NestError, r"cannot copy set into set at \[0\]"),
        ([torch.ones(1), torch.ones(2)], [torch.zeros(1), torch.zeros(3)], BadArgumentError, r"out at \[1\] has shape"),
        (
            [np.ones(1), np.ones(1)],
            [np.zeros(1), read_only(np.zeros(1))],
            ReadOnlyMemoryError,
            r"out at \[1\] is a read",
        ),
        (
            [torch.ones(1), torch.tensor([0.5])],
            [torch.zeros(1), torch.zeros(1, dtype=torch.int8)],
            LossyConversionError,
            r"0.5 at \[0\] cannot become int8 \(at \[1\]\)",
        ),
        ([torch.ones(1), object()], [torch.zeros(1), 1], UnsupportedSourceError, r"cannot copy object at \[1\]"),
    ],
)
def test_out_of_another_structure_is_refused_and_stays_as_it_was(x: Any, out: Any, error: Any, message: str) -> None:
    before = str(out)
    with pytest.raises(error, match=message):
        tc.copy(x, out=out)
    assert str(out) == before


def test_out_whose_members_overlap_is_refused_unless_the_sources_do_alike() -> None:
    x, out = torch.arange(4.0), torch.zeros(4)
    with pytest.raises(BadArgumentError, match=r"cannot write into out\[0\] · it shares memory with out\[1\]"):
        tc.copy([x, torch.ones(2)], out=[out, out[:2]])
    with pytest.raises(BadArgumentError, match="it shares memory with another leaf of the source"):
        tc.copy([x, out], out=[out, torch.zeros(4)])
    assert out.tolist() == [0, 0, 0, 0]
    tc.copy([x, x[:2]], out=[out, out[:2]])
    assert out.tolist() == [0, 1, 2, 3]
    same = [torch.zeros(2)] * 2
    tc.copy([x[:2]] * 2, out=same)
    assert same[0].tolist() == [0, 1]


def test_out_may_hold_sparse_and_wrapped_tensors() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    nest = [torch.eye(2).to_sparse(), TwoTensor(torch.ones(2), torch.ones(2)), torch.ones(2)]
    out = [torch.zeros(2, 2).to_sparse(), TwoTensor(torch.zeros(2), torch.zeros(2)), torch.zeros(2)]
    tc.copy(nest, out=out)
    assert torch.equal(out[0].to_dense(), torch.eye(2))
    assert (out[1].a.tolist(), out[1].b.tolist(), out[2].tolist()) == ([1, 1], [1, 1], [1, 1])


def test_out_may_hold_cycles_like_the_source() -> None:
    x: list[Any] = [torch.ones(1)]
    x.append(x)
    out = tc.copy(x)
    x[0] = torch.full((1,), 3.0)
    tc.copy(x, out=out)
    assert out[0].item() == 3


@pytest.mark.filterwarnings("ignore:.*quantize_per_tensor", "ignore:.*nested tensors is in prototype stage")
def test_quantized_and_nested_tensors_are_left_out_of_the_flat_buffer() -> None:
    quantized = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8)
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for special in (quantized, nested):
        for flat in (False, True):
            new = tc.copy({"a": torch.ones(2), "s": special}, flat=flat)
            assert str(new["s"]) == str(special)
            assert new["a"].tolist() == [1, 1]

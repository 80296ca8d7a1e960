from __future__ import annotations

import enum
import pickle
from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torch.utils.data import DataLoader, Dataset, default_collate

import tensorcopy as tc
from tensorcopy.errors import (
    BadArgumentError,
    LossyConversionError,
    NestError,
    RaggedError,
    UnsupportedSourceError,
    WrongDeviceError,
)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True, slots=True)
class Sample:
    image: Any
    label: Any


@dataclass
class Graph:
    nodes: int


class Colour(enum.Enum):
    RED = 1


class Molecule:
    """Nothing that a batch can be made of."""


class Numbers(Dataset[Any]):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> dict[str, Any]:
        return {"x": torch.full((3,), float(i)), "n": np.full(2, i), "pair": (i, float(i)), "name": str(i)}


class Reports(Dataset[Any]):
    """Says in each batch whether it was put together in shared memory."""

    def __init__(self, grad: bool = False) -> None:
        self.grad = grad

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.ones(3, requires_grad=self.grad)


def collate_and_tell(batch: list[torch.Tensor]) -> tuple[torch.Tensor, bool]:
    result = tc.collate(batch)
    return result, result.is_shared()


def same(a: Any, b: Any) -> bool:
    """Equality of nests of tensors, with dtypes; a tuple equals the list that torch makes of it."""
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


SAMPLES: dict[str, list[Any]] = {
    "tensors": [torch.arange(3), torch.arange(3) * 2],
    "one tensor": [torch.ones(2, 3)],
    "scalars": [torch.tensor(1.5), torch.tensor(2.5)],
    "empty tensors": [torch.empty(0, 3), torch.empty(0, 3)],
    "bool tensors": [torch.tensor([True]), torch.tensor([False])],
    "bfloat16": [torch.ones(2, dtype=torch.bfloat16)] * 3,
    "transposed": [torch.randn(2, 3).t(), torch.randn(3, 2)],
    "parameters": [torch.nn.Parameter(torch.ones(2), requires_grad=False)] * 2,
    "large": [torch.randn(1000, 600), torch.randn(600, 1000).t()],
    "arrays": [np.arange(3), np.arange(3)[::-1].copy()],
    "float arrays": [np.ones((2, 3), "f4"), np.zeros((2, 3), "f4")],
    "fortran arrays": [np.asfortranarray(np.random.rand(2, 3)), np.random.rand(2, 3)],
    "large arrays": [np.random.rand(1000, 600), np.random.rand(1000, 600)],
    "0-d arrays": [np.array(1.5), np.array(2)  * 1.0],
    "empty arrays": [np.empty((0, 2)), np.empty((0, 2))],
    "ints": [1, 2, 3],
    "bools": [True, False],
    "NumPy floats": [np.float32(1.5), np.float32(2)],
    "NumPy doubles": [np.float64(1.5), np.float64(2)],
    "NumPy ints": [np.int16(1), np.int16(2)],
    "NumPy bools": [np.bool_(1), np.bool_(0)],
    "text": ["a", "b"],
    "bytes": [b"a", b"b"],
    "dicts": [{"a": 1, "b": {"c": torch.ones(1)}}, {"a": 2, "b": {"c": torch.zeros(1)}}],
    "ordered dicts": [OrderedDict(b=1, a=2), OrderedDict(b=3, a=4)],
    "default dicts": [defaultdict(int, a=1), defaultdict(int, a=2)],
    "tuples": [(torch.ones(2), 1), (torch.zeros(2), 2)],
    "lists": [[1, "a"], [2, "b"]],
    "named tuples": [Point(1, torch.ones(1)), Point(2, torch.ones(1))],
    "deep": [{"a": [(1, {"b": np.ones(2)})]}] * 3,
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_collate_gives_what_default_collate_gives(name: str) -> None:
    batch = SAMPLES[name]
    assert same(tc.collate(batch), default_collate(batch))


scalars = st.one_of(
    st.integers(-(2**62), 2**62),
    st.booleans(),
    st.text(max_size=3),
    st.integers(0, 9).map(lambda n: torch.full((2, 2), n)),
    st.integers(0, 9).map(lambda n: np.full((1, 2), n, "f4")),
)
structures = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.dictionaries(st.text(max_size=2), inner, min_size=1, max_size=3),
        st.tuples(inner, inner),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=6,
)


@given(structures, st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_collate_agrees_with_default_collate_on_any_structure(sample: Any, count: int) -> None:
    assert same(tc.collate([sample] * count), default_collate([sample] * count))


def test_python_floats_become_the_default_dtype_and_are_checked() -> None:
    assert tc.collate([1.5, 2]).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert tc.collate([1.5]).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    with pytest.raises(LossyConversionError, match=r"\[1\].*, in field \['t'\] \(the first index is the sample\)"):
        tc.collate([{"t": 1.0}, {"t": 1e300}])
    with pytest.raises(LossyConversionError, match=r"in field \['id'\]"):
        tc.collate([{"id": 2**70}, {"id": 1}])


def test_the_batch_shares_nothing_with_its_samples() -> None:
    x, a = torch.ones(3), np.ones(3)
    batch = tc.collate([{"x": x, "a": a, "s": "n"}])
    x.zero_()
    a[:] = 0
    assert (batch["x"].tolist(), batch["a"].tolist(), batch["s"]) == ([[1, 1, 1]], [[1, 1, 1]], ["n"])
    names = ["a", "b"]
    assert tc.collate(names) is not names


def test_classes_of_containers_are_kept() -> None:
    two = Point(1, "a"), Point(2, "b")
    assert type(tc.collate([(1, 2)])) is tuple
    assert type(tc.collate(two)) is Point
    batch = tc.collate([Sample(torch.ones(2), 1), Sample(torch.zeros(2), 2)])
    assert (type(batch), batch.image.tolist(), batch.label.tolist()) == (Sample, [[1, 1], [0, 0]], [1, 2])
    users = tc.collate([UserDict(a=1), UserDict(a=2)])
    assert (type(users), users["a"].tolist()) == (UserDict, [1, 2])
    queues = tc.collate([deque([1, 2], maxlen=2), deque([3, 4], maxlen=2)])
    assert (type(queues), queues.maxlen, [q.tolist() for q in queues]) == (deque, 2, [[1, 3], [2, 4]])
    proxy = tc.collate([MappingProxyType({"a": 1})])
    assert (type(proxy), proxy["a"].tolist()) == (MappingProxyType, [1])
    assert tc.collate([defaultdict(list, a=1)])["new"] == []

    marked = namedtuple("marked", "a")
    subclass = type("Sub", (marked,), {})
    one = subclass(1)
    one.note = 5
    assert (tc.collate([one]).a.tolist(), tc.collate([one]).note.tolist()) == ([1], [5])


def test_arrays_of_any_permission_order_stride_and_type_are_understood() -> None:
    a = np.arange(6, dtype=">i4").reshape(2, 3)
    a.flags.writeable = False
    assert tc.collate([a[::-1], a]).tolist() == [[[3, 4, 5], [0, 1, 2]], [[0, 1, 2], [3, 4, 5]]]
    large = np.arange(600_000.0)
    assert torch.equal(tc.collate([large[::-1], large])[0], torch.from_numpy(large[::-1].copy()))
    assert tc.collate([np.array([2**63], np.ulonglong)]).dtype is torch.uint64
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tc.collate([np.ones(2, ml_dtypes.bfloat16)]).dtype is torch.bfloat16


def test_a_memory_map_is_an_array_like_others(tmp_path: Any) -> None:
    x = np.memmap(tmp_path / "x", "f4", "w+", shape=(3,))
    assert tc.collate([x, x]).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_images_become_height_by_width_by_channels() -> None:
    batch = tc.collate([(Image.new("RGB", (4, 2), (1, 2, 3)), 0)] * 2)
    assert (batch[0].shape, batch[0].dtype, batch[0][0, 0, 0].tolist()) == ((2, 2, 4, 3), torch.uint8, [1, 2, 3])


def test_dtypes_that_differ_are_promoted_where_every_value_survives() -> None:
    assert tc.collate([torch.tensor([1]), torch.tensor([0.5])]).dtype is torch.float32
    assert tc.collate([np.ones(1, "i1"), np.ones(1, "i4")]).dtype is torch.int32
    assert tc.collate([1, np.float32(0.5), torch.tensor(2)]).tolist() == [1, 0.5, 2]
    with pytest.raises(LossyConversionError, match=r"16777217 .* cannot become float32.*in field \['x'\]"):
        tc.collate([{"x": torch.tensor([16777217])}, {"x": torch.tensor([0.5])}])


def test_the_graph_of_the_samples_is_kept() -> None:
    x = torch.ones(2, requires_grad=True)
    large = torch.ones(1_200_000, requires_grad=True)
    for leaf in (x, large):
        batch = tc.collate([{"x": leaf * 2}, {"x": leaf.detach()}])["x"]
        assert torch.equal(torch.autograd.grad(batch.sum(), leaf)[0], torch.full_like(leaf, 2))


def test_a_subclass_of_tensor_is_kept() -> None:
    class Marked(torch.Tensor):
        pass

    assert type(tc.collate([torch.ones(2).as_subclass(Marked)] * 2)) is Marked


def test_meta_and_sparse_tensors_are_stacked_by_torch() -> None:
    assert tc.collate([torch.ones(2, device="meta")]).device.type == "meta"
    assert torch.equal(tc.collate([torch.eye(2).to_sparse()] * 2).to_dense(), torch.stack([torch.eye(2)] * 2))


def test_by_type_extends_collate_to_other_classes() -> None:
    rules = {Graph: lambda graphs: sum(graph.nodes for graph in graphs), type(None): lambda values: None}
    batch = tc.collate([{"g": Graph(1), "n": None}, {"g": Graph(2), "n": None}], by_type=rules)
    assert batch == {"g": 3, "n": None}
    mixed = tc.collate([Graph(1), type("Sub", (Graph,), {})(5)], by_type=rules)
    assert mixed == 6


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        ([], BadArgumentError, "cannot collate an empty batch · without a sample"),
        ([1, None], UnsupportedSourceError, "cannot collate the samples: it is None in sample 1"),
        ([{"a": [None]}], UnsupportedSourceError, r"cannot collate field \['a'\]\[0\]: it is None in sample 0"),
        (
            [{"x": torch.ones(2)}, {"x": torch.ones(2)}, {"x": torch.ones(3)}],
            RaggedError,
            r"field \['x'\]: sample 2 has shape \(3,\), sample 0 \(2,\) · .*pad",
        ),
        ([torch.ones(3_000_000), torch.ones(3)], RaggedError, r"the samples: sample 1 has shape \(3,\)"),
        (
            [(np.ones(2), 0), (np.ones((2, 1)), 0)],
            RaggedError,
            r"field \[0\]: sample 1 has shape \(2, 1\), sample 0 \(2,\)",
        ),
        ([np.ones(2), np.ones(3, "f4")], RaggedError, r"\[1\].*in the samples"),
        ([(1, 2), (1,)], RaggedError, "the samples: sample 1 has 1 elements, sample 0 2"),
        ([deque([1]), deque()], RaggedError, "the samples: sample 1 has 0 elements, sample 0 1"),
        ([{"a": 1}, {"a": 1, "b": 2}], NestError, "the samples: sample 1 alone has 'b'"),
        ([{"a": 1, "b": 2}, {"a": 1}], NestError, "the samples: sample 1 lacks 'b'"),
        ([{"a": 1}, {"b": 1}], NestError, "the samples: sample 1 lacks 'a'"),
        ([Graph(1), vars(Graph(1))], NestError, "the samples: sample 1 is dict, sample 0 Graph"),
        ([1, "a"], NestError, "the samples: sample 1 is str, sample 0 int"),
        ([[1], 1], NestError, "the samples: sample 1 is int, sample 0 list"),
        (
            [Point(Molecule(), 1)],
            UnsupportedSourceError,
            r"field \.x of .*Molecule · .* by_type=\{Molecule: function\}",
        ),
        ([Point(Colour.RED, 1)], UnsupportedSourceError, r"Colour.RED at \[0\], in field \.x"),
        ([{1, 2}], UnsupportedSourceError, "cannot collate the samples of set"),
        ([object()], UnsupportedSourceError, "cannot collate the samples of object"),
        ([np.array(["a"])], UnsupportedSourceError, "text has no numeric meaning"),
        ([np.ma.array([1, 2], mask=[0, 1])], LossyConversionError, "masked"),
        ([torch.ones(1), torch.ones(1, device="meta")], WrongDeviceError, "sample 1 lies on meta, sample 0 on cpu"),
    ],
    ids=lambda value: "",
)
def test_what_cannot_be_collated_is_refused_with_field_and_sample(batch: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tc.collate(batch)


def test_arrays_whose_rows_only_add_up_are_ragged() -> None:
    rows = [np.ones((count, 3)) for count in (3, 2, 4)]
    with pytest.raises(RaggedError, match=r"sample 1 has shape \(2, 3\), sample 0 \(3, 3\)"):
        tc.collate(rows)


def test_a_sample_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NestError, match="samples are more than 64 levels deep"):
        tc.collate([loop])


def test_a_default_dict_with_other_keys_is_refused_and_stays_as_it_was() -> None:
    strange = defaultdict(int, b=1)
    with pytest.raises(NestError, match="sample 1 lacks 'a'"):
        tc.collate([defaultdict(int, a=1), strange])
    assert dict(strange) == {"b": 1}


def test_collate_pickles_also_with_rules() -> None:
    assert pickle.loads(pickle.dumps(tc.collate)) is tc.collate
    assert pickle.loads(pickle.dumps(partial(tc.collate, by_type={Graph: len})))([1]).tolist() == [1]


@pytest.mark.parametrize("start", [None, "fork", "spawn"])
def test_a_data_loader_gives_the_batches_of_its_samples_in_order(start: str | None) -> None:
    loader = DataLoader(
        Numbers(),
        batch_size=4,
        collate_fn=tc.collate,
        num_workers=2 if start else 0,
        multiprocessing_context=start,
    )
    batches = list(loader)
    expected = [tc.collate([Numbers()[i] for i in range(k, k + 4)]) for k in (0, 4)]
    assert all(map(same, batches, expected))
    assert type(batches[0]["pair"]) is tuple


def test_a_worker_writes_into_shared_memory_at_once() -> None:
    loader = DataLoader(
        Reports(), batch_size=2, collate_fn=collate_and_tell, num_workers=1, multiprocessing_context="fork"
    )
    ((batch, was_shared),) = list(loader)
    assert (batch.tolist(), was_shared) == ([[1, 1, 1], [1, 1, 1]], True)
    assert collate_and_tell([torch.ones(3)])[1] is False


def test_tensors_on_the_graph_cannot_leave_a_worker() -> None:
    loader = DataLoader(
        Reports(grad=True), batch_size=2, collate_fn=tc.collate, num_workers=1, multiprocessing_context="fork"
    )
    with pytest.raises(
        RuntimeError, match="GraphError: cannot collate the samples: it requires grad, and this is a worker"
    ):
        list(loader)


class Ragged(Dataset[Any]):
    """Its samples do not go together."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.ones(3 + i)


def test_an_error_in_a_worker_keeps_its_class_and_its_words() -> None:
    loader = DataLoader(Ragged(), batch_size=2, collate_fn=tc.collate, num_workers=1, multiprocessing_context="fork")
    with pytest.raises(RaggedError, match=r"(?s)^Caught RaggedError in .*has shape \(4,\).* · crop or pad the samples"):
        list(loader)

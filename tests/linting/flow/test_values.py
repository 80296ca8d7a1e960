"""What the analysis knows of values: kinds, memory, dtypes and the graph, over the operations of both libraries."""

from __future__ import annotations

import pytest

from tensorcopy.linting.flow import values as v
from tests.linting.flow.following import shares, value_of

X = "x = torch.ones(2, 3)\n"
A = "x = np.ones((2, 3))\n"


@pytest.mark.parametrize(
    "call",
    [
        "x.detach()",
        "x.view(-1)",
        "x[0]",
        "x[:, 1:]",
        "x.T",
        "x.data",
        "x.transpose(0, 1)",
        "x.numpy()",
        "torch.as_tensor(x)",
        "x.expand(4, 2, 3)",
        "np.asarray(x)",
        "x.unsqueeze(0)",
        "x.float()",
        "x.reshape(3, 2)",
        "x.to('cpu')",
        "copy.copy(x)",
        "list(x)[0]",
        "x.split(1)[0]",
        "nn.Parameter(x)",
    ],
)
def test_what_shares_with_a_tensor_lies_in_its_memory(call: str) -> None:
    assert shares(X + f"y = {call}")


@pytest.mark.parametrize(
    "call",
    [
        "x.clone()",
        "x + 1",
        "x[[0, 1]]",
        "x[x > 0]",
        "torch.tensor(x)",
        "x.repeat(2, 1)",
        "torch.cat([x, x])",
        "x.to(torch.float64)",
        "x.to('cpu', copy=True)",
        "x.sum()",
        "x.double()",
        "copy.deepcopy(x)",
        "x.flip(0)",
        "np.array(x)",
        "x.numpy().copy()",
        "-x",
    ],
)
def test_what_copies_a_tensor_lies_in_memory_of_its_own(call: str) -> None:
    assert not shares(X + f"y = {call}")


@pytest.mark.parametrize(
    ("call", "sharing"),
    [
        ("torch.from_numpy(x)", True),
        ("torch.as_tensor(x)", True),
        ("x[1:]", True),
        ("x.T", True),
        ("np.asarray(x)", True),
        ("x.ravel()", True),
        ("x.view(np.int64)", True),
        ("torch.tensor(x)", False),
        ("x.copy()", False),
        ("x.astype(np.float32)", False),
        ("np.array(x)", False),
        ("x[[0]]", False),
        ("x * 2", False),
        ("x.flatten()", False),
        ("np.stack([x, x])", False),
    ],
)
def test_arrays_share_and_copy_as_numpy_says(call: str, sharing: bool) -> None:
    assert shares(A + f"y = {call}") is sharing


@pytest.mark.parametrize(
    ("code", "dtype"),
    [
        ("y = torch.zeros(2)", "float32"),
        ("y = torch.arange(3)", "int64"),
        ("y = torch.arange(3.0)", "float32"),
        ("y = torch.tensor([1, 2])", "int64"),
        ("y = torch.tensor([1.0])", "float32"),
        ("y = torch.zeros(2, dtype=torch.half)", "float16"),
        ("y = torch.zeros(2).long()", "int64"),
        ("y = torch.zeros(2).to(torch.uint8)", "uint8"),
        ("y = np.zeros(2)", "float64"),
        ("y = np.zeros(2, dtype=np.float32)", "float32"),
        ("y = np.zeros(2, 'f4')", "float32"),
        ("y = np.array([1, 2])", "int64"),
        ("y = np.zeros(2).astype('int16')", "int16"),
        ("y = torch.zeros(2) > 0", "bool"),
        ("y = torch.zeros(2).argmax()", "int64"),
    ],
)
def test_dtypes_are_those_that_the_libraries_give(code: str, dtype: str) -> None:
    value = value_of(code)

    assert value is not None
    assert value.dtype == dtype


@pytest.mark.parametrize(
    ("code", "graph"),
    [
        ("y = torch.ones(2)", v.OFF),
        ("y = torch.ones(2, requires_grad=True)", v.ON),
        ("y = nn.Linear(2, 2)(torch.ones(1, 2))", v.ON),
        ("y = nn.Linear(2, 2)(torch.ones(1, 2)).detach()", v.OFF),
        ("y = nn.Linear(2, 2)(torch.ones(1, 2)).pow(2).mean()", v.ON),
        ("with torch.no_grad():\n    y = nn.Linear(2, 2)(torch.ones(1, 2))", v.OFF),
        ("y = torch.tensor(nn.Linear(2, 2)(torch.ones(1, 2)))", v.OFF),
        ("y = nn.Linear(2, 2).weight * 2", v.ON),
        ("y = nn.Linear(2, 2)(torch.ones(1, 2)).long()", v.OFF),
        ("y = nn.ReLU()(torch.ones(2))", v.OFF),
        ("y = torch.zeros(2).requires_grad_()", v.ON),
        ("y = torch.ones(2)\ny[0] = nn.Linear(1, 1)(torch.ones(1, 1))", v.ON),
        ("y = unknown(torch.ones(2)) + torch.ones(2)", v.UNSURE),
    ],
)
def test_the_graph_is_followed_through_operations_and_grad_modes(code: str, graph: str) -> None:
    value = value_of(code)

    assert value is not None
    assert value.graph == graph


@pytest.mark.parametrize(
    "code",
    [
        "y = unknown(torch.ones(2))",
        "y = unknown.method(1)",
        "y = [f(x) for x in unknown][0]",
        "y = torch.ones(2) if unknown else 'text'",
        "for y in unknown: pass",
    ],
)
def test_the_unknown_stays_unknown(code: str) -> None:
    value = value_of(code)

    assert value is None or value.kind == v.UNKNOWN


def test_a_cast_to_the_dtype_it_has_shares_and_to_another_copies() -> None:
    assert shares("x = torch.zeros(2)\ny = x.type(torch.float32)")
    assert not shares("x = torch.zeros(2)\ny = x.type(torch.float64)")


def test_a_dimension_of_size_one_that_expand_adds_repeats_nothing() -> None:
    one, many = value_of("y = torch.arange(3).expand(1, -1)"), value_of("y = torch.arange(3).expand(2, -1)")

    assert one is not None
    assert many is not None
    assert ("expanded" in one.traits, "expanded" in many.traits) == (False, True)


@pytest.mark.parametrize(
    ("index", "sharing"),
    [
        ("0", True),
        ("1:", True),
        ("...", True),
        ("None", True),
        ("0, 1:", True),
        ("torch.tensor([0])", False),
        ("x > 0", False),
        ("[0, 1]", False),
        ("0, [0, 1]", False),
        ("~mask", False),
    ],
)
def test_an_index_of_numbers_and_slices_is_a_view_and_any_other_a_copy(index: str, sharing: bool) -> None:
    assert shares(X + f"mask = x > 0\ny = x[{index}]") is sharing

"""Copies of temporaries."""

from __future__ import annotations

import pytest

from tests.linting.programs import lines_of, mended

CODE = "TCY402"
HEAD = "import numpy as np\nimport torch\n\n\ndef f(a: torch.Tensor, b: torch.Tensor, x: np.ndarray, u):\n    return "
WASTED = {
    "torch.tensor(x).clone()": "torch.tensor(x)",
    "(a * b).clone()": "(a * b)",
    "torch.cat([a, b]).clone()": "torch.cat([a, b])",
    "a.clamp(0, 1).clone()": "a.clamp(0, 1)",
    "a[a > 0].clone()": "a[a > 0]",
    "x[[0, 1]].copy()": "x[[0, 1]]",
    "(x + 1).copy()": "(x + 1)",
    "x.astype(int).copy()": "x.astype(int)",
    "np.array(x.copy())": "np.array(x)",
    "np.array(np.stack([x, x]))": "np.stack([x, x])",
    "np.copy(np.zeros(3))": "np.zeros(3)",
    "torch.tensor(x.copy())": "torch.tensor(x)",
    "u.copy().astype(np.int64)": "u.astype(np.int64)",
    "u[::-1].copy().astype(int)": "u[::-1].astype(int)",
    "torch.from_numpy(x.copy().astype(np.float32))": "torch.from_numpy(x.astype(np.float32))",
    "a.clone() + b": "a + b",
    "b - a.clone()": "b - a",
    "x.copy() * 2": "x * 2",
    "torch.tensor(x).detach().clone()": "torch.tensor(x).detach()",
    "np.array(x.astype(np.float32))": "x.astype(np.float32)",
}
NEEDED = [
    "a[0].clone()",
    "a.float().clone()",
    "a.detach().clone()",
    "a.numpy().copy()",
    "x.astype(int, copy=False).copy()",
    "a.contiguous().clone()",
    'a.to("cpu").clone()',
    "a.expand(3).clone()",
    "torch.from_numpy(x.copy())",
    "torch.from_numpy(x).clone()",
    "torch.as_tensor(x).clone()",
    "np.asarray(x).copy()",
    "np.array([1, 2])",
    "np.array(a + b)",
    "np.array(x.mean(0))",
    "np.array(x[0] + 1)",
    "(a * b).clone(memory_format=torch.contiguous_format)",
    "a.clone() * b",
    "u.f().clone()",
    "(u * 2).copy()",
    "[1].copy() + [2]",
    "torch.nn.functional.dropout(a, training=False).clone()",
    "x.copy()",
    "a[b.argmax()].clone()",
]


ELEMENTS = {
    "a number in each turn": "for n in indices:\n        kept = d[0, n - 2].clone()\n        d[0, n:] = kept",
    "a number of an argument": "kept = d[indices].clone()\n    d[0] = 1\n    return kept",
}


@pytest.mark.parametrize("body", ELEMENTS.values(), ids=ELEMENTS)
def test_what_one_number_may_pick_is_a_view_and_needs_its_copy(body: str) -> None:
    head = "import torch\n\n\ndef f(a: torch.Tensor, indices: torch.Tensor):\n    d = torch.norm(a, dim=2)\n    "

    assert lines_of(CODE, head + body + "\n") == []


def test_what_sorted_places_pick_is_new_memory() -> None:
    program = "import torch\n\n\ndef f(a: torch.Tensor):\n    places = a.argsort()\n    return a[places].clone()\n"

    assert lines_of(CODE, program) == [6]


@pytest.mark.parametrize(("expression", "once"), WASTED.items(), ids=WASTED)
def test_a_copy_of_a_temporary_is_found_and_dropped(expression: str, once: str) -> None:
    assert lines_of(CODE, HEAD + expression + "\n") == [6]
    assert mended(HEAD + expression + "\n", CODE) == HEAD + once + "\n"


@pytest.mark.parametrize("expression", NEEDED)
def test_the_only_copy_is_left_alone(expression: str) -> None:
    assert lines_of(CODE, HEAD + expression + "\n") == []


def test_what_a_variable_refers_to_may_be_copied() -> None:
    assert lines_of(CODE, "import torch\n\n\ndef f(a: torch.Tensor):\n    b = a + 1\n    return b, b.clone()\n") == []


def test_a_dot_on_a_line_of_its_own_is_dropped_with_its_call() -> None:
    program = "import torch\n\n\ndef f(a: torch.Tensor):\n    return (\n        (a + 1)\n        .clone()\n    )\n"

    assert mended(program, CODE).split() == program.replace(".clone()", "").split()

"""A copy has the name that people use for it, and a hidden one the name of the operation that hides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy.tracing.judging.naming import kind_in_backward
from tests.tracing.programs import traced

SETUP = "import torch.nn.functional as F\nx, w = torch.ones(8, 8), torch.ones(8, 8)\n"
KINDS = {
    "x.clone()": "clone",
    "copy.deepcopy(x)": "clone",
    "y = x.double()": "cast",
    "x.to(torch.float16)": "cast",
    "x.t().contiguous()": "contiguous",
    "x.t().reshape(-1)": "contiguous",
    "torch.cat([x, w])": "cat",
    "torch.stack(\n    [x, w],\n    dim=1,\n)": "stack",
    "torch.vstack([x, w])": "cat",
    "x.repeat(2, 2)": "repeat",
    "x.repeat_interleave(2)": "repeat",
    "x[1:] = w[1:]": "assignment",
    "x.copy_(w)": "assignment",
    "F.linear(x, w, torch.ones(8))": "inside linear",
    "nn.Linear(8, 8)(x)": "inside linear",
    "y = torch.ones(3, 8, 8) @ torch.ones(2, 1, 8, 8)": "inside matmul",
    "torch.tensor([1.0, 2.0])": "list to tensor",
    "torch.tensor(np.ones(3))": "NumPy to torch",
    "x.tolist()": "tensor to list",
}


@pytest.mark.parametrize("code", KINDS)
def test_a_copy_is_named_as_people_name_it(code: str, tmp_path: Path) -> None:
    capture = traced(f"{SETUP}{code}\n", tmp_path)

    assert KINDS[code] in [c.kind for c in capture.copies if c.place.line >= 3]
    assert capture.limits == ()


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        ("MaskedFillBackward0", "in backward of masked_fill"),
        ("MulBackward0", "in backward of mul"),
        ("torch::autograd::CopySlices", "in backward of copy_slices"),
        ("torch::autograd::AccumulateGrad", "in backward of accumulate_grad"),
        ("MyFunctionBackward", "in backward of my_function"),
    ],
)
def test_a_copy_in_backward_is_named_by_the_node(node: str, kind: str) -> None:
    assert kind_in_backward(node) == kind


def test_a_copy_in_backward_stands_at_its_forward_line(tmp_path: Path) -> None:
    code = "x = torch.ones(4, 4, requires_grad=True)\ny = x.masked_fill(torch.eye(4).bool(), 0.0)\ny.sum().backward()\n"
    capture = traced(code, tmp_path)

    assert [(c.kind, c.place.line) for c in capture.copies if c.phase == "backward"] == [
        ("in backward of masked_fill", 2)
    ]


@pytest.mark.parametrize("name", ["", "<made>", "/made/\x1b[31m<b>.py"])
def test_generated_code_of_any_name_is_recorded(name: str, tmp_path: Path) -> None:
    code = f"made = 'import torch\\n\\n\\nx = torch.ones(9).clone()'\nexec(compile(made, {name!r}, 'exec'))\n"
    capture = traced(code, tmp_path)

    (copy,) = capture.copies
    is_a_file = name.startswith("/")
    assert (capture.limits, copy.place.file == name, copy.place.line) == ((), is_a_file, 4 if is_a_file else 2)

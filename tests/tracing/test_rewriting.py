"""The line to write instead is made from the line that is there."""

from __future__ import annotations

import pytest

from tensorcopy.tracing.captures.capture import Finding, Spot
from tensorcopy.tracing.kinds import KINDS
from tensorcopy.tracing.viewing.rewriting import REWRITES, instead, part_of

LINES = {
    "changing-snapshot": {
        "kept.append(t.numpy())": "kept.append(t.numpy().copy())",
        "best = [w.detach() for w in ws]": "best = [w.detach().clone() for w in ws]",
        "old = p.data": "old = p.detach().clone()",
        "old = copy.copy(t)": "old = copy.deepcopy(t)",
        "self.best = model.state_dict()": "self.best = copy.deepcopy(model.state_dict())",
        "kept.append(w.grad)": "kept.append(w.grad.clone())",
        "a = np.asarray(t)": "a = np.asarray(t).copy()",
        "nothing = known": "",
    },
    "changing-snapshot/collected": {"kept.append(x)": "kept.append(x.clone())"},
    "restored-from-itself": {"best = net.state_dict()": "best = copy.deepcopy(net.state_dict())"},
    "view-of-moved-memory": {"a = t.numpy()": "a = t.numpy().copy()"},
    "callers-memory-written": {"t = torch.from_numpy(a)": "t = torch.from_numpy(a).clone()"},
    "shared-buffer-overwritten": {"kept.append(torch.as_tensor(obs))": "kept.append(torch.as_tensor(obs).clone())"},
    "shared-array-changed": {"t = torch.from_numpy(a)": "t = torch.from_numpy(a).clone()"},
    "readonly-memory-written": {"t = torch.as_tensor(a)": "t = torch.as_tensor(a).clone()"},
    "expanded-memory-written": {"x = y.expand(4, -1)": "x = y.expand(4, -1).clone()"},
    "overlapping-copy": {
        "x[1:] = x[:-1]": "x[1:] = x[:-1].clone()",
        "x[1:] = x[:-1] + y": "x[1:] = (x[:-1] + y).clone()",
    },
    "lost-write": {
        "x.reshape(-1).fill_(1)": "x.fill_(1)",
        "x.data.reshape(-1).copy_(y)": "x.data.copy_(y.view_as(x.data))",
        "x.flatten()[0] = 1": "",
        "x[rows].mul_(2)": "x[rows] = x[rows].mul(2)",
        "x[rows].zero_()": "x[rows] = 0",
    },
    "internal-buffer-returned/array": {"return self.state": "return self.state.copy()"},
    "internal-buffer-returned/tensor": {"yield self.state": "yield self.state.clone()"},
    "internal-buffer-returned": {"return self.state": ""},
    "separate-deep-copies": {"c, d = copy.deepcopy(a), copy.deepcopy(b)": "c, d = copy.deepcopy((a, b))"},
    "silent-gradient": {"y += 1": ""},
    "silent-gradient/torch": {"y.data.mul_(2, out=z)": "y = y.mul(2, out=z)", "a[0] = 1": ""},
    "gradient-cut": {
        "loss = a(x) + b(x).item()": "loss = a(x) + b(x)",
        "loss = torch.tensor([a, b]).sum()": "loss = torch.stack([a, b]).sum()",
        "y = torch.tensor(h)": "y = h",
        "y = torch.tensor(h, dtype=torch.float32)": "y = torch.as_tensor(h, dtype=torch.float32)",
        "y = f(torch.tensor(h.tolist()))": "y = f(h)",
        "y = h.new_tensor(h.mean(0))": "y = h.mean(0)",
        "h = h.detach()": "",
        "loss = torch.FloatTensor(losses).mean()": "loss = torch.stack(losses).mean()",
        "h = torch.from_numpy(f(h.detach().numpy()))": "",
        "h = torch.tensor(np.tanh(h.tolist()))": "",
        "loss = a + 0.1 * float(b)": "loss = a + 0.1 * b",
        "values.append(v.item())": "",
        "m = torch.tensor([float(v) for v in x])": "m = torch.stack([v for v in x])",
        "m = torch.tensor([a.item(), b])": "m = torch.stack([a, b])",
        "y = (a - b).item() * c": "y = (a - b) * c",
        "y = (h.data * 2).sum()": "y = (h * 2).sum()",
    },
    "gradient-cut/list": {
        "loss = torch.tensor(losses).sum()": "loss = torch.stack(losses).sum()",
        "loss = torch.tensor([a, b]).sum()": "loss = torch.stack([a, b]).sum()",
    },
    "gradient-may-be-cut": {"n = norm.item()": "", "n = norm.item() * 2": "n = norm * 2"},
    "gradient-may-be-cut/list": {"loss = torch.FloatTensor(self.all).sum()": "loss = torch.stack(self.all).sum()"},
    "grad-of-non-leaf": {
        "x = torch.ones(2, requires_grad=True).double()": "x = torch.ones(2, requires_grad=True, dtype=torch.float64)",
        "x = torch.ones(2, requires_grad=True).to(device)": "x = torch.ones(2, requires_grad=True, device=device)",
        "x = torch.rand(2, requires_grad=True) * 9": "x = (torch.rand(2) * 9).requires_grad_()",
    },
    "graph-kept": {
        "total += loss": "total += loss.detach()",
        "total = total + loss * 2": "total = total + (loss * 2).detach()",
    },
    "attribute-typo": {"p.require_grad = False": "p.requires_grad = False"},
    "masked-values-dropped": {"torch.as_tensor(a)": "torch.as_tensor(a.filled(0))"},
    "values-not-in-dtype": {"torch.tensor(a, dtype=d)": "torch.tensor(np.nan_to_num(a), dtype=d)"},
    "float64-leak": {
        "w = torch.tensor([0.5])": "w = torch.tensor([0.5], dtype=torch.float32)",
        "w = torch.from_numpy(a)": "w = torch.from_numpy(a).float()",
    },
    "integers-through-float32": {"torch.Tensor(ids)": "torch.tensor(ids, dtype=torch.int64)"},
    "tensor-of-tensor": {
        "y = torch.tensor(x + 1)": "y = (x + 1).detach().clone()",
        "y = torch.tensor(x, requires_grad=True)": "y = x.detach().clone().requires_grad_()",
    },
    "avoidable-copy/clone-of-temporary": {
        "y = (x * 2).clone().sum()": "y = (x * 2).sum()",
        "y = a.clone() + b.clone()": "",
        "y = f((x * 2).clone())": "y = f(x * 2)",
        "y = (x * 2).clone()": "y = x * 2",
    },
    "avoidable-copy/repeat": {
        "y = x.repeat(8, 1) * z": "y = x.expand(8, -1) * z",
        "y = x.repeat((n, 1, 1))": "y = x.expand(n, -1, -1)",
        "y = x.repeat(1, 4) - z.repeat(4, 1)": "y = x.expand(-1, 4) - z.expand(4, -1)",
        "y = x - torch.tile(z, (4, 1))": "y = x - z.expand(4, -1)",
    },
    "avoidable-copy/never-written": {
        "y = x.clone()": "y = x",
        "y = (x * 2).clone()": "y = x * 2",
        "y = torch.from_numpy(x.numpy().copy())": "y = torch.from_numpy(x.numpy())",
        "y = copy.deepcopy(batch)": "y = batch",
        "x = x.clone()": "",
    },
    "avoidable-copy/round-trip": {
        "y += x.double().float()": "y += x",
        "y = copy.deepcopy(x.clone())": "y = x.clone()",
    },
    "avoidable-copy/array-dropped": {
        "y = torch.tensor(a)": "y = torch.from_numpy(a)",
        "y = torch.tensor(a, device=d)": "",
    },
    "constant-rebuilt": {
        "mean = torch.tensor([0.5, 0.4], device=x.device)": (
            "# once, in __init__\n"
            'self.register_buffer("mean", torch.tensor([0.5, 0.4]), persistent=False)\n'
            "# in forward\n"
            "mean = self.mean"
        ),
        "mean = torch.tensor([self.a, 0.4])": "",
        "y = x - torch.tensor([0.5, 0.4])": "",
    },
    "list-of-arrays": {
        "torch.tensor(rows)": "torch.from_numpy(np.stack(rows))",
        "torch.tensor([a, b], dtype=torch.float32)": "torch.from_numpy(np.stack([a, b])).to(torch.float32)",
    },
    "expanded-copied": {"y = x.expand(4, -1).clone()": "y = x.clone().expand(4, -1)"},
    "kept-storage": {
        "torch.save(x, path)": "torch.save(x.clone(), path)",
        "kept.append(out[:, 0])": "kept.append(out[:, 0].clone())",
    },
    "inplace-before-backward": {
        "w += 1": "w = w + 1",
        "w.add_(1)": "w = w.add(1)",
        "w.copy_(x + 1)": "w = x + 1",
        "w.zero_()": "w = torch.zeros_like(w)",
        "w.fill_(3)": "w = torch.full_like(w, 3)",
        "w.normal_()": "",
        "w[0] = 1": "",
    },
}
CASES = [(name, line, new) for name, lines in LINES.items() for line, new in lines.items()]


def found(name: str, line: int) -> Finding:
    name, _, variant = name.partition("/")
    place = Spot(file="a.py", line=line)
    return Finding(code="C", name=name, level="error", message="m", place=place, variant=variant)


@pytest.mark.parametrize(("name", "line", "new"), CASES, ids=[f"{name}: {line}" for name, line, _ in CASES])
def test_the_line_is_rewritten(name: str, line: str, new: str) -> None:
    text = f"import copy\nimport numpy as np\nimport torch\ndef f(self, x):\n    {line}  # why\n    last = self, f\n"

    assert instead(found(name, 5), {"a.py": text}.__getitem__) == (f"{new}  # why" if new else "")


def test_every_rewriting_is_of_a_kind_and_is_tested() -> None:
    assert {name.partition("/")[0] for name in REWRITES} <= set(KINDS)
    assert set(REWRITES) <= set(LINES)


def test_a_statement_over_several_lines_is_given_whole() -> None:
    text = "x = f(\n    t.numpy(),\n    1,\n)\n"

    assert instead(found("changing-snapshot", 2), lambda file: text) == "x = f(\n    t.numpy().copy(),\n    1,\n)"


def test_of_a_statement_with_a_body_the_head_is_given() -> None:
    text = "for a in [t.numpy()]:\n    print(a)\n"

    assert instead(found("changing-snapshot", 1), lambda file: text) == "for a in [t.numpy().copy()]:"


def test_columns_are_right_behind_letters_of_several_bytes() -> None:
    text = 'kept["größe"], b = t.numpy(), 1\n'

    assert instead(found("changing-snapshot", 1), lambda file: text) == 'kept["größe"], b = t.numpy().copy(), 1'


def test_the_name_under_which_the_program_knows_numpy_is_used() -> None:
    text = "import numpy\nimport torch as th\nth.tensor(rows)\n"

    assert instead(found("list-of-arrays", 3), lambda file: text) == "th.from_numpy(numpy.stack(rows))"


def test_a_module_that_the_program_has_not_imported_is_not_used() -> None:
    text = "import torch\nbest = net.state_dict()\ntorch.tensor(rows)\n"

    assert instead(found("list-of-arrays", 3), lambda file: text) == ""
    assert instead(found("changing-snapshot", 2), lambda file: text) == (
        "best = {name: value.clone() for name, value in net.state_dict().items()}"
    )


@pytest.mark.parametrize("text", ["", "def (", "\0", "x\n", "(" * 100_000])
def test_text_that_tells_nothing_gives_nothing(text: str) -> None:
    assert instead(found("changing-snapshot", 1), lambda file: text) == ""


def test_an_unknown_kind_gives_nothing() -> None:
    assert instead(found("of-a-newer-release", 1), lambda file: "x = t.numpy()") == ""


def test_the_part_to_be_changed_is_known_by_its_columns() -> None:
    text = 'kept["größe"] = t.numpy()\n'

    assert part_of(found("changing-snapshot", 1), lambda file: text) == (16, 25)
    assert part_of(found("changing-snapshot", 1), lambda file: "x = 1\n") is None
    assert part_of(found("inplace-before-backward", 1), lambda file: "w += 1\n") == (0, 6)

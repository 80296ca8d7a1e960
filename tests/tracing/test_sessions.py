"""A session changes nothing of the program that it watches, and leaves nothing behind."""

from __future__ import annotations

import copy
import sys
import warnings
from pathlib import Path

import pytest
import torch

from tests.tracing.programs import scope, traced

TRAINING = """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
losses = []
for _ in range(5):
    x = torch.from_numpy(np.random.RandomState(0).rand(3, 4).astype(np.float32))
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)
"""


def test_losses_are_the_same_bit_for_bit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(TRAINING, scope())
    alone = capsys.readouterr().out
    capture = traced(TRAINING, tmp_path)

    assert capsys.readouterr().out == alone
    assert (capture.steps, capture.findings) == (5, ())


def test_everything_that_was_wrapped_is_put_back(tmp_path: Path) -> None:
    before = (torch.tensor, torch.from_numpy, torch.Tensor.numpy, copy.deepcopy, torch.save, torch.nn.Module.state_dict)
    own = set(vars(torch.Tensor))
    traced("x = torch.ones(2).clone()\n", tmp_path)

    after = (torch.tensor, torch.from_numpy, torch.Tensor.numpy, copy.deepcopy, torch.save, torch.nn.Module.state_dict)
    assert after == before
    assert set(vars(torch.Tensor)) == own
    assert sys.getprofile() is None
    assert torch._C._len_torch_function_stack() == 0


def test_copies_are_counted_by_line_with_their_bytes(tmp_path: Path) -> None:
    capture = traced("x = torch.ones(100)\nfor _ in range(3):\n    y = x.clone()\n", tmp_path)

    assert [(c.operation, c.place.line, c.count, c.bytes) for c in capture.copies] == [("clone", 3, 3, 1200)]


def test_a_copy_in_backward_is_named_by_its_forward_line(tmp_path: Path) -> None:
    code = "w = torch.ones(4, 4, requires_grad=True)\nx = torch.ones(4, 4).t()\ny = w.reshape(2, 8).t() * 2\n"
    code += "y.contiguous().exp().sum().backward()\n"
    capture = traced(code, tmp_path)

    assert {c.phase for c in capture.copies} >= {"forward"}
    assert all(c.place.file.startswith(str(tmp_path)) for c in capture.copies)


@pytest.mark.parametrize(
    "code",
    [
        "torch.func.grad(lambda x: x.sin().sum())(torch.ones(2))",
        "torch.vmap(lambda x: x * 2)(torch.ones(2, 2))",
        "with torch.inference_mode():\n    torch.ones(2).clone()",
        "torch.utils.checkpoint.checkpoint(lambda x: x.exp(), torch.ones(2, requires_grad=True), use_reentrant=False)",
        "with torch.autocast('cpu'):\n    nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()",
        "x = torch.ones(3, 3).to_sparse()\n(x @ torch.ones(3, 3)).sum()",
        "class T(torch.Tensor): pass\nx = torch.ones(2).as_subclass(T)\n(x + 1).sum()",
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_torch_offers_beyond_plain_calls_still_works(code: str, tmp_path: Path) -> None:
    capture = traced("import torch.utils.checkpoint\n" + code + "\n", tmp_path)

    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("raise SystemExit(3)", "normally"),
        ("raise KeyboardInterrupt", "interrupted"),
        ("raise ValueError('x')", "with ValueError"),
    ],
)
def test_the_capture_says_how_the_program_ended(
    code: str, ended: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert traced(code, tmp_path).ended == ended


def test_after_the_full_steps_one_step_in_ten_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.tracing.session._FULL_SECONDS", -1.0)
    code = "w = torch.ones(2, requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\nfor _ in range(21):\n"
    code += "    loss = w.clone().sum()\n    loss.backward()\n    optimizer.step()\n"
    capture = traced(code, tmp_path, steps=2)

    (clones,) = [c for c in capture.copies if c.operation == "clone"]
    assert (capture.steps, clones.count) == (21, 4)
    assert capture.limits == ("from optimizer step 2 on, only copies were counted, in one step of 10",)


def test_a_warning_of_torch_names_the_line_of_the_program(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        traced("x = torch.ones(1, requires_grad=True) * 2\nx.grad\n", tmp_path)

    (warning,) = caught
    assert (Path(warning.filename).parent, warning.lineno) == (tmp_path, 2)


LOADING = """
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.ones(3).clone()
net = nn.Linear(3, 1)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, foreach=False)
for batch in torch.utils.data.DataLoader(Rows(), batch_size=2):
    net(batch.double().float()).sum().backward()
    optimizer.step()
"""


def test_copies_are_told_apart_by_phase(tmp_path: Path) -> None:
    capture = traced(LOADING, tmp_path)

    phases = {(c.phase, c.place.line, c.kind) for c in capture.copies}
    assert phases >= {("data", 6, "clone"), ("data", 9, "stack"), ("forward", 10, "cast")}
    assert set(capture.timeline.copied) == {"data", "forward", "backward", "optimizer"}
    assert len(capture.timeline.steps) == capture.steps == 2


def test_a_capture_keeps_the_text_of_the_program(tmp_path: Path) -> None:
    (source,) = traced(LOADING, tmp_path).sources

    assert source.text == LOADING


def test_the_events_of_the_timeline_are_those_of_the_lines(tmp_path: Path) -> None:
    capture = traced("x = torch.ones(8)\nx.clone()\nx.double()\nx.double()\n", tmp_path)

    events = capture.timeline.events
    assert [(capture.copies[line].kind, size) for line, size in zip(events.line, events.bytes, strict=True)] == [
        ("clone", 32),
        ("cast", 64),
        ("cast", 64),
    ]


def test_lines_beyond_the_bound_are_summed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorcopy.tracing.judging.copies._MOST_WRITTEN", 2)
    capture = traced("x = torch.ones(4)\n" + "x.clone()\n" * 5, tmp_path)

    assert [(c.operation, c.count, c.bytes) for c in capture.copies] == [
        ("clone", 1, 16),
        ("clone", 1, 16),
        ("other copies", 3, 48),
    ]
    assert set(capture.timeline.events.line) == {0, 1, 2}


def test_an_array_of_a_tensor_is_counted_once(tmp_path: Path) -> None:
    code = "t, kept = torch.zeros(2), []\nfor _ in range(3):\n    t += 1\n    kept.append(t.numpy())\n"
    (finding,) = traced(code, tmp_path).findings

    assert (finding.message.split(" that ")[0], finding.count) == ("2 arrays", 1)

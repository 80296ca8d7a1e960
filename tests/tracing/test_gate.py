"""Copies and writes are counted in C where that was built, and in Python elsewhere: the report is the same."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tensorcopy.tracing.captures.capture import Capture, Spot
from tests.tracing.programs import traced

NO_PLACE = Spot(file="", line=0)
PROGRAM = """
net = nn.Sequential(nn.Linear(4, 300), nn.ReLU(), nn.Linear(300, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
kept = []
for step in range(300):
    a = np.ones((2, 4), np.float32)
    x = torch.from_numpy(a)
    small = x.clone()
    large = torch.zeros(64, 64).clone()
    large.add_(1)
    loss = net(x + small).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    running = torch.zeros(2)
    view = running.numpy()
    running += 1
    kept.append(view)
"""


def told(capture: Capture) -> list[object]:
    """What a report says, without times and without the name of the program's file."""
    copies = [(c.place.line, replace(c, place=NO_PLACE, seconds=0.0)) for c in capture.copies]
    findings = [(f.place.line, f.name, f.message, f.count, [r.line for r in f.related]) for f in capture.findings]
    return [capture.steps, capture.limits, copies, findings]


def test_the_report_is_the_same_with_and_without_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorcopy.tracing._gate", reason="built without a compiler")
    fast = traced(PROGRAM, tmp_path)
    monkeypatch.setitem(sys.modules, "tensorcopy.tracing._gate", None)
    slow = traced(PROGRAM, tmp_path)

    assert fast.copies
    assert told(fast) == told(slow)


def test_a_gate_takes_just_what_it_asks() -> None:
    gate = pytest.importorskip("tensorcopy.tracing._gate", reason="built without a compiler")
    fields = dict.fromkeys(
        ["session", "attention", "strided", "current_node", "user_site", "copies", "record", "memory"], None
    )
    tables = {"saved": {}, "pending": {}, "living": {}, "blocks": {}}
    plain = (torch.Tensor, torch.nn.Parameter)

    assert gate.Gate(plain=plain, **fields, **tables)
    with pytest.raises(TypeError, match="exactly its fields"):
        gate.Gate(plain=plain, **fields)
    with pytest.raises(TypeError, match="blocks is missing or of another type"):
        gate.Gate(plain=plain, **fields, **(tables | {"blocks": []}))

"""Where torch lacks the dispatch keys, a mode hears of copies and writes, and the report says what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tensorcopy.tracing.hooks.dispatching import DISPATCH, Dispatch
from tensorcopy.tracing.hooks.every_operation import COST
from tests.tracing.programs import traced
from tests.tracing.test_reach import NET, STEPS, assert_nothing_is_left


def _missing(name: str) -> Any:
    raise RuntimeError(f"could not parse dispatch key: {name}")


@pytest.fixture(params=["missing keys", "deaf keys"])
def without_keys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "missing keys":
        monkeypatch.setattr(torch._C, "_dispatch_key_parse", _missing)
    else:
        monkeypatch.setattr(Dispatch, "_register", lambda self: None)
        monkeypatch.setattr(Dispatch, "_hears", lambda self: False)
    for name, value in (("libraries", []), ("keys", []), ("mode", None)):
        monkeypatch.setattr(DISPATCH, name, value)
    yield
    monkeypatch.undo()
    DISPATCH.wanted = [False, False]


@pytest.mark.usefixtures("without_keys")
def test_copies_and_writes_are_found_without_the_keys(tmp_path: Path) -> None:
    code = "mean, history = torch.zeros(2), []\nfor _ in range(3):\n    mean += torch.ones(2)\n"
    code += "    history.append(mean.numpy())\nprint(sum(h.sum() for h in history))\n"
    code += "x = torch.ones(4).clone().double()\n"
    capture = traced(code, tmp_path)

    assert [(f.name, f.place.line) for f in capture.findings] == [("changing-snapshot", 4)]
    assert {(c.operation, c.place.line, c.bytes) for c in capture.copies} == {("clone", 6, 16), ("to_copy", 6, 32)}
    assert (capture.limits, capture.ended) == ((COST,), "normally")
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


@pytest.mark.usefixtures("without_keys")
def test_losses_are_the_same_without_the_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = NET + "optimizer = torch.optim.Adam(net.parameters())" + STEPS
    traced(code, tmp_path)
    recorded = capsys.readouterr().out
    exec("import torch\nfrom torch import nn\n" + code, {})

    assert recorded == capsys.readouterr().out != ""


@pytest.mark.usefixtures("without_keys")
def test_copies_in_threads_are_counted_without_the_keys(tmp_path: Path) -> None:
    code = "import threading\nthread = threading.Thread(target=lambda: torch.ones(2).clone())\n"
    capture = traced(code + "thread.start()\nthread.join()\n", tmp_path)

    assert [(c.operation, c.place.line) for c in capture.copies] == [("clone", 2)]


@pytest.mark.usefixtures("without_keys")
def test_a_mode_of_the_program_passes_on_what_it_sees(tmp_path: Path) -> None:
    code = "from torch.utils._python_dispatch import TorchDispatchMode\nclass Mode(TorchDispatchMode):\n"
    code += "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
    code += "        return func(*args, **(kwargs or {}))\nwith Mode():\n    torch.ones(2).clone()\n"
    capture = traced(code, tmp_path)

    assert ([c.operation for c in capture.copies], capture.ended) == (["clone"], "normally")


def test_the_keys_are_used_where_torch_has_them(tmp_path: Path) -> None:
    assert traced("torch.ones(2).clone()\n", tmp_path).limits == ()
    assert DISPATCH.mode is None
    assert_nothing_is_left()

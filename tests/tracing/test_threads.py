"""What threads copy and write is recorded, and threads that work at once corrupt nothing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

import tensorcopy as tc
from tests.tracing.programs import traced

THREADS = """
import threading
from concurrent.futures import ThreadPoolExecutor

def work(n):
    return torch.ones(n).clone()

thread = threading.Thread(target=work, args=(8,))
thread.start()
thread.join()
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(work, [4] * 5))
"""


def test_copies_in_threads_are_counted_by_line(tmp_path: Path) -> None:
    capture = traced(THREADS, tmp_path)

    assert [(c.place.line, c.count, c.bytes) for c in capture.copies] == [(6, 6, 32 + 5 * 16)]
    assert (capture.limits, capture.ended) == ((), "normally")


def test_threads_that_work_at_once_lose_nothing(tmp_path: Path) -> None:
    code = "import threading\ndef work():\n    for i in range(200):\n        x = torch.ones(4).clone()\n"
    code += "        a = np.zeros(4, np.float32)\n        t = torch.from_numpy(a)\n        t.add_(x)\n"
    code += "        torch.tensor([1.0, 2.0])\n        assert a[0] == 1\n"
    code += "threads = [threading.Thread(target=work) for _ in range(8)]\n"
    code += "[t.start() for t in threads]\n[t.join() for t in threads]\n"
    capture = traced(code, tmp_path)

    counts = {c.operation: c.count for c in capture.copies}
    assert counts == {"clone": 1600, "torch.tensor": 1600}
    assert (capture.limits, capture.findings, capture.ended) == ((), (), "normally")


def test_a_training_loop_in_a_thread_gives_the_same_losses(tmp_path: Path) -> None:
    code = "import threading\nlosses = []\ndef train():\n    torch.manual_seed(0)\n    net = nn.Linear(4, 1)\n"
    code += "    optimizer = torch.optim.Adam(net.parameters())\n    for _ in range(4):\n"
    code += (
        "        loss = net(torch.ones(2, 4)).pow(2).mean()\n        optimizer.zero_grad()\n        loss.backward()\n"
    )
    code += "        optimizer.step()\n        losses.append(loss.item())\n"
    code += "train()\nthread = threading.Thread(target=train)\nthread.start()\nthread.join()\n"
    code += "assert losses[:4] == losses[4:], losses\n"
    capture = traced(code, tmp_path)

    assert (capture.ended, capture.steps, capture.limits, capture.findings) == ("normally", 8, (), ())


def test_an_exception_in_a_thread_is_the_programs_own() -> None:
    def fail() -> None:
        torch.ones(2).clone()
        raise KeyError("mine")

    with tc.trace(), ThreadPoolExecutor(1) as pool:
        future = pool.submit(fail)
        with pytest.raises(KeyError, match="mine"):
            future.result()


def test_threads_that_ran_before_are_named_and_not_followed() -> None:
    begin, done = threading.Event(), threading.Event()

    def work() -> None:
        begin.wait()
        torch.ones(4).clone()
        done.set()

    thread = threading.Thread(target=work, name="reader")
    thread.start()
    with tc.trace() as recorded:
        begin.set()
        done.wait()
        torch.ones(2).clone()
    thread.join()

    assert [c.bytes for c in recorded.capture.copies] == [8]
    assert recorded.capture.limits == ("threads that ran before the recording began were not followed: reader",)


def test_profiling_of_threads_by_the_program_goes_on() -> None:
    seen: list[str] = []

    def profile(frame: Any, event: str, value: Any) -> None:
        if event == "call":
            seen.append(frame.f_code.co_name)

    def profiled_work() -> None:
        torch.ones(2).clone()

    threading.setprofile(profile)
    try:
        with tc.trace() as recorded:
            thread = threading.Thread(target=profiled_work)
            thread.start()
            thread.join()
        kept = threading.getprofile()
    finally:
        threading.setprofile(None)

    assert (kept, "profiled_work" in seen) == (profile, True)
    assert [c.bytes for c in recorded.capture.copies] == [8]


def test_a_thread_that_outlives_the_recording_is_left_alone() -> None:
    begin, results = threading.Event(), list[torch.Tensor]()

    def work() -> None:
        begin.wait()
        results.extend(torch.ones(2).clone() for _ in range(3))

    with tc.trace() as recorded:
        thread = threading.Thread(target=work)
        thread.start()
    begin.set()
    thread.join()

    assert (len(results), recorded.capture.copies) == (3, ())

"""Under ``strict`` an array is read-only while a tensor shares its memory, no longer, and nothing else changes."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tests.tracing.programs import traced

INTO_TORCH = {
    "from_numpy": lambda a: torch.from_numpy(a),
    "as_tensor": lambda a: torch.as_tensor(a),
    "asarray": lambda a: torch.asarray(a),
    "by name": lambda a: torch.as_tensor(data=a),
    "from_dlpack": lambda a: torch.from_dlpack(a),
    "Tensor": lambda a: torch.Tensor(a),
    "frombuffer": lambda a: torch.frombuffer(a, dtype=torch.float32),
    "a reshaped view": lambda a: torch.from_numpy(a.reshape(2, 2)),
    "a view of it": lambda a: torch.from_numpy(a).view(2, 2),
}
OUT_OF_TORCH = {
    "numpy": lambda t: t.numpy(),
    "asarray": lambda t: np.asarray(t),
    "from_dlpack": lambda t: np.from_dlpack(t),
    "detached": lambda t: t.detach().numpy(),
    "of a view": lambda t: t[1:].numpy(),
}
WRITES = {
    "an element": lambda a: a.__setitem__(0, 1.0),
    "in place": lambda a: a.__iadd__(1),
    "out": lambda a: np.add(a, 1, out=a),
    "a generator": lambda a: np.random.default_rng(0).random(out=a, dtype=np.float32),
    "copyto": lambda a: np.copyto(a, 1.0),
    "fill": lambda a: a.fill(1.0),
    "sort": lambda a: a.sort(),
    "shuffle": lambda a: np.random.RandomState(0).shuffle(a),
    "flat": lambda a: a.flat.__setitem__(0, 1.0),
    "a later view": lambda a: a[1:].__setitem__(0, 1.0),
    "memoryview": lambda a: memoryview(a).__setitem__(0, 1.0),
}


@pytest.fixture
def array() -> np.ndarray:
    return np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("share", INTO_TORCH.values(), ids=INTO_TORCH)
def test_an_array_is_read_only_while_a_tensor_shares_it(share: Callable[[Any], Any], array: np.ndarray) -> None:
    flags = array.flags.num
    with tc.trace(strict=True):
        tensor = share(array)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9.0
        del tensor
        gc.collect()
        array[0] = 9.0

    assert (array.flags.num, array[0]) == (flags, 9.0)


@pytest.mark.parametrize("take", OUT_OF_TORCH.values(), ids=OUT_OF_TORCH)
def test_an_array_that_torch_gives_is_read_only_while_the_tensor_lives(take: Callable[[Any], Any]) -> None:
    tensor = torch.arange(4.0)
    with tc.trace(strict=True):
        given = take(tensor)
        with pytest.raises(ValueError, match="read-only"):
            given[0] = 9.0
        del tensor
        torch.from_numpy(np.zeros(1))
        given[0] = 9.0

    assert given[0] == 9.0
    assert given.flags.writeable


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_write_raises(write: Callable[[Any], Any], array: np.ndarray) -> None:
    with tc.trace(strict=True):
        tensor = torch.from_numpy(array)
        with pytest.raises((ValueError, TypeError), match=r"read-?only|writable"):
            write(array)

    assert tensor.tolist() == [0.0, 1.0, 2.0, 3.0]
    write(array)


def test_an_array_of_a_tensor_that_nobody_else_has_can_be_written() -> None:
    with tc.trace(strict=True):
        given = (torch.ones(3) * 2).numpy()
        given += 1

    assert given.tolist() == [3.0, 3.0, 3.0]


def test_an_array_whose_tensor_died_last_in_other_hands_comes_free_at_the_next_conversion() -> None:
    with tc.trace(strict=True):
        source = torch.ones(3, requires_grad=True) * 2
        given = source.detach().numpy()
        with pytest.raises(ValueError, match="read-only"):
            given += 1
        del source
        torch.ones(1).numpy()
        given += 1

    assert given.tolist() == [3.0, 3.0, 3.0]


def test_an_array_of_torch_that_goes_back_to_torch_waits_for_both_tensors() -> None:
    with tc.trace(strict=True):
        first = torch.ones(3)
        given = first.numpy()
        second = torch.from_numpy(given)
        del first
        assert not given.flags.writeable
        del second
        torch.ones(1).numpy()
        given += 1
        again = torch.from_numpy(given)
        del given
    assert again.tolist() == [2.0, 2.0, 2.0]


def test_many_arrays_come_and_go_without_a_trace() -> None:
    weights = torch.ones(2)
    with tc.trace(strict=True) as recording:
        for _ in range(3):
            shared = [torch.from_numpy(np.zeros(2)) for _ in range(50)]
            given = [weights.detach().numpy() for _ in range(50)]
            shared.reverse()
            del shared[::2], given[::2]
        assert not given[0].flags.writeable
        del shared, given
        gc.collect()
    assert recording.capture.limits == ()


def test_two_tensors_over_one_array_have_to_die_both(array: np.ndarray) -> None:
    with tc.trace(strict=True):
        first, second = torch.from_numpy(array), torch.from_numpy(array)
        del first
        assert not array.flags.writeable
        assert torch.Tensor([1.0]).tolist() == [1.0]
        del second
        assert array.flags.writeable


def test_torch_warns_of_our_locks_no_more_than_of_nothing(array: np.ndarray) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tc.trace(strict=True) as recording:
            kept = [torch.from_numpy(array) for _ in range(2)]
            kept += [torch.as_tensor(array[1:]), torch.frombuffer(array, dtype=torch.float32)]
            kept[0].add_(1)

    assert [str(w.message) for w in caught] == []
    assert [f.name for f in recording.capture.findings] == []
    assert not hasattr(kept, "flags")


def test_what_the_program_made_read_only_stays_so(array: np.ndarray) -> None:
    array.flags.writeable = False
    with warnings.catch_warnings(), tc.trace(strict=True):
        warnings.simplefilter("ignore")
        tensor = torch.from_numpy(array)
        del tensor
        assert not array.flags.writeable

    assert not array.flags.writeable


@pytest.mark.parametrize("copied", [torch.tensor, lambda a: torch.as_tensor(a, dtype=torch.float64)])
def test_an_array_that_was_copied_is_not_locked(copied: Callable[[Any], Any], array: np.ndarray) -> None:
    with tc.trace(strict=True):
        tensor = copied(array)
        array += 1

    assert tensor.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_larger_array_may_be_written_beside_the_part_that_is_shared() -> None:
    buffer = np.zeros((4, 2), dtype=np.float32)
    with tc.trace(strict=True):
        slot = buffer[0]
        tensor = torch.from_numpy(slot)
        with pytest.raises(ValueError, match="read-only"):
            slot[0] = 1.0
        buffer[1] = 5.0

    assert tensor.tolist() == [0.0, 0.0]


def test_torch_may_write_what_numpy_may_not(array: np.ndarray) -> None:
    with tc.trace(strict=True):
        tensor = torch.from_numpy(array)
        tensor += 1

    assert array.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_the_end_of_the_block_gives_every_permission_back(array: np.ndarray) -> None:
    tensor, found = torch.ones(2), []

    @tc.trace(strict=True)
    def fails() -> None:
        found.extend((torch.from_numpy(array), tensor.numpy()))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails()
    shared, given = found
    array[0], given[0] = 7.0, 8.0

    assert (shared[0].item(), tensor[0].item()) == (7.0, 8.0)
    assert not hasattr(torch.from_numpy, "__wrapped__")


@pytest.mark.parametrize("outer", [False, True])
def test_a_strict_block_inside_another_recording_locks_for_its_time(outer: bool, array: np.ndarray) -> None:
    with tc.trace(strict=outer):
        before = torch.from_numpy(np.zeros(1))
        with tc.trace(strict=True):
            tensor = torch.from_numpy(array)
            assert not array.flags.writeable
        assert array.flags.writeable is not outer
        del before
    assert array.flags.writeable
    assert tensor.tolist() == array.tolist()


def test_without_strict_nothing_is_locked(array: np.ndarray) -> None:
    with tc.trace():
        tensor = torch.from_numpy(array)
        array[0] = 5.0

    assert tensor[0].item() == 5.0


FILLED_AGAIN = """
class Env:
    def __init__(self):
        self.state = np.zeros(3)

    def step(self):
        self.state += 1  # WRITTEN
        return self.state

env, history = Env(), []
for _ in range(2):
    t = torch.from_numpy(env.step())  # SHARED
    history.append(t.mean())  # USED
"""


def line_of(code: str, mark: str) -> int:
    return next(n for n, line in enumerate(code.splitlines(), start=1) if f"# {mark}" in line)


def test_the_error_is_explained_with_the_three_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture = traced(FILLED_AGAIN, tmp_path, strict=True)

    (finding,) = capture.findings
    assert (finding.name, finding.place.line) == ("shared-array-written", line_of(FILLED_AGAIN, "WRITTEN"))
    assert [(spot.line, spot.message) for spot in finding.related] == [
        (line_of(FILLED_AGAIN, "SHARED"), "the array and a tensor come to share their memory here"),
        (line_of(FILLED_AGAIN, "USED"), "a tensor over that memory was last used here"),
    ]
    assert capture.ended == "with ValueError"
    assert capsys.readouterr().err.endswith("ValueError: output array is read-only\n")


@pytest.mark.parametrize(
    "write",
    [
        "a += 1",
        "np.copyto(a, 1)",
        "np.random.default_rng(0).random(out=a)",
        "holder.a[:] = 2",
        "memoryview(a)[0] = 1.0",
    ],
)
def test_the_error_is_explained_whatever_it_says(
    write: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        "from types import SimpleNamespace\na = np.zeros(2)\nholder = SimpleNamespace(a=a)\nt = torch.from_numpy(a)\n"
    )
    capture = traced(f"{code}{write}\n", tmp_path, strict=True)

    assert [(f.name, f.place.line) for f in capture.findings] == [("shared-array-written", 5)]


def test_the_error_of_a_call_is_explained_too() -> None:
    tensor = torch.ones(3)
    recording = tc.trace(strict=True)

    @recording
    def writes() -> None:
        given = tensor.numpy()
        given[0] = 3.0

    with pytest.raises(ValueError, match="read-only"):
        writes()
    (finding,) = recording.capture.findings
    assert (finding.name, finding.place.code) == ("shared-array-written", "given[0] = 3.0")
    assert [spot.code for spot in finding.related] == ["given = tensor.numpy()"]
    assert finding.message.endswith("write .numpy().copy()")


def test_a_read_only_array_of_the_programs_own_is_not_taken_for_one_of_ours(array: np.ndarray) -> None:
    own = np.zeros(2)
    own.flags.writeable = False
    recording = tc.trace(strict=True)

    @recording
    def writes() -> None:
        tensor = torch.from_numpy(array)
        own[0] = tensor[0].item()

    with pytest.raises(ValueError, match="read-only"):
        writes()
    assert "shared-array-written" not in {f.name for f in recording.capture.findings}


TRAINING = """
torch.manual_seed(0)
data = [(np.random.RandomState(i).rand(4).astype(np.float32), i % 2) for i in range(12)]
loader = torch.utils.data.DataLoader(data, batch_size=3, shuffle=True)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses, best = [], None
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().numpy())
    curve = np.asarray(losses)
    curve *= 2
    predicted = net(x).softmax(1).detach().numpy()
    predicted[:] = predicted.round()
print([float(loss) for loss in losses], curve.sum(), predicted.sum())
"""


def test_a_program_without_hazards_runs_as_without_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = traced(TRAINING, tmp_path)
    alone = capsys.readouterr().out
    strict = traced(TRAINING, tmp_path, strict=True)

    assert (strict.ended, plain.ended, capsys.readouterr().out) == ("normally", "normally", alone)
    assert strict.findings == plain.findings

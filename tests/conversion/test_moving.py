"""Large tensors are moved as bytes by the C extension: the same bytes, and only where bytes are all that there is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import nullcontext

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.fx.experimental.proxy_tensor import make_fx

import tensorcopy as tc
from tensorcopy.conversion import kernels, moving
from tests.conversion.without_kernels import without_kernels

COUNT = moving.LARGE // 4
"""Elements of float32 that are just large enough."""
needs_native = pytest.mark.skipif(kernels._native is None, reason="the C extension is not built")


@pytest.fixture
def heard(monkeypatch):
    """How many pieces were moved by each call of the extension."""
    calls: list[int] = []
    move = kernels.move
    monkeypatch.setattr(kernels, "move", lambda *lists: calls.append(len(lists[0])) or move(*lists))
    return calls


def numbers(count: int = COUNT, start: int = 0) -> torch.Tensor:
    return torch.arange(start, start + count, dtype=torch.int32).view(torch.float32)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.view(torch.int32), b.view(torch.int32))


@needs_native
@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.one_of(st.integers(0, 600), st.integers(0, 3 << 20)), max_size=6),
    shift=st.integers(0, 70),
    gap=st.integers(0, 70),
    threads=st.integers(0, 5),
)
def test_pieces_of_any_size_and_place_arrive_and_nothing_beside_them_is_touched(sizes, shift, gap, threads) -> None:
    source = np.random.default_rng(0).integers(0, 256, sum(sizes) + 1, np.uint8)
    result = np.full(shift + sum(size + gap for size in sizes) + 64, 0xA5, np.uint8)
    expected, froms, tos, read, written = result.copy(), [], [], 0, shift
    for size in sizes:
        expected[written : written + size] = source[read : read + size]
        froms.append(source.ctypes.data + read)
        tos.append(result.ctypes.data + written)
        read, written = read + size, written + size + gap
    kernels._native.copy(froms, tos, list(sizes), threads)
    assert np.array_equal(result, expected)


@needs_native
@pytest.mark.parametrize("lists", [([1], [1], []), ([], [], (1,)), ([1], [1], ["a"]), ([None], [1], [0])])
def test_the_extension_refuses_lists_that_do_not_fit(lists) -> None:
    with pytest.raises((TypeError, ValueError), match=r"copy\(\) takes three lists|integer"):
        kernels._native.copy(*lists, 1)


@needs_native
def test_one_tensor_a_state_dict_a_flat_buffer_and_batches_go_this_way(heard) -> None:
    x = numbers()
    state = {"a": x, "b": numbers(7)}
    samples = [numbers(COUNT // 4, i) for i in range(4)]
    arrays = [sample.numpy() for sample in samples]
    assert same(tc.copy(x), x)
    assert all(map(same, tc.copy(state).values(), state.values()))
    assert all(map(same, tc.copy(state, flat=True).values(), state.values()))
    for batch in (tc.collate(samples), tc.collate(arrays), tc.to_torch(samples)):
        assert same(batch, torch.stack(samples))
    assert heard == [1, 2, 2, 4, 4, 4]


@pytest.mark.parametrize("native", [True, False])
def test_many_large_tensors_are_copied_with_the_extension_and_without_it(native: bool) -> None:
    state = {"a": numbers(3 * COUNT), "p": torch.nn.Parameter(numbers(2 * COUNT)), "b": torch.arange(5)}
    with nullcontext() if native else without_kernels():
        copied = tc.copy(state)
    assert isinstance(copied["p"], torch.nn.Parameter)
    assert copied["p"].requires_grad
    assert torch.equal(copied["b"], state["b"])
    assert same(copied["a"], state["a"])
    assert same(copied["p"].detach(), state["p"].detach())
    assert {k: v.untyped_storage().nbytes() for k, v in copied.items()} == {k: v.nbytes for k, v in state.items()}


def test_lazy_bits_are_values_in_the_copies() -> None:
    x = torch.complex(numbers().nan_to_num(), torch.ones(COUNT))
    for lazy in (x.conj(), x.conj().imag):
        assert torch.equal(tc.copy({"x": lazy})["x"], lazy.resolve_conj().resolve_neg())
        assert torch.equal(tc.collate([lazy, lazy])[1], lazy.resolve_conj().resolve_neg())


def test_a_recording_hears_of_a_large_batch() -> None:
    samples = torch.ones(COUNT), torch.ones(COUNT)
    recorded = make_fx(lambda a, b: tc.collate([a, b]))(*samples)
    assert recorded(samples[0] * 2, samples[1] * 3)[:, 0].tolist() == [2.0, 3.0]


def test_tensors_whose_memory_was_taken_away_are_left_to_torch() -> None:
    x = numbers()
    x.untyped_storage().resize_(0)
    assert not moving.moved([torch.empty(COUNT)], [x])


@needs_native
def test_several_threads_move_at_once() -> None:
    sources = [numbers(COUNT, 1000 * i) for i in range(6)]
    results: dict[int, torch.Tensor] = {}
    threads = [threading.Thread(target=lambda i=i: results.update({i: tc.copy(sources[i])})) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(results[i], sources[i]) for i in range(6))


FORKED = """
import os, signal, torch, tensorcopy as tc
x = torch.arange(3_000_000.0)
tc.copy(x[:3])
torch.set_num_threads(2)
x.clone()  # starts the threads of torch
child = os.fork()
if not child:
    signal.alarm(30)
    torch.set_num_threads(2)
    copied = tc.copy(x)
    os._exit(0 if copied[::300_000].tolist() == x[::300_000].tolist() else 1)
print(os.waitpid(child, 0)[1])
"""


@needs_native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_copies_where_the_threads_of_torch_stayed_behind() -> None:
    shown = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["0"]

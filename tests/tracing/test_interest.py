"""What of a call needs a look is asked in C where that was built, and in Python elsewhere: both say the same."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tensorcopy.tracing.attention import Attention
from tensorcopy.tracing.hooks import interest
from tensorcopy.tracing.judging.gradients import Operation
from tensorcopy.tracing.sites import user_site

NAMES = [
    "add",
    "add_",
    "mul",
    "detach",
    "to",
    "item",
    "data",
    "split",
    "zeros_like",
    "stack",
    "mse_loss",
    "equal",
    "sub",
]
TABLES = ["snapshots", "births", "unread", "growing", "copied", "carried", "propagated"]


class Own(torch.Tensor):
    """A subclass, of which nothing is asked."""


def pool() -> list[Any]:
    leaf = torch.ones(2, requires_grad=True)
    tensors = [torch.ones(2), torch.ones(2), leaf, leaf * 2, torch.nn.Parameter(torch.ones(1)), torch.ones(2).double()]
    return [*tensors, torch.ones(2).as_subclass(Own), 1.5, 2, None, "text"]


def tables_for(draw: random.Random, objects: list[Any]) -> Any:
    tables: Any = SimpleNamespace(gradients=SimpleNamespace(escaped=draw.choice([frozenset(), frozenset(("a",))])))
    for name in TABLES:
        chosen = draw.sample(objects, draw.choice([0, 0, 1, 3]))
        setattr(tables, name, {id(obj): None for obj in chosen})
    tables.settled = {user_site(): {"detach": True, "mul": True}} if draw.random() < 0.3 else {}
    return tables


def argument(draw: random.Random, objects: list[Any], depth: int = 0) -> Any:
    kind = draw.random()
    if kind < 0.75 or depth > 2:
        return draw.choice(objects)
    made = [argument(draw, objects, depth + 1) for _ in range(draw.randrange(4))]
    return made if kind < 0.9 else tuple(made)


def both(tables: Any) -> tuple[Any, Any]:
    calls = pytest.importorskip("tensorcopy.tracing._calls", reason="built without a compiler")
    asked, _ = interest.interest_in(object(), tables, {}, id, Attention([]))
    assert type(asked.__self__) is calls.Calls
    return interest.Interest(tables), asked


def test_c_and_python_say_the_same_of_any_call() -> None:
    seen: set[int] = set()
    for seed in range(3_000):
        draw, objects = random.Random(seed), pool()
        slow, fast = both(tables_for(draw, objects))
        args = tuple(argument(draw, objects) for _ in range(draw.randrange(4)))
        result = draw.choice([*args, argument(draw, objects)])
        name = draw.choice(NAMES)
        said = [ask(interest.traits_of(Operation(name)), name, args, result) for ask in (slow, fast)]
        assert said[0] == said[1], (seed, name, args, result)
        seen.add(said[1])

    assert {bit for bit in (1, 2, 4, 8, 16) if any(bits & bit for bits in seen)} == {1, 2, 4, 8, 16}
    assert 0 in seen


@pytest.mark.parametrize("traits", [interest.ASKS, interest.GIVES_GRADIENT])
@pytest.mark.parametrize("result", [True, False, None])
def test_c_and_python_say_the_same_of_properties(traits: int, result: object) -> None:
    for seed in range(20):
        draw, objects = random.Random(seed), pool()
        slow, fast = both(tables_for(draw, objects))
        assert slow(traits, "grad", (objects[0],), result) == fast(traits, "grad", (objects[0],), result)


def test_lists_nested_deeper_than_anybody_does_are_looked_at() -> None:
    nested: Any = [torch.ones(1)]
    for _ in range(20):
        nested = [nested]
    _, fast = both(tables_for(random.Random(0), pool()))

    assert fast(interest.USES, "stack", (nested,), None) & interest.GRAPH


def test_the_calls_of_a_mode_are_run_in_c() -> None:
    heard: list[tuple[int, str]] = []
    plan = (interest.USES, lambda needs, args, result: heard.append((needs, type(result).__name__)), "neg")
    x = torch.ones(2)
    tables = tables_for(random.Random(0), [1, 2, 3])
    tables.snapshots[id(x)] = None
    calls = pytest.importorskip("tensorcopy.tracing._calls", reason="built without a compiler")
    _, run = interest.interest_in(None, tables, {torch.neg: plan, torch.abs: None}, id, Attention([]))

    assert run is not None
    assert isinstance(run, calls.Calls)
    assert torch.equal(run(torch.neg, (), (x,), None), -x)
    assert torch.equal(run(torch.neg, (), (), {"input": x}), -x)
    assert torch.equal(run(torch.abs, (), (x,)), x)
    with pytest.raises(TypeError, match="must be Tensor"):
        run(torch.neg, (), ("text",), {})
    assert heard == [(interest.READ, "Tensor")]

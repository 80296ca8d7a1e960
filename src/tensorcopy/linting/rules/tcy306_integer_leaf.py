"""Gradients asked of integers, which have none."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.binding import quiet_value
from ..flow.events import AssignedAttribute, Call, on, on_call
from ..flow.values import Value
from ..flow.vocabulary import FACTORIES
from ..model import Level, Rule
from ._data import leaves

RULE = Rule(
    code="TCY306",
    name="integer-leaf",
    level=Level.ERROR,
    summary="requires_grad is asked of integers, and torch raises",
)
_MAKERS = tuple(
    f"torch.{name}" for name in (*sorted(FACTORIES), "tensor", "asarray", "zeros_like", "ones_like", "full_like")
)
_MAKING = frozenset(
    [
        "as_tensor",
        "from_numpy",
        "LongTensor",
        "IntTensor",
        "long",
        "int",
        "short",
        "byte",
        "bool",
        "to",
        "type",
        "clone",
    ]
) | frozenset(name.rpartition(".")[2] for name in _MAKERS)


@on_call(*_MAKERS)
def made(event: Call) -> None:
    """``torch.tensor([1, 2], requires_grad=True)``."""
    data = event.argument(0, "data")
    stated = "dtype" in event.keywords or data is None or not any(_is_annotated(leaf) for leaf in leaves(data))
    if _is_true(event.keywords.get("requires_grad")) and stated:
        _check(event, event.result)


def _is_annotated(value: Value | None) -> bool:
    """Whether only an annotation says that a number is an integer."""
    return value is not None and "annotated" in value.traits


@on_call("torch.Tensor.requires_grad_")
def asked(event: Call) -> None:
    """``ids.requires_grad_()``."""
    flag = event.argument(0, "requires_grad")
    if flag is None and (event.node.args or event.node.keywords):
        return
    if flag is None or _is_true(flag):
        _check(event, event.receiver)


@on_call("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def parameter(event: Call) -> None:
    """``nn.Parameter(ids)``, which asks for gradients by default."""
    if len(event.node.args) < 2 and "requires_grad" not in event.keywords:
        _check(event, event.argument(0, "data"))


@on("AssignedAttribute")
def assigned(event: AssignedAttribute) -> None:
    """``ids.requires_grad = True``."""
    target = event.target
    if target.attr == "requires_grad" and _is_true(event.value):
        _check(event, quiet_value(event.frame, target.value))


def _is_true(value: Value | None) -> bool:
    return value is not None and value.const is True


def _check(event: Call | AssignedAttribute, value: Value | None) -> None:
    if value is None or value.kind != v.TENSOR or not value.dtype.startswith(("int", "uint", "bool")):
        return
    if not any(_is_made_of_integers(v) for v in (value, *(step.base for step in value.steps()))):
        return
    event.report(
        RULE,
        event.node,
        f"the tensor is {value.dtype}, and only floating-point and complex tensors can require gradients: torch raises "
        f"RuntimeError; write the numbers as floats or give a dtype",
    )


def _is_made_of_integers(made: Value) -> bool:
    """Whether torch makes the tensor here: a function of the project may give another dtype in each call."""
    node = made.node
    if made.traits & {"inferred", "on one branch"}:
        return False
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", getattr(node.func, "id", "")) in _MAKING
    return isinstance(node, ast.Compare) or (isinstance(node, ast.Name) and "made" in made.traits)

"""A gradient expected at a tensor that is no leaf."""

from __future__ import annotations

import ast
from typing import Any

from ..flow import values as v
from ..flow.events import AssignedAttribute, Call, Event, Read, on, on_call, on_read
from ..flow.values import Value
from ..model import Level, Rule
from ._saving import is_computed

RULE = Rule(
    code="TCY206",
    name="grad-of-non-leaf",
    level=Level.ERROR,
    summary="a cast or move of a fresh leaf is no leaf: its .grad stays None, and no optimizer or module takes it",
)
_CASTS = (
    "to",
    "cuda",
    "cpu",
    "double",
    "half",
    "bfloat16",
    "float",
    "type",
    "type_as",
    "view",
    "reshape",
    "clone",
    "mul",
    "div",
)


@on_call(*(f"torch.Tensor.{name}" for name in _CASTS))
def converted(event: Call) -> None:
    """``torch.ones(3, requires_grad=True).double()``: the leaf has no name any more."""
    receiver, result = event.receiver, event.result
    func = event.node.func
    if receiver is None or result is None or event.frame.grad != "on" or not isinstance(func, ast.Attribute):
        return
    if (
        isinstance(func.value, ast.Call)
        and "leaf" in receiver.traits
        and receiver.graph == v.ON
        and _changes(receiver, result)
    ):
        result.traits = (
            result.traits | {"unnamed leaf"} | ({"of parameter"} if "parameter" in receiver.traits else set())
        )


def _changes(receiver: Value, result: Value) -> bool:
    """Whether the conversion gives another tensor: not where the dtype is known to be the same."""
    return result.node is not receiver.node and not (
        receiver.dtype and receiver.dtype == result.dtype and _is_dtype_cast(result)
    )


def _is_dtype_cast(result: Value) -> bool:
    func = result.node.func if isinstance(result.node, ast.Call) else None
    name = func.attr if isinstance(func, ast.Attribute) else ""
    moved = name in ("cuda", "cpu") or (name == "to" and isinstance(result.node, ast.Call) and _moves(result.node))
    return not moved and name in ("to", "double", "half", "bfloat16", "float", "type", "type_as")


def _moves(call: ast.Call) -> bool:
    """Whether ``to(...)`` may name a device."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "device")]
    return any(
        not (isinstance(a, ast.Attribute) and isinstance(a.value, ast.Name) and a.value.id in ("torch", "t", "th"))
        for a in given
    )


@on_call("torch.Tensor.retain_grad")
def retained(event: Call) -> None:
    """With retain_grad() a computed tensor has a gradient."""
    if event.receiver is not None:
        event.receiver.traits = event.receiver.traits | {"retains grad"}


@on_read("grad")
def read(event: Read) -> None:
    """``x.grad`` of something that is no leaf."""
    value = event.value
    if "retains grad" in value.traits or _only_compared(event):
        return
    if _is_non_leaf(value):
        _tell(event, value, "its .grad is read here, and is None", event.node)
    elif is_computed(value) and event.frame.grad == "on" and value.node is not None:
        event.report(
            RULE,
            value.node,
            "a tensor that was computed on the graph is no leaf: its .grad stays None; call retain_grad() on it, "
            "or read the .grad of the leaf",
            [(event.node, "its .grad is read here, and is None")],
        )


@on("AssignedAttribute")
def stored(event: AssignedAttribute) -> None:
    """``self.w = nn.Parameter(...).cuda()`` in a module: no parameter of it."""
    value, target = event.value, event.target
    if value is None or not {"unnamed leaf", "of parameter"} <= value.traits:
        return
    cls = event.frame.cls
    if cls is not None and cls.is_module and isinstance(target.value, ast.Name) and target.value.id == "self":
        _tell(event, value, "stored here as a plain tensor: parameters() does not list it", target)


@on_call(
    *(
        f"torch.optim.{name}"
        for name in (
            "SGD",
            "Adam",
            "AdamW",
            "RMSprop",
            "Adagrad",
            "Adadelta",
            "Adamax",
            "NAdam",
            "RAdam",
            "LBFGS",
            "ASGD",
            "Rprop",
        )
    )
)
def optimised(event: Call) -> None:
    """An optimizer refuses what is no leaf."""
    given = event.argument(0, "params")
    if given is None or given.kind not in (v.LIST, v.TUPLE) or not isinstance(given.items, list):
        return
    for item in given.items:
        if item is not None and _is_non_leaf(item):
            _tell(event, item, "the optimizer refuses it here", event.node)
        elif item is not None and is_computed(item) and event.frame.grad == "on" and item.node is not None:
            event.report(
                RULE,
                item.node,
                "a tensor that was computed on the graph is no leaf: the optimizer raises ValueError; compute it first "
                "and call detach().requires_grad_() last",
                [(event.node, "the optimizer refuses it here")],
            )


def _is_non_leaf(value: Value) -> bool:
    return (
        value.kind == v.TENSOR
        and "unnamed leaf" in value.traits
        and not value.traits & {"retains grad", "on one branch"}
    )


def _only_compared(event: Event) -> bool:
    """Whether the gradient is only asked to be None, as tests do."""
    parent: Any = event.frame.unit.parents.get(event.node)
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in ("assertIsNone", "assertIsNotNone")
    return isinstance(parent, ast.Compare)


def _tell(event: Event, value: Value, text: str, other: ast.AST) -> None:
    node = value.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    event.report(
        RULE,
        node,
        f".{node.func.attr}() of a leaf that has no name gives a tensor that is no leaf: gradients go to the lost one"
        f"{_unless(node)}; give the constructor dtype= and device=, or put requires_grad_() or Parameter() last",
        [(other, text)],
    )


def _unless(call: ast.Call) -> str:
    func = call.func
    return (
        " (unless nothing had to be converted)"
        if isinstance(func, ast.Attribute) and func.attr in ("to", "cpu", "float", "type", "type_as")
        else ""
    )

"""What autograd keeps for backward, and which writes spoil it. A test compares the names with torch itself.

An operation on the graph saves its operands, its result, or neither. A write that bumps the version counter makes
backward raise; one that goes around the counter (``.data``, NumPy) makes its gradients wrong.
"""

from __future__ import annotations

import ast
from typing import Any

from ..flow import values as v
from ..flow.events import Call, Operator, Write
from ..flow.frame import Frame
from ..flow.values import Region, Value

# Functions of one tensor whose backward needs the result, and those that need the operand.
RESULT_NEEDED = frozenset(
    [
        "exp",
        "sigmoid",
        "tanh",
        "softmax",
        "log_softmax",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "expm1",
        "relu",
        "exp2",
        "tan",
    ]
)
OPERAND_NEEDED = frozenset(
    [
        "log",
        "log1p",
        "log2",
        "log10",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "abs",
        "square",
        "pow",
        "gelu",
        "silu",
        "softplus",
        "clamp",
        "norm",
        "prod",
        "erf",
        "lgamma",
        "leaky_relu",
        "elu",
        "selu",
    ]
)
# Functions of two tensors that need each operand for the gradient of the other.
PRODUCTS = frozenset(
    [
        "mul",
        "multiply",
        "matmul",
        "mm",
        "bmm",
        "mv",
        "dot",
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
    ]
)
# Modules that keep what they are given.
KEEPING_MODULES = (
    "Linear",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "LayerNorm",
)
OPERAND_MODULES = ("GELU", "SiLU", "ELU", "SELU", "LeakyReLU", "Softplus")
RESULT_MODULES = ("ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax")


class Spoiled:
    """A block of memory that backward needs (`what` saved it, at `node`) and that `write` changed, seen or `silent`."""

    __slots__ = ("node", "silent", "what", "write")

    def __init__(self, node: ast.AST, what: str, write: Write, *, silent: bool) -> None:
        self.node, self.what, self.write, self.silent = node, what, write, silent


def saved_by_operator(event: Operator) -> None:
    """Note what ``a * b``, ``a @ b``, ``a / b`` and ``a ** n`` keep."""
    node, left, right, result = event.node, event.left, event.right, event.result
    if not isinstance(node, ast.BinOp) or result is None or result.graph != v.ON or event.frame.grad != "on":
        return
    left_on, right_on = _on(left), _on(right)
    if isinstance(node.op, (ast.Mult, ast.MatMult)):
        _save(event.frame, left if right_on else None, node, "the product")
        _save(event.frame, right if left_on else None, node, "the product")
    elif isinstance(node.op, ast.Div):
        _save(event.frame, left if right_on else None, node, "the quotient")
        _save(event.frame, right, node, "the quotient")
    elif isinstance(node.op, ast.Pow):
        _save(event.frame, left if left_on else None, node, "the power")


def saved_by_call(event: Call) -> None:
    """Note what ``torch.exp(x)``, ``x.sigmoid()``, ``F.relu(x)`` or ``torch.mul(a, b)`` keep."""
    result = event.result
    if result is None or result.kind != v.TENSOR or result.graph != v.ON or event.frame.grad != "on":
        return
    name = event.name.rpartition(".")[2]
    operands = [*([event.receiver] if event.receiver is not None else []), *event.args]
    first, second = (*operands, None, None)[:2]
    if name in RESULT_NEEDED:
        _save(event.frame, result, event.node, f"{name}()")
    elif name in OPERAND_NEEDED:
        _save(event.frame, first if _on(first) else None, event.node, f"{name}()")
    elif name in PRODUCTS:
        _save(event.frame, first if _on(second) else None, event.node, f"{name}()")
        _save(event.frame, second if _on(first) else None, event.node, f"{name}()")


def saved_by_module(event: Call) -> None:
    """Note what a layer of torch.nn keeps: its input where weights are trained, the result of an activation."""
    module, result = event.receiver, event.result
    if module is None or not isinstance(module.ref, str) or "frozen" in module.traits or event.frame.grad != "on":
        return
    name = module.ref.rpartition(".")[2]
    if name in KEEPING_MODULES or (name in OPERAND_MODULES and _on(event.argument(0))):
        _save(event.frame, event.argument(0), event.node, name)
    elif name in RESULT_MODULES and result is not None and result.graph == v.ON:
        _save(event.frame, result, event.node, name)


def _on(value: Value | None) -> bool:
    return value is not None and value.kind == v.TENSOR and value.graph == v.ON


def _save(frame: Frame, value: Value | None, node: ast.AST, what: str) -> None:
    if value is None or value.kind != v.TENSOR or len(value.regions) != 1 or value.regions[0].many:
        return
    if not value.traits & {"inferred", "on one branch", "may copy"}:
        frame.saved[value.regions[0]] = (node, what, value)


def spoil(event: Write) -> None:
    """Note that a write changes what backward needs."""
    frame, value = event.frame, event.value
    if not frame.saved or value.traits & {"inferred", "on one branch", "may copy"} or len(value.regions) != 1:
        return
    region: Region = value.regions[0]
    entry = frame.saved.get(region)
    if entry is None or event.how == "call":
        return
    node, what, saved = entry
    silent = value.kind == v.ARRAY or any(
        s.name in (".data", "torch.Tensor.numpy", "numpy.asarray(tensor)") for s in value.steps()
    )
    if silent and value.is_part and saved.is_part:
        return
    frame.spoiled.setdefault(region, Spoiled(node, what, event, silent=silent))


def forget(frame: Frame) -> None:
    """Backward has freed what was saved."""
    frame.saved.clear()
    frame.spoiled.clear()


def spoiled_in(frame: Frame, *, silent: bool) -> list[Any]:
    """What backward needs and will not find as it was."""
    return [s for s in frame.spoiled.values() if s.silent is silent]


def is_computed(value: Value) -> bool:
    """Whether it is surely a tensor that an operation made on the graph, no leaf of it."""
    if (
        value.kind != v.TENSOR
        or value.graph != v.ON
        or value.traits & {"inferred", "leaf", "parameter", "or None", "on one branch", "subclass", "argument"}
    ):
        return False
    owner = value.owner
    return not owner.traits & {"leaf", "parameter", "argument"} and isinstance(
        owner.node, (ast.BinOp, ast.Call, ast.UnaryOp)
    )

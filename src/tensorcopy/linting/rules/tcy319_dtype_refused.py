"""A layer of float32 is given a tensor of another dtype, which it refuses."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule

RULE = Rule(
    code="TCY319",
    name="dtype-refused",
    level=Level.ERROR,
    summary="a layer whose weights are float32 is given another dtype, and raises RuntimeError",
)
_LAYERS = frozenset(("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"))
# With these somewhere in the file, weights may be of another dtype than they were made with.
_RETYPED = (
    ".double(",
    ".half(",
    ".bfloat16(",
    "set_default_dtype",
    "set_default_tensor_type",
    "autocast",
    "to(torch.",
    "to(dtype",
    "to(device, ",
    "to(device=",
)


@on_call("torch.nn.Module.__call__")
def called(event: Call) -> None:
    """``nn.Linear(3, 1)(torch.from_numpy(np.zeros(3)))``."""
    layer, given = _first_layer(event.receiver), event.argument(0)
    if layer is None or given is None or given.kind != v.TENSOR or given.dtype in ("", "float32"):
        return
    if given.traits & {"inferred", "on one branch", "argument"} or event.frame.unit.says(*_RETYPED):
        return
    name = str(layer.ref).rpartition(".")[2]
    event.report(
        RULE,
        event.node,
        f"the tensor is {given.dtype}, and the weights of {name} are float32, the default: "
        f"the layer raises RuntimeError; convert the tensor with .float() first",
        related=[(given.owner.node, "it comes from here")] if isinstance(given.owner.node, ast.Call) else [],
    )


def _first_layer(module: Value | None) -> Value | None:
    """The layer that gets the input: the module itself, or the first one of a Sequential. None if it has a dtype."""
    for _ in range(4):
        if module is None or not isinstance(module.ref, str):
            return None
        name = module.ref.rpartition(".")[2]
        if name in _LAYERS:
            keywords = module.node.keywords if isinstance(module.node, ast.Call) else None
            return None if keywords is None or any(k.arg in ("dtype", None) for k in keywords) else module
        if name != "Sequential" or not isinstance(module.items, list) or not module.items:
            return None
        module = module.items[0]
    return None

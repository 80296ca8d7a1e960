"""float64 from NumPy: twice the memory, and a dtype that the rest of the network does not have."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.dtypes import dtype_of
from ..flow.events import Call, on_call
from ..model import Level, Rule
from ._data import FUNCTIONS, data_of, is_array
from ._reading import body_of

RULE = Rule(
    code="TCY307",
    name="float64-leak",
    level=Level.NOTE,
    summary="NumPy's float64 goes into a tensor, where float32 is the default",
)
_MADE = ("arange", "linspace", "logspace", "zeros", "ones", "full", "empty", "eye", "rand", "randn")
_FACTORIES = tuple(f"torch.{name}" for name in _MADE)
_CASTS = frozenset(("float", "half", "bfloat16", "to", "type", "type_as", "double", "long", "int", "numpy"))


@on_call(*FUNCTIONS, "torch.from_numpy")
def leaked(event: Call) -> None:
    """``torch.from_numpy(np.zeros(3))`` without a cast."""
    data = data_of(event)
    if not is_array(data) or data is None or data.dtype != "float64" or "dtype" in event.keywords:
        return
    parent = event.frame.unit.parents.get(event.node)
    if len(event.node.args) > 1 or (isinstance(parent, ast.Attribute) and parent.attr in _CASTS):
        return
    event.report(
        RULE,
        event.node,
        "the array is float64, NumPy's default, and so is the tensor: layers of float32 refuse it, sums with float32 "
        "become float64, and MPS has no float64; give a dtype",
    )


@on_call("torch.Tensor.to")
def moved_to_mps(event: Call) -> None:
    """``x.to("mps")`` of float64, which raises."""
    device = event.argument(0, "device")
    if event.receiver is None or event.receiver.dtype != "float64" or device is None or "dtype" in event.keywords:
        return
    if isinstance(device.const, str) and device.const.startswith("mps") and len(event.node.args) < 2:
        event.report(
            RULE, event.node, "the tensor is float64, which MPS does not have: to() raises TypeError", level=Level.ERROR
        )


@on_call(*_FACTORIES, *FUNCTIONS)
def made_where_it_may_not_exist(event: Call) -> None:
    """``torch.arange(n, dtype=torch.float64, device=x.device)``, in code that leaves the device to its caller."""
    device = event.argument_node(99, "device")
    if dtype_of(event.keywords.get("dtype")) != "float64" or not isinstance(device, (ast.Attribute, ast.Name)):
        return
    known = event.keywords.get("device")
    if (known is not None and known.const is not v.MISSING) or event.frame.function is None:
        return
    if not event.frame.unit.mentions(body_of(event.frame), "mps", '"cpu"', "'cpu'", ".type"):
        event.report(
            RULE,
            event.node,
            f"float64 is asked for on the device {ast.unparse(device)}, whatever that is: on MPS, which has no "
            f"float64, this raises TypeError; calculate on the CPU, or take float32 there",
        )

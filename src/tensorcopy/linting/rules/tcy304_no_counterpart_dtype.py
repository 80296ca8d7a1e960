"""Data whose dtype the other library does not have."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.values import Value
from ..model import Level, Rule
from ._data import CLASSES, FUNCTIONS, data_of, is_array, leaves

RULE = Rule(
    code="TCY304",
    name="no-counterpart-dtype",
    level=Level.ERROR,
    summary="the data has a dtype that the other library does not have, and the conversion raises",
)
_REASONS = {
    "structured": "a structured array has several fields, torch no such dtype: convert field by field",
    "big-endian": "the bytes are big-endian, torch reads native ones only: astype() to a native dtype first",
    "ml_dtypes": "torch does not know the dtypes of ml_dtypes: view it as integers, and those as torch's dtype",
    "objects": "an array of objects holds no numbers that torch could read: give it a numeric dtype first",
    "text": "an array of text holds no numbers: encode the labels as integers first",
}
_FLOATS = frozenset(("bfloat16", "float8_e4m3fn", "float8_e5m2"))


@on_call(*FUNCTIONS, *CLASSES, "torch.from_numpy", "torch.from_dlpack")
def given_to_torch(event: Call) -> None:
    """Arrays of a dtype that torch lacks, and lists of text or None."""
    data = data_of(event)
    if data is None:
        return
    if is_array(data):
        reason = next((_REASONS[trait] for trait in _REASONS if trait in data.traits), None)
        if reason is not None:
            event.report(RULE, event.node, f"{event.name}() raises: {reason}")
        return
    _check_list(event, data)


def _check_list(event: Call, data: Value) -> None:
    if data.kind == v.TEXT and event.name in FUNCTIONS:
        event.report(RULE, event.node, f"{event.name}() raises: text is no number")
        return
    found = list(leaves(data)) if data.kind in (v.LIST, v.TUPLE) else []
    kinds = {leaf.kind if leaf is not None else "" for leaf in found}
    if kinds == {v.TEXT}:
        event.report(RULE, event.node, f"{event.name}() raises: a list of text holds no numbers; encode it as integers")
    elif v.NOTHING in kinds and data.node is not None and "comprehension" not in data.traits:
        event.report(RULE, event.node, f"{event.name}() raises: the list holds None, which is no number")


@on_call("torch.Tensor.numpy", "numpy.asarray", "numpy.array")
def given_to_numpy(event: Call) -> None:
    """``x.numpy()`` of bfloat16 and float8, which NumPy lacks."""
    tensor = event.receiver if event.name == "torch.Tensor.numpy" else event.argument(0)
    if tensor is None or tensor.kind != v.TENSOR:
        return
    if tensor.dtype in _FLOATS or "bfloat16" in tensor.traits:
        dtype = tensor.dtype or "bfloat16"
        event.report(RULE, event.node, f"NumPy has no {dtype}: the conversion raises TypeError; call float() first")

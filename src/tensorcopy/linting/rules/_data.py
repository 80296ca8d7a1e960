"""Which calls of torch and NumPy are given data, and what that data holds."""

from __future__ import annotations

from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import Call
from ..flow.values import Value

# torch functions that make a tensor of what they are given, and the classes that do.
FUNCTIONS = ("torch.tensor", "torch.as_tensor", "torch.asarray")
FLOAT_CLASSES = ("torch.Tensor", "torch.FloatTensor", "torch.cuda.FloatTensor")
INTEGER_CLASSES = {
    "torch.LongTensor": "int64",
    "torch.IntTensor": "int32",
    "torch.ShortTensor": "int16",
    "torch.ByteTensor": "uint8",
    "torch.CharTensor": "int8",
    "torch.cuda.LongTensor": "int64",
    "torch.cuda.IntTensor": "int32",
    "torch.cuda.ByteTensor": "uint8",
}
CLASSES = (*FLOAT_CLASSES, "torch.DoubleTensor", "torch.HalfTensor", "torch.BoolTensor", *INTEGER_CLASSES)


def data_of(event: Call) -> Value | None:
    """What a tensor is made of, None if unknown or if several sizes are given."""
    if event.name in CLASSES:
        return event.args[0] if len(event.node.args) == 1 else None
    return event.argument(0, "data" if event.name != "torch.asarray" else "obj")


def leaves(value: Value | None, depth: int = 4) -> Iterator[Value | None]:
    """What a nested list holds, None for what is unknown; a value that is no list holds itself."""
    if value is not None and value.kind in (v.LIST, v.TUPLE):
        for item in value.items if isinstance(value.items, list) and depth else [None]:
            yield from leaves(item, depth - 1)
    else:
        yield value


def is_list(value: Value | None) -> bool:
    """Whether it is a list or a tuple, whatever it holds."""
    return value is not None and value.kind in (v.LIST, v.TUPLE)


def is_array(value: Value | None) -> bool:
    """Whether it is known to be an array, not only taken for one by a method that was called."""
    return value is not None and value.kind == v.ARRAY and "inferred" not in value.traits

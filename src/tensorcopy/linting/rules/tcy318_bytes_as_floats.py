"""A buffer handed to torch.asarray without a dtype, whose bytes are read as float32."""

from __future__ import annotations

from ..flow import values as v
from ..flow.events import Call, on_call
from ..model import Level, Rule

RULE = Rule(
    code="TCY318",
    name="bytes-as-floats",
    level=Level.ERROR,
    summary="torch.asarray of a buffer takes its bytes for float32 unless a dtype is given",
)
_BUFFERS = frozenset((v.BYTES, "bytearray", "memoryview", "array.array"))


@on_call("torch.asarray")
def read(event: Call) -> None:
    """``torch.asarray(bytearray(packet))``."""
    source = event.argument(0, "obj")
    if source is None or source.kind not in _BUFFERS or "dtype" in event.keywords:
        return
    event.report(
        RULE,
        event.node,
        f"torch.asarray reads the bytes of a {source.kind} as float32, whatever they are: give the dtype of its "
        f"elements, such as dtype=torch.uint8",
    )

"""Tensors and arrays over the bytes of another Python object, and bytes taken from them."""

from __future__ import annotations

from functools import partial

from ._templates import array_copy, where
from .model import (
    Call,
    Device,
    Dtype,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    Trait,
    Value,
    Warns,
    Wrong,
)

_over_bytes = partial(
    Operation,
    source=Kind.BUFFER,
    memory=Memory.SHARES,
    requires_grad=RequiresGrad.NO,
    dtype=Dtype.GIVEN,
    device=Device.HOST,
    layout=Layout.CONTIGUOUS,
)
_READ_ONLY = Warns(
    given=Trait.READ_ONLY,
    text="The given buffer is not writable, and PyTorch does not support non-writable tensors",
    once=True,
)


def _outlives(call: str) -> Wrong:
    """A bytearray that grows moves, and the tensor stays behind in memory that was given back."""
    return Wrong(
        code="import ctypes\nb = bytearray(4096)\n"
        f"t = {call}\nb.extend(bytes(1 << 20))\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(b)); start <= t.data_ptr() < start + len(b)",
        gives="False",
        wanted="True",
        why="the buffer is not locked, so it can be moved under the tensor",
    )


def _changes_bytes(call: str) -> Wrong:
    return Wrong(
        code=f"b = bytes(bytearray(4)); {call}[0] = 99; b[0]",
        gives="99",
        wanted="0",
        why="bytes never change, but a tensor has no read-only flag",
    )


OPERATIONS = (
    _over_bytes(
        name="torch.frombuffer",
        summary="A tensor over the bytes of the object, read as the dtype given; the object is not locked.",
        call=Call(names=("torch.frombuffer",)),
        examples=("torch.frombuffer(x, dtype=torch.uint8)", "torch.frombuffer(x, dtype=torch.float32)"),
        rejects=(
            Rejection(
                code="torch.frombuffer(bytearray(), dtype=torch.uint8)",
                error="ValueError",
                text="both buffer length (0)",
            ),
            Rejection(
                code="torch.frombuffer(bytearray(3), dtype=torch.float32)",
                error="ValueError",
                text="buffer length (3 bytes) after offset (0 bytes) must be a multiple of element size (4)",
            ),
        ),
        silently_wrong=(
            _outlives("torch.frombuffer(b, dtype=torch.uint8)"),
            _changes_bytes("torch.frombuffer(b, dtype=torch.uint8)"),
        ),
        warns=(_READ_ONLY,),
    ),
    _over_bytes(
        name="torch.asarray(buffer)",
        summary="A tensor over the bytes, read as float32 whatever they are.",
        call=Call(names=("torch.asarray",)),
        examples=("torch.asarray(x)", "torch.asarray(x, copy=False)"),
        dtype=Dtype.DEFAULT,
        device=Device.DEFAULT,
        silently_wrong=(
            Wrong(
                code="import array\ntorch.asarray(array.array('i', [1, 2])).tolist() == [1, 2]",
                gives="False",
                wanted="True",
                why="the bytes of the integers are read as float32",
            ),
            Wrong(
                code="torch.asarray(bytearray([1, 2, 3, 4])).numel()",
                gives="1",
                wanted="4",
                why="four bytes are read as one float32",
            ),
            Wrong(
                code="torch.asarray(memoryview(np.array([1.5, 2.5]))).numel()",
                gives="4",
                wanted="2",
                why="the format that the buffer states is not looked at",
            ),
            _outlives("torch.asarray(b, dtype=torch.uint8)"),
        ),
        warns=(_READ_ONLY,),
    ),
    _over_bytes(
        name="torch.asarray(buffer, dtype)",
        summary="A tensor over the bytes, read as the dtype given.",
        call=Call(names=("torch.asarray",), when=where(dtype=Value.GIVEN)),
        examples=("torch.asarray(x, dtype=torch.uint8)",),
        device=Device.DEFAULT,
        silently_wrong=(_changes_bytes("torch.asarray(b, dtype=torch.uint8)"),),
        warns=(_READ_ONLY,),
    ),
    _over_bytes(
        name="torch.asarray(buffer, dtype, copy=True)",
        summary="A copy of the bytes, read as the dtype given.",
        call=Call(names=("torch.asarray",), when=where(dtype=Value.GIVEN, copy=Value.TRUE)),
        examples=("torch.asarray(x, dtype=torch.uint8, copy=True)",),
        memory=Memory.COPIES,
        device=Device.DEFAULT,
    ),
    _over_bytes(
        name="numpy.frombuffer",
        summary="An array over the bytes, read as the dtype given (float64 if none is); the object is locked.",
        call=Call(names=("numpy.frombuffer",)),
        examples=("np.frombuffer(x, dtype=np.uint8)",),
        result=Kind.ARRAY,
        requires_grad=RequiresGrad.NOT_APPLICABLE,
        rejects=(
            Rejection(
                code="b = bytearray(8); a = np.frombuffer(b, dtype=np.uint8); b.extend(bytes(8))",
                error="BufferError",
                text="Existing exports of data: object cannot be re-sized",
            ),
            Rejection(
                code="np.frombuffer(bytes(8), dtype=np.uint8)[0] = 1",
                error="ValueError",
                text="assignment destination is read-only",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="import array\nnp.frombuffer(array.array('i', [1, 2])).size",
                gives="1",
                wanted="2",
                why="without a dtype the bytes are read as float64",
            ),
        ),
    ),
    _over_bytes(
        name="numpy.asarray(buffer)",
        summary="An array over the memory of an object that states its format, like a memoryview or an array.array.",
        call=Call(names=("numpy.asarray",)),
        examples=("np.asarray(x)",),
        setup="x = memoryview(x)",
        result=Kind.ARRAY,
        requires_grad=RequiresGrad.NOT_APPLICABLE,
        dtype=Dtype.FORMAT,
    ),
    array_copy(
        name="numpy.ndarray.tobytes",
        summary="A copy of the elements as bytes, in row-major order.",
        call=Call(names=("numpy.ndarray.tobytes",)),
        examples=("x.tobytes()",),
        result=Kind.BUFFER,
        dtype=Dtype.NOT_APPLICABLE,
        layout=Layout.NOT_APPLICABLE,
        rejects=(),
    ),
    array_copy(
        name="memoryview(ndarray)",
        summary="The array's own memory as a Python buffer.",
        call=Call(names=("memoryview",)),
        examples=("memoryview(x)",),
        result=Kind.BUFFER,
        memory=Memory.SHARES,
        dtype=Dtype.NOT_APPLICABLE,
        layout=Layout.NOT_APPLICABLE,
        rejects=(
            Rejection(
                code="memoryview(torch.ones(2))",
                error="TypeError",
                text="a bytes-like object is required, not 'Tensor'",
            ),
        ),
    ),
)

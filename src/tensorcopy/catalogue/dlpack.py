"""Exchange by DLPack and by storages: the same memory in another library, without a copy and without autograd."""

from __future__ import annotations

from functools import partial

from ._refusals import EXPORT_OF_CONJ, EXPORT_OF_GRAPH
from ._surprises import unseen_write
from ._templates import array_copy, array_to_tensor, array_view, cut_copy, tensor_to_array, view, where
from .model import (
    Call,
    Crash,
    Device,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    Subclass,
    Trait,
    Value,
    Version,
    Was,
    Wrong,
)

_EXPORT = (EXPORT_OF_GRAPH, EXPORT_OF_CONJ)


def _before_2_9(rejects: tuple[Rejection, ...]) -> Was:
    """Refusals to export were plain RuntimeErrors."""
    texts = {r.given: r for r in rejects}
    old = tuple(
        Rejection(given=g, error="RuntimeError", text=r.text) if r.error == "BufferError" else r
        for g, r in texts.items()
    )
    return Was(before="torch 2.9", note="refusals to export were RuntimeErrors", facts={"rejects": old})


_RUNTIME_ERROR = _before_2_9(_EXPORT)
_NEGATIVE_BIT_LOST = "DLPack has no negative bit, and it is not carried out first"
_import = partial(array_to_tensor, call=Call(names=("torch.from_dlpack", "torch.utils.dlpack.from_dlpack")))
_ARRAY_EXPORT = (
    Rejection(given=Trait.READ_ONLY, error="BufferError", text="Cannot export readonly array", until="numpy 2.1"),
    Rejection(given=Trait.LONG_DOUBLE, error="BufferError", text="DLPack only supports IEEE floating point types"),
    Rejection(given=Trait.OBJECT, error="BufferError", text="DLPack only supports signed/unsigned integers"),
    Rejection(given=Trait.BIG_ENDIAN, error="BufferError", text="DLPack only supports native byte order"),
)

OPERATIONS = (
    view(
        name="torch.from_dlpack(tensor)",
        summary="Another tensor over the same memory, that autograd does not know of.",
        call=Call(names=("torch.from_dlpack", "torch.utils.dlpack.from_dlpack")),
        examples=("torch.from_dlpack(x)", "torch.utils.dlpack.from_dlpack(x)"),
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        layout=Layout.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.DROPS,
        rejects=_EXPORT,
        silently_wrong=(
            Wrong(
                code="torch.from_dlpack(torch.tensor([1 + 2j]).conj().imag).tolist()",
                gives="[2.0]",
                wanted="[-2.0]",
                why=_NEGATIVE_BIT_LOST,
            ),
            unseen_write("torch.from_dlpack(b.detach()).zero_()"),
        ),
        was=(_RUNTIME_ERROR,),
    ),
    cut_copy(
        name="torch.from_dlpack(tensor, copy=True)",
        summary="A copy by way of DLPack.",
        call=Call(names=("torch.from_dlpack",), when=where(copy=Value.TRUE)),
        examples=("torch.from_dlpack(x, copy=True)",),
        subclass=Subclass.DROPS,
        rejects=_EXPORT,
        since="torch 2.9",
    ),
    Operation(
        name="torch.Tensor.__dlpack__",
        summary="A capsule that lets another library look at the tensor's memory.",
        call=Call(names=("torch.Tensor.__dlpack__", "torch.utils.dlpack.to_dlpack", "torch.to_dlpack")),
        examples=("x.__dlpack__()",),
        probe="torch.utils.dlpack.from_dlpack(y)",
        result=Kind.CAPSULE,
        memory=Memory.SHARES,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        layout=Layout.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.DROPS,
        rejects=_EXPORT,
        was=(_RUNTIME_ERROR,),
    ),
    tensor_to_array(
        name="numpy.from_dlpack(tensor)",
        summary="An array over the tensor's memory.",
        call=Call(names=("numpy.from_dlpack",)),
        examples=("np.from_dlpack(x)",),
        rejects=(
            *_EXPORT,
            Rejection(given=Trait.BFLOAT16, error="RuntimeError", text="Unsupported dtype in DLTensor"),
        ),
        silently_wrong=(
            Wrong(
                code="np.from_dlpack(torch.tensor([1 + 2j]).conj().imag).tolist()",
                gives="[2.0]",
                wanted="[-2.0]",
                why=_NEGATIVE_BIT_LOST,
            ),
        ),
        was=(
            Was(
                before="torch 2.9",
                note="refusals to export were RuntimeErrors",
                facts={
                    "rejects": (
                        Rejection(given=Trait.REQUIRES_GRAD, error="RuntimeError", text=EXPORT_OF_GRAPH.text),
                        Rejection(given=Trait.CONJ_BIT, error="RuntimeError", text=EXPORT_OF_CONJ.text),
                        Rejection(given=Trait.BFLOAT16, error="RuntimeError", text="Unsupported dtype in DLTensor"),
                    )
                },
            ),
        ),
    ),
    tensor_to_array(
        name="numpy.from_dlpack(tensor, copy=True)",
        summary="An array of its own by way of DLPack.",
        call=Call(names=("numpy.from_dlpack",), when=where(copy=Value.TRUE)),
        examples=("np.from_dlpack(x, copy=True)",),
        memory=Memory.COPIES,
        layout=Layout.PRESERVED,
        rejects=(
            *_EXPORT,
            Rejection(given=Trait.BFLOAT16, error="RuntimeError", text="Unsupported dtype in DLTensor"),
        ),
        since="numpy 2.1",
    ),
    _import(
        name="torch.from_dlpack(ndarray)",
        summary="A tensor over the array's memory, also where the array is read-only, without a warning.",
        examples=("torch.from_dlpack(x)",),
        rejects=(
            *_ARRAY_EXPORT,
            Rejection(
                given=Trait.UNSIGNED_WIDE, error="RuntimeError", text="Unsupported kUInt bits 16", until="torch 2.3"
            ),
        ),
        silently_wrong=(
            Wrong(
                code="x = np.zeros(2); x.flags.writeable = False; torch.from_dlpack(x)[0] = 7.0; x[0].item()",
                gives="7.0",
                wanted="0.0",
                why="the read-only flag is not looked at, and nothing warns",
                since="numpy 2.1",
            ),
            Wrong(
                code="torch.from_dlpack(np.ma.masked_array([1.0, 999.0], mask=[0, 1])).tolist()",
                gives="[1.0, 999.0]",
                wanted="[1.0, None]",
                why="a masked array is an ndarray; its mask is not looked at",
            ),
        ),
        crashes=(
            Crash(
                given=Trait.NEGATIVE_STRIDE,
                code="torch.from_dlpack(np.arange(3.0)[::-1])",
                ends=("SIGABRT",),
                why="a negative stride fails a check that cannot be caught",
            ),
            Crash(
                code="import tempfile, os\np = os.path.join(tempfile.mkdtemp(), 'a.bin'); np.zeros(4).tofile(p)\n"
                "torch.from_dlpack(np.memmap(p, mode='r', dtype='f8'))[0] = 1.0",
                ends=("SIGSEGV", "SIGBUS"),
                why="the file is mapped without write permission, and a tensor has no read-only flag",
                since="numpy 2.1",
            ),
        ),
    ),
    _import(
        name="torch.from_dlpack(ndarray, copy=True)",
        summary="A tensor of its own by way of DLPack.",
        call=Call(names=("torch.from_dlpack",), when=where(copy=Value.TRUE)),
        examples=("torch.from_dlpack(x, copy=True)",),
        memory=Memory.COPIES,
        layout=Layout.PRESERVED,
        rejects=_ARRAY_EXPORT,
        since="torch 2.9, numpy 2.1",
    ),
    array_view(
        name="numpy.from_dlpack(ndarray)",
        summary="Another array over the same memory.",
        call=Call(names=("numpy.from_dlpack",)),
        examples=("np.from_dlpack(x)",),
        layout=Layout.SAME,
        subclass=Subclass.DROPS,
        rejects=_ARRAY_EXPORT,
    ),
    array_copy(
        name="numpy.from_dlpack(ndarray, copy=True)",
        summary="A copy by way of DLPack.",
        call=Call(names=("numpy.from_dlpack",), when=where(copy=Value.TRUE)),
        examples=("np.from_dlpack(x, copy=True)",),
        subclass=Subclass.DROPS,
        rejects=_ARRAY_EXPORT,
        since="numpy 2.1",
    ),
    Operation(
        name="torch.tensor(storage)",
        summary="Not a copy: a tensor over the storage, its bytes read as int64.",
        call=Call(names=("torch.tensor", "torch.as_tensor")),
        examples=("torch.tensor(x)",),
        source=Kind.STORAGE,
        memory=Memory.SHARES,
        requires_grad=RequiresGrad.NO,
        dtype=Dtype.FIXED,
        dtype_name="torch.int64",
        device=Device.DEFAULT,
        layout=Layout.CONTIGUOUS,
        silently_wrong=(
            Wrong(
                code="torch.tensor(torch.tensor([1.5, 2.5]).untyped_storage()).tolist() == [1.5, 2.5]",
                gives="False",
                wanted="True",
                why="a storage has no dtype; its bytes are read as int64",
            ),
        ),
    ),
)

"""Copies through copy.copy, copy.deepcopy, pickle and files, and what they carry along."""

from __future__ import annotations

from functools import partial

from ._surprises import unseen_write
from ._templates import array_copy, array_view, cut_copy, view, where
from .model import (
    Call,
    Dtype,
    Graph,
    Layout,
    Memory,
    Rejection,
    RequiresGrad,
    Subclass,
    Trait,
    Value,
    Version,
    Was,
    Wrong,
)

_NON_LEAF = Rejection(
    given=Trait.NON_LEAF,
    error="RuntimeError",
    text="Only Tensors created explicitly by the user (graph leaves) support",
)
_NEEDS_NEW_EMPTY = Rejection(
    given=Trait.SUBCLASS, error="RuntimeError", text="only works for subclass types that implement new_empty()"
)
_UNSAFE_CLASS = Rejection(given=Trait.SUBCLASS, error="UnpicklingError", text="Weights only load failed")
_whole = partial(
    cut_copy,
    requires_grad=RequiresGrad.SAME,
    layout=Layout.SAME,
    subclass=Subclass.SAME,
    whole_storage=True,
)
_WHOLE_STORAGE = Wrong(
    code="import pickle\nlen(pickle.dumps(torch.zeros(100_000)[:3])) > 400_000",
    gives="True",
    wanted="False",
    why="a view carries its whole storage; clone it first to keep only its elements",
)
_FILE = "import os, tempfile\npath = os.path.join(tempfile.mkdtemp(), 'x.npy')\n"
_SAVE = "buffer = io.BytesIO(); torch.save(x, buffer); buffer.seek(0)\n"

OPERATIONS = (
    view(
        name="copy.copy(tensor)",
        summary="Not a copy: the same memory, cut from the graph, and autograd does not know of it.",
        call=Call(names=("copy.copy",)),
        examples=("copy.copy(x)",),
        graph=Graph.CUTS,
        layout=Layout.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.SAME,
        rejects=(
            Rejection(code="torch.vmap(copy.copy)(torch.ones(2))", error="RuntimeError", text="Cannot access"),
            Rejection(
                code="copy.copy(torch.zeros(2, dtype=torch.uint16))",
                error="AttributeError",
                text="object has no attribute '_untyped_storage'",
                since="torch 2.3",
            ),
            Rejection(
                code="copy.copy(torch.zeros(2).to(torch.float8_e4m3fn))",
                error="AttributeError",
                text="object has no attribute '_untyped_storage'",
            ),
        ),
        silently_wrong=(
            unseen_write("copy.copy(b.detach()).zero_()"),
            Wrong(
                code="a = torch.ones(2, requires_grad=True) * 2; copy.copy(a).is_leaf",
                gives="True",
                wanted="False",
                why="a non-leaf becomes a leaf that requires grad, and its graph is cut without a word",
            ),
        ),
    ),
    _whole(
        name="copy.deepcopy(tensor)",
        summary="A leaf of its own with .grad and attributes, over a copy of the whole storage, in the same strides.",
        call=Call(names=("copy.deepcopy",)),
        examples=("copy.deepcopy(x)", "copy.deepcopy([x, x])[0]"),
        layout=Layout.DERIVED,
        rejects=(
            Rejection(code="torch.vmap(copy.deepcopy)(torch.ones(2))", error="RuntimeError", text="Cannot access"),
            _NON_LEAF,
            _NEEDS_NEW_EMPTY,
            Rejection(
                code="copy.deepcopy(torch.zeros(1).expand(3)).add_(1)",
                error="RuntimeError",
                text="more than one element of the written-to tensor refers to a single memory location",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="copy.deepcopy(torch.zeros(1000)[:3]).untyped_storage().nbytes()",
                gives="4000",
                wanted="12",
                why="a view is copied with its whole storage",
            ),
        ),
        note="The strides stay, also gaps and repetitions; only a negative bit is carried out into a dense copy.",
    ),
    _whole(
        name="pickle(tensor)",
        summary="A leaf of its own with the whole storage behind it; sharing between tensors is lost.",
        call=Call(names=("pickle.loads",)),
        examples=("pickle.loads(pickle.dumps(x))",),
        silently_wrong=(
            _WHOLE_STORAGE,
            Wrong(
                code="a = torch.zeros(2); b, c = pickle.loads(pickle.dumps([a, a.view(-1)])); "
                "b.data_ptr() == c.data_ptr()",
                gives="False",
                wanted="True",
                why="each tensor is written with a storage of its own",
            ),
        ),
    ),
    _whole(
        name="torch.save, torch.load",
        summary="A leaf of its own with the whole storage behind it; sharing between tensors is kept.",
        call=Call(names=("torch.load",)),
        examples=(_SAVE + "torch.load(buffer)", _SAVE + "torch.load(buffer, weights_only=True)"),
        rejects=(_UNSAFE_CLASS,),
        silently_wrong=(
            Wrong(
                code="def size(t):\n    f = io.BytesIO(); torch.save(t, f); return f.tell()\n"
                "size(torch.zeros(100_000)[:3]) > 400_000",
                gives="True",
                wanted="False",
                why="a view carries its whole storage; clone it first to keep only its elements",
            ),
        ),
        was=(
            Was(
                before="torch 2.6",
                note="weights_only was False, so any class was loaded and any code run",
                facts={"examples": (_SAVE + "torch.load(buffer)",), "rejects": ()},
            ),
        ),
    ),
    _whole(
        name="torch.save, torch.load(weights_only=False)",
        summary="The same for any class; runs whatever code the file holds.",
        call=Call(names=("torch.load",), when=where(weights_only=Value.FALSE)),
        examples=(_SAVE + "torch.load(buffer, weights_only=False)",),
    ),
    cut_copy(
        name="torch.from_file",
        summary="A tensor over a file; with shared=True writes go through to it.",
        call=Call(names=("torch.from_file",)),
        examples=("torch.from_file(path, shared=True, size=x.numel(), dtype=x.dtype)",),
        setup=_FILE
        + "x = x.detach(); x.resolve_conj().resolve_neg().contiguous().view(torch.uint8).numpy().tofile(path)",
        unless=(Trait.ZERO_D, Trait.EMPTY),
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.DROPS,
    ),
    _whole(
        name="torch.load(mmap=True)",
        summary="A tensor over a private map of the file: writes stay in memory.",
        call=Call(names=("torch.load",), when=where(mmap=Value.TRUE)),
        examples=("torch.load(path, mmap=True, weights_only=False)",),
        setup=_FILE + "torch.save(x, path)",
    ),
    array_copy(
        name="copy.copy(ndarray)",
        summary="A copy of its own; copy.copy of a tensor shares.",
        call=Call(names=("copy.copy",)),
        examples=("copy.copy(x)",),
    ),
    array_copy(
        name="copy.deepcopy(ndarray)",
        summary="A copy of its own.",
        call=Call(names=("copy.deepcopy",)),
        examples=("copy.deepcopy(x)",),
    ),
    array_copy(
        name="pickle(ndarray)",
        summary="A copy of its own in the machine's byte order; only the elements are written.",
        call=Call(names=("pickle.loads",)),
        examples=("pickle.loads(pickle.dumps(x))",),
        dtype=Dtype.NATIVE,
    ),
    array_view(
        name="pickle(ndarray) out of band",
        summary="An array over the very memory of the source, handed over beside the pickle; a tensor is copied.",
        call=Call(names=("pickle.loads",), when=where(buffers=Value.GIVEN)),
        examples=("pickle.loads(text, buffers=parts)",),
        setup="parts = []; text = pickle.dumps(x, protocol=5, buffer_callback=parts.append)",
        memory=Memory.DEPENDS,
        copies_if=(Trait.NOT_ONE_BLOCK, Trait.OBJECT, Trait.ARRAY_SUBCLASS),
        layout=Layout.PRESERVED,
    ),
    array_copy(
        name="numpy.save, numpy.load",
        summary="A copy of its own; only the elements are written.",
        call=Call(names=("numpy.load",)),
        examples=("np.load(buffer, allow_pickle=True)",),
        setup="buffer = io.BytesIO(); np.save(buffer, x); buffer.seek(0)",
        subclass=Subclass.DROPS,
    ),
    array_copy(
        name="numpy.load(mmap_mode='r')",
        summary="A read-only map of the file: a tensor over it ends the process when written.",
        call=Call(names=("numpy.load",), when=where(mmap_mode=Value.GIVEN)),
        examples=("np.load(path, mmap_mode='r')",),
        setup=_FILE + "np.save(path, x)",
        subclass=Subclass.MEMMAP,
        rejects=(
            Rejection(
                given=Trait.OBJECT, error="ValueError", text="Array can't be memory-mapped: Python objects in dtype"
            ),
            Rejection(
                code=_FILE + "np.save(path, np.zeros(2))\nnp.load(path, mmap_mode='r')[0] = 1.0",
                error="ValueError",
                text="assignment destination is read-only",
            ),
        ),
    ),
    array_copy(
        name="numpy.memmap",
        summary="An array over a file; mode 'r+' writes through to it, 'c' keeps writes in memory, 'r' refuses them.",
        call=Call(names=("numpy.memmap",), source=0),
        examples=("np.memmap(path, dtype=x.dtype, mode='r+', shape=x.shape)",),
        setup=_FILE + "np.ascontiguousarray(x).tofile(path)",
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.MEMMAP,
        rejects=(
            Rejection(given=Trait.EMPTY, error="ValueError", text="cannot mmap an empty file", until="numpy 2.2"),
            Rejection(given=Trait.OBJECT, error="OSError", text="cannot write object arrays to a file in binary mode"),
        ),
    ),
)

"""Writes into memory that others may see, that repeats, or that may not be written."""

from __future__ import annotations

from .model import Message

_READ_ONLY = "a = np.arange(3.0)\na.flags.writeable = False"

MESSAGES = (
    Message(
        name="write-to-expanded",
        category="RuntimeError",
        text="unsupported operation: more than one element of the written-to tensor refers to a single memory "
        "location. Please clone() the tensor before performing the operation.",
        pattern="more than one element of the written-to tensor refers to a single memory location",
        means="The tensor was expanded (expand, broadcast_to, as_strided, unfold): several of its elements are one "
        "and the same number in memory.",
        memory="Writing one would write all, so torch refuses. clone() gives each its own memory; deepcopy does not.",
        setup="x = torch.ones(1).expand(3)",
        provoke="x.add_(1)",
        write="y = x.clone()\ny.add_(1)\nz = torch.ones(1).repeat(3)  # copies from the start",
        holds="y.tolist() == [2.0, 2.0, 2.0] and z.shape == (3,)",
        operations=("torch.Tensor.expand", "torch.Tensor.repeat"),
    ),
    Message(
        name="source-overlaps-target",
        category="RuntimeError",
        text="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
        "memory location. Please clone() the tensor before performing the operation.",
        pattern="some elements of the input tensor and the written-to tensor refer to a single memory location",
        means="A tensor is shifted within itself: x[1:].copy_(x[:-1]). What is read has been overwritten already.",
        memory="Source and target share memory in part. Beware: x[1:] = x[:-1] and transposed forms are not always "
        "noticed.",
        setup="x = torch.arange(4.0)",
        provoke="x[1:].copy_(x[:-1])",
        write="x[1:] = x[:-1].clone()",
        holds="x.tolist() == [0.0, 0.0, 1.0, 2.0]",
        operations=("torch.Tensor.copy_", "torch.Tensor.clone"),
    ),
    Message(
        name="destination-read-only",
        category="ValueError",
        text="assignment destination is read-only",
        pattern="assignment destination is read-only|output array is read-only|cannot modify read-only memory",
        means="The array may be read but not written: it comes from np.broadcast_to, np.diagonal, bytes, a memory map "
        "opened for reading, a pandas column under copy-on-write, a JAX array, or somebody locked it.",
        memory="The array shares memory that belongs to somebody else. A copy is yours.",
        setup=_READ_ONLY,
        provoke="a[0] = 1",
        write="b = a.copy()\nb[0] = 1",
        holds="b[0] == 1 and a[0] == 0",
        also=("output array is read-only", "cannot modify read-only memory"),
        operations=("numpy.ndarray.copy",),
    ),
    Message(
        name="writeable-flag",
        category="ValueError",
        text="cannot set WRITEABLE flag to True of this array",
        pattern="cannot set writeable flag to true of this array",
        means="The array's memory belongs to something immutable (bytes, another read-only array), so the flag cannot "
        "lie.",
        memory="It shares that memory. A copy may be written.",
        setup='a = np.frombuffer(b"12", dtype=np.uint8)',
        provoke="a.flags.writeable = True",
        write="b = a.copy()\nb[0] = 1",
        holds="b[0] == 1 and a[0] == 49",
        operations=("numpy.frombuffer",),
    ),
    Message(
        name="write-to-broadcast",
        category="DeprecationWarning",
        text="Numpy has detected that you (may be) writing to an array with overlapping memory from "
        "np.broadcast_arrays.",
        pattern=r"numpy has detected that you \(may be\) writing to an array with overlapping memory from "
        r"np\.broadcast_arrays",
        means="The arrays of np.broadcast_arrays repeat elements: one write changes many.",
        memory="They share the memory of the arrays that were broadcast.",
        setup="a = np.ones(1)",
        provoke="np.broadcast_arrays(a, np.ones(3))[0][0] = 2",
        write="b = np.broadcast_arrays(a, np.ones(3))[0].copy()\nb[0] = 2",
        holds="a[0] == 1 and b.tolist() == [2.0, 1.0, 1.0]",
        operations=("numpy.broadcast_arrays",),
    ),
    Message(
        name="resize-storage",
        category="RuntimeError",
        text="Trying to resize storage that is not resizable",
        pattern="trying to resize storage that is not resizable",
        means="The tensor's memory was lent by an array or a buffer, or shown to one by numpy(). In a DataLoader: the "
        "batch is collated into shared memory from tensors that are views of something larger.",
        memory="Resizing would move the memory away under the other object. clone() has memory of its own.",
        setup="t = torch.from_numpy(np.ones(2))",
        provoke="t.resize_(9)",
        write="u = t.clone()\nu = u.resize_(9)",
        holds="u.shape == (9,)",
        operations=("torch.Tensor.resize_",),
    ),
    Message(
        name="resize-of-grad",
        category="RuntimeError",
        text="cannot resize variables that require grad",
        pattern="cannot resize variables that require grad",
        means="The graph has noted the shape of this tensor.",
        memory="detach() gives a tensor over the same memory; resizing it resizes the storage that both share.",
        setup="w = torch.ones(2, requires_grad=True)",
        provoke="w.resize_(3)",
        write="bigger = torch.zeros(3)\nbigger[:2] = w.detach()",
        holds="bigger.tolist() == [1.0, 1.0, 0.0]",
        operations=("torch.Tensor.resize_",),
    ),
    Message(
        name="resize-array",
        category="ValueError",
        text="cannot resize an array that references or is referenced by another array in this way.",
        pattern="cannot resize an array that references or is referenced by|cannot resize this array: it does not own "
        "its data",
        means="ndarray.resize moves the memory, and other arrays (or the tensor that the memory belongs to) still "
        "look at it.",
        memory="np.resize makes a new array and leaves the old one where it is.",
        setup="a = np.ones(2)\nview = a[:]",
        provoke="view.resize(4)",
        write="b = np.resize(a, 4)",
        holds="b.tolist() == [1.0, 1.0, 1.0, 1.0]",
        also=("cannot resize this array: it does not own its data",),
        operations=("numpy.ndarray.resize",),
    ),
    Message(
        name="buffer-exported",
        category="BufferError",
        text="Existing exports of data: object cannot be re-sized",
        pattern="existing exports of data: object cannot be re-sized",
        means="An array looks into this bytearray, memory map or array.array, so Python does not let it grow.",
        memory="The array shares the buffer. Beware: torch.frombuffer does not lock it, and the tensor then reads "
        "memory that was freed.",
        setup="data = bytearray(4)\na = np.frombuffer(data, dtype=np.uint8)",
        provoke="data.extend(b'1')",
        write="a = a.copy()  # let go of the buffer\ndata.extend(b'1')",
        holds="len(data) == 5 and len(a) == 4",
        operations=("numpy.frombuffer", "torch.frombuffer"),
    ),
    Message(
        name="output-resized",
        category="UserWarning",
        text="An output with one or more elements was resized since it had shape [3], which does not match the "
        "required output shape [2].",
        pattern="an output with one or more elements was resized since it had shape",
        means="The tensor given as out= has another shape than the result.",
        memory="torch resizes it, and may move it to other memory: what shared its memory before no longer does.",
        setup="x, out = torch.ones(2), torch.empty(3)",
        provoke="torch.add(x, 1, out=out)",
        write="out = torch.empty_like(x)\ntorch.add(x, 1, out=out)",
        holds="out.tolist() == [2.0, 2.0]",
    ),
    Message(
        name="assign-out-of-bounds",
        category="RuntimeError",
        text="setStorage: sizes [9], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 36 are "
        "out of bounds for storage of size 8",
        pattern="setstorage: sizes .*? are out of bounds for storage of size",
        means="as_strided, set_ or a damaged checkpoint lays a tensor over more bytes than its storage has.",
        memory="Nothing was made. Sizes times strides must stay within the storage; as_strided itself checks no other "
        "overlap.",
        setup="x = torch.ones(2)",
        provoke="torch.as_strided(x, (9,), (1,))",
        write="y = torch.as_strided(x, (2,), (1,))",
        holds="y.data_ptr() == x.data_ptr()",
        operations=("torch.as_strided",),
    ),
)

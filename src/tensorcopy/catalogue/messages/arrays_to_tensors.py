"""Arrays and buffers on their way into torch."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="array-not-writable",
        category="UserWarning",
        text="The given NumPy array is not writable, and PyTorch does not support non-writable tensors.",
        pattern="the given numpy array is not write?able, and pytorch does not support non-write?able tensors",
        means="The array is read-only, and torch has no read-only tensors: the tensor that you get can be written, "
        "and the write goes into memory that somebody declared constant. torch says so once in a process, then never "
        "again.",
        memory="The tensor shares the array's bytes. A write changes them behind the back of their owner: a "
        "memory-mapped file opened for reading ends the process, a pandas column changes although copy-on-write "
        "protects it.",
        setup="a = np.arange(3.0)\na.flags.writeable = False",
        provoke="torch.from_numpy(a)",
        write="t = torch.from_numpy(a.copy())  # its own memory\nt = torch.tensor(a)  # the same in one step",
        holds="t.add_(1) is t and a[0] == 0",
        also=("The given NumPy array is not writeable, and PyTorch does not support non-writeable tensors.",),
        operations=("torch.from_numpy", "torch.tensor(ndarray)"),
    ),
    Message(
        name="buffer-not-writable",
        category="UserWarning",
        text="The given buffer is not writable, and PyTorch does not support non-writable tensors.",
        pattern="the given buffer is not write?able, and pytorch does not support non-write?able tensors",
        means="The buffer is immutable (bytes, a read-only memoryview or memory map) and torch has no read-only "
        "tensors.",
        memory="The tensor shares the buffer. Writing it changes bytes objects, which Python takes to be constant and "
        "may use in many places; over a read-only memory map it ends the process.",
        setup='data = b"1234"',
        provoke="torch.frombuffer(data, dtype=torch.uint8)",
        write="t = torch.frombuffer(bytearray(data), dtype=torch.uint8)  # a copy that may be written",
        holds='t.zero_() is t and data == b"1234"',
        operations=("torch.frombuffer",),
    ),
    Message(
        name="array-of-objects",
        category="TypeError",
        text="can't convert np.ndarray of type numpy.object_. The only supported types are: float64, float32, ...",
        pattern="can't convert np.ndarray of type numpy.object_",
        means="The array holds references to Python objects, not numbers side by side. Usual reasons: rows of "
        "different lengths, a None among numbers, a pandas column of mixed types.",
        memory="There is no block of numbers to share or to copy. Nothing was made.",
        setup="a = np.array([1, 2, None], dtype=object)",
        provoke="torch.from_numpy(a)",
        write="numbers = np.where(np.equal(a, None), np.nan, a).astype(np.float64)  # decide what None is\n"
        "t = torch.from_numpy(numbers)",
        holds="t.dtype is torch.float64 and bool(t[2].isnan())",
        operations=("torch.from_numpy",),
    ),
    Message(
        name="array-of-ml-dtypes",
        category="TypeError",
        text="can't convert np.ndarray of type ml_dtypes.bfloat16. The only supported types are: float64, float32, ...",
        pattern=r"can't convert np.ndarray of type ml_dtypes\.\w+",
        means="The dtype comes from ml_dtypes. torch has one of the same bits, and does not know that the two belong "
        "together.",
        memory="The bytes can be shared as they are: NumPy reads them as integers of that width, torch as its dtype.",
        setup="import ml_dtypes\na = np.array([1.0, -2.0], dtype=ml_dtypes.bfloat16)",
        provoke="torch.from_numpy(a)",
        write="t = torch.from_numpy(a.view(np.int16)).view(torch.bfloat16)  # shares",
        holds="t.dtype is torch.bfloat16 and t.tolist() == [1.0, -2.0]",
        operations=("torch.from_numpy",),
    ),
    Message(
        name="array-dtype-unsupported",
        category="TypeError",
        text="can't convert np.ndarray of type numpy.str_. The only supported types are: float64, float32, ...",
        pattern=r"can't convert np.ndarray of type numpy.(?!object_)\w+",
        means="torch has no such dtype. Text, dates, longdouble and structures have no counterpart; and uint64 arrays "
        "of the type character 'Q' are refused although the list names uint64.",
        memory="Nothing can be shared where the dtypes differ: the array has to be converted first, which copies it.",
        setup="a = np.array([2**63], dtype=np.ulonglong)",
        provoke='torch.from_numpy(np.array(["a"]))',
        write="t = torch.from_numpy(a.view(np.uint64))  # the same bytes under the name that torch takes\n"
        "t = torch.from_numpy(np.longdouble([1.5]).astype(np.float64))  # a copy, rounded",
        holds="t.tolist() == [1.5]",
        also=(
            "can't convert np.ndarray of type numpy.uint16. The only supported types are: float64, float32, float16",
        ),
        operations=("torch.from_numpy",),
    ),
    Message(
        name="array-negative-stride",
        category="ValueError",
        text="At least one stride in the given numpy array is negative, and tensors with negative strides are not "
        "currently supported.",
        pattern="at least one (of the )?strides? in the given numpy array is negative|some of the strides of a given "
        "numpy array are negative",
        means="The array is a reversed view, as after a[::-1], np.flip or np.rot90. Tensors cannot walk backwards.",
        memory="Sharing is impossible. Flipping in torch copies, flipping in NumPy does not. Beware of "
        "torch.from_dlpack with such an array: it ends the process.",
        setup="a = np.arange(3.0)[::-1]",
        provoke="torch.from_numpy(a)",
        write="t = torch.from_numpy(a.copy())",
        holds="t.tolist() == [2.0, 1.0, 0.0]",
        also=(
            "some of the strides of a given numpy array are negative. This is currently not supported, but will be "
            "added",
        ),
        operations=("torch.from_numpy", "torch.flip"),
    ),
    Message(
        name="array-byte-order",
        category="ValueError",
        text="given numpy array has byte order different from the native byte order. Conversion between byte orders "
        "is currently not supported.",
        pattern="given numpy array has byte order different from the native byte order",
        means="The array is big-endian (dtype '>f8', as FITS, HDF5 and network formats have it) on a little-endian "
        "machine.",
        memory="The bytes of every number have to be turned round, so it takes a copy.",
        setup='a = np.arange(3.0).astype(">f8")',
        provoke="torch.from_numpy(a)",
        write='t = torch.from_numpy(a.astype(a.dtype.newbyteorder("=")))',
        holds="t.tolist() == [0.0, 1.0, 2.0]",
        operations=("torch.from_numpy",),
    ),
    Message(
        name="array-stride-not-whole",
        category="ValueError",
        text="given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
        "the memory.",
        pattern="given numpy array strides not a multiple of the element byte size",
        means="The array is one field of a structured array, or lies at odd addresses: from one number to the next it "
        "is not a whole number of numbers, and tensors count strides in elements.",
        memory="It cannot be shared; a copy puts the numbers side by side.",
        setup='a = np.zeros(3, dtype="u1,<i2")["f1"]',
        provoke="torch.from_numpy(a)",
        write="t = torch.from_numpy(a.copy())",
        holds="t.tolist() == [0, 0, 0]",
        operations=("torch.from_numpy",),
    ),
    Message(
        name="expected-ndarray",
        category="TypeError",
        text="expected np.ndarray (got list)",
        pattern=r"expected np\.ndarray \(got",
        means="from_numpy takes arrays only: no lists, no NumPy scalars, no pandas columns, no tensors.",
        memory="Nothing was made. For lists there is nothing to share in any case: their numbers are Python objects.",
        setup="numbers = [1.0, 2.0]",
        provoke="torch.from_numpy(numbers)",
        write="t = torch.tensor(numbers)  # copies; torch's default dtype\nt = torch.from_numpy(np.asarray(numbers)) "
        " # float64",
        holds="t.dtype is torch.float64",
        operations=("torch.from_numpy", "torch.tensor(list)"),
    ),
    Message(
        name="buffer-size",
        category="ValueError",
        text="buffer length (3 bytes) after offset (0 bytes) must be a multiple of element size (2)",
        pattern=r"buffer length \(.*?\) after offset \(.*?\) must be a multiple of element size"
        "|buffer size must be a multiple of element size",
        means="The bytes do not come out as a whole number of elements of the dtype: usually the wrong dtype, or a "
        "header in front of the numbers.",
        memory="Nothing was made. With the right dtype the result shares the buffer.",
        setup="data = bytearray(b'H' + bytes(4))",
        provoke="torch.frombuffer(bytearray(3), dtype=torch.int16)",
        write="t = torch.frombuffer(data, dtype=torch.int16, offset=1)  # skip the header\n"
        "a = np.frombuffer(data, dtype=np.int16, offset=1)",
        holds="t.tolist() == a.tolist() == [0, 0]",
        operations=("torch.frombuffer",),
    ),
    Message(
        name="alias-impossible",
        category="ValueError",
        text="can't alias tensor with dtype 'Float' into dtype 'Double'.",
        pattern="can't alias (tensor with dtype .*? into dtype|tensor from device|arbitrary sequence into a tensor)",
        means="torch.asarray was told copy=False, and these bytes cannot be the bytes of the result: another dtype, "
        "another device, or a list.",
        memory="A change of dtype or device always takes new memory, and the numbers of a list always have to be "
        "copied.",
        setup="x = torch.ones(2)",
        provoke="torch.asarray(x, dtype=torch.float64, copy=False)",
        write="y = torch.asarray(x, dtype=torch.float64)  # copies where needed",
        holds="y.data_ptr() != x.data_ptr()",
        also=("can't alias arbitrary sequence into a tensor.", "can't alias tensor from device 'cpu' to 'cuda:0'."),
        operations=("torch.asarray",),
    ),
    Message(
        name="dlpack-byte-order",
        category="BufferError",
        text="DLPack only supports native byte order.",
        pattern="dlpack only supports native byte order|dlpack only supports signed/unsigned integers, float and "
        "complex dtypes",
        means="The exchange format DLPack knows numbers in the machine's own byte order only; no text, dates or "
        "objects.",
        memory="DLPack never converts, so nothing was made.",
        setup='a = np.arange(3.0).astype(">f8")',
        provoke="torch.from_dlpack(a)",
        write='t = torch.from_dlpack(a.astype("=f8"))',
        holds="t.tolist() == [0.0, 1.0, 2.0]",
        since="numpy 2.1",
        operations=("torch.from_dlpack(ndarray)",),
    ),
)

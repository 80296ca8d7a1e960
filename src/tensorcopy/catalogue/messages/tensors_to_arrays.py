"""Tensors on their way to NumPy, Python and other libraries."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="numpy-of-grad",
        category="RuntimeError",
        text="Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        pattern=r"can't call numpy\(\) on (tensor|variable) that requires grad",
        means="An array has no graph, so the conversion would cut it silently. Also raised by np.asarray, matplotlib "
        "and "
        "pandas, which call numpy() for you.",
        memory="detach().numpy() shares the tensor's memory: writing the array changes the tensor, and autograd does "
        "not "
        "notice, which can give wrong gradients. Copy the array if anybody writes it.",
        setup="x = torch.ones(2, requires_grad=True)",
        provoke="x.numpy()",
        write="a = x.detach().numpy()  # shares memory with x; read only\na = x.detach().numpy().copy()  # its own "
        "memory",
        holds="not np.shares_memory(a, x.detach().numpy())",
        also=("Can't call numpy() on Variable that requires grad. Use var.detach().numpy() instead.",),
        operations=("torch.Tensor.numpy", "torch.Tensor.detach"),
    ),
    Message(
        name="numpy-of-device",
        category="TypeError",
        text="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
        "first.",
        pattern="can't convert .*? device type tensor to numpy|can't convert cuda tensor to numpy",
        means="NumPy reads the memory of the CPU only.",
        memory="cpu() copies from the device, waits for it, and keeps the graph; of a CPU tensor it gives the tensor "
        "itself.",
        setup='x = torch.ones(2, device="meta")\ny = torch.ones(2)',
        provoke="x.numpy()",
        write="a = y.detach().cpu().numpy()  # copies only where y is not on the CPU",
        holds="a.tolist() == [1.0, 1.0]",
        also=("can't convert CUDA tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",),
        operations=("torch.Tensor.cpu", "torch.Tensor.numpy"),
    ),
    Message(
        name="numpy-of-bfloat16",
        category="TypeError",
        text="Got unsupported ScalarType BFloat16",
        pattern=r"got unsupported scalartype \w+",
        means="NumPy has no such dtype (bfloat16, the float8 types).",
        memory="float() copies, and holds every bfloat16 exactly. Viewed as int16 the bytes can be shared.",
        setup="x = torch.ones(2, dtype=torch.bfloat16)",
        provoke="x.numpy()",
        write="a = x.float().numpy()  # a copy, every value exact\nbits = x.view(torch.int16).numpy()  # the same "
        "bytes",
        holds="a.tolist() == [1.0, 1.0] and np.shares_memory(bits, x.view(torch.int16).numpy())",
        operations=("torch.Tensor.float", "torch.Tensor.numpy"),
    ),
    Message(
        name="numpy-of-sparse",
        category="TypeError",
        text="can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.",
        pattern=r"can't convert \w+ layout tensor to numpy",
        means="A sparse tensor is no rectangle of numbers in memory.",
        memory="to_dense() makes one, zeros included, and keeps the graph. The values alone can be shared.",
        setup="x = torch.eye(2).to_sparse()",
        provoke="x.numpy()",
        write="a = x.to_dense().numpy()",
        holds="a.tolist() == [[1.0, 0.0], [0.0, 1.0]]",
    ),
    Message(
        name="numpy-of-lazy-bit",
        category="RuntimeError",
        text="Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead.",
        pattern=r"can't call numpy\(\) on tensor that has (conjugate|negative) bit set",
        means="conj() and imag of a conjugate only set a bit; the bytes still hold the values before it.",
        memory="resolve_conj() and resolve_neg() copy where the bit is set, and give the tensor itself where it is "
        "not. "
        "Beware of DLPack: it drops the negative bit without an error.",
        setup="x = torch.tensor([1 + 2j]).conj()",
        provoke="x.numpy()",
        write="a = x.resolve_conj().numpy()\nb = x.imag.resolve_neg().numpy()",
        holds="a.tolist() == [1 - 2j] and b.tolist() == [-2.0]",
        also=("Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead.",),
        operations=("torch.Tensor.resolve_conj", "torch.Tensor.conj"),
    ),
    Message(
        name="array-copy-keyword",
        category="DeprecationWarning",
        text="__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ must "
        "implement 'dtype' and 'copy' keyword arguments.",
        pattern="__array__ implementation doesn't accept a copy keyword",
        means="NumPy 2 passes copy= to the object, and torch's tensors do not take it (nor do your own classes).",
        memory="np.array(t) copies all the same. np.asarray(t) shares and does not warn.",
        setup="x = torch.ones(2)",
        provoke="np.array(x)",
        write="a = x.numpy().copy()  # its own memory\nb = np.asarray(x)  # shares",
        holds="not np.shares_memory(a, b) and np.shares_memory(b, x.numpy())",
        since="numpy 2.0",
        operations=("numpy.array(Tensor)", "numpy.asarray(Tensor)"),
    ),
    Message(
        name="array-times-tensor",
        category="TypeError",
        text="unsupported operand type(s) for *: 'numpy.ndarray' and 'Tensor'",
        pattern=r"unsupported operand type\(s\) for .{1,4}: 'numpy\.ndarray' and 'tensor'",
        means="With the array on the left, NumPy asks first and gives up.",
        memory="Nothing was made. from_numpy shares the array, so converting it costs nothing.",
        setup="a, x = np.ones(2), torch.ones(2, dtype=torch.float64)",
        provoke="a * x",
        write="y = torch.from_numpy(a) * x",
        holds="type(y) is torch.Tensor",
        since="torch 2.13",
        operations=("torch.from_numpy",),
    ),
    Message(
        name="dlpack-of-grad",
        category="BufferError",
        text="Can't export tensors that require gradient, use tensor.detach()",
        pattern=r"can't export tensors that require gradient",
        means="Another library cannot continue torch's graph.",
        memory="detach() shares the memory, so what the other library writes changes the tensor.",
        setup="x = torch.ones(2, requires_grad=True)",
        provoke="np.from_dlpack(x)",
        write="a = np.from_dlpack(x.detach())",
        holds="np.shares_memory(a, x.detach().numpy())",
        operations=("numpy.from_dlpack(Tensor)",),
    ),
    Message(
        name="dlpack-of-conjugate",
        category="BufferError",
        text="Can't export tensors with the conjugate bit set",
        pattern="can't export tensors with the conjugate bit set",
        means="DLPack hands over bytes, and the bytes of a conjugate tensor still hold the values before conj().",
        memory="resolve_conj() copies. The negative bit is not refused but dropped: resolve_neg() such tensors "
        "yourself.",
        setup="x = torch.tensor([1 + 2j]).conj()",
        provoke="x.__dlpack__()",
        write="a = np.from_dlpack(x.resolve_conj())",
        holds="a.tolist() == [1 - 2j]",
        operations=("torch.Tensor.resolve_conj",),
    ),
    Message(
        name="dlpack-of-readonly",
        category="BufferError",
        text="Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer "
        "DLPack "
        "version).",
        pattern="cannot export readonly array since signalling readonly is unsupported by dlpack",
        means="The consumer speaks a version of DLPack that cannot say read-only, so NumPy refuses. Newer consumers "
        "get "
        "the array; torch.from_dlpack then gives a tensor that can be written, without a warning.",
        memory="Sharing would make constant memory writable. A copy is safe.",
        setup="a = np.arange(3.0)\na.flags.writeable = False",
        provoke="a.__dlpack__()",
        write="t = torch.from_dlpack(a.copy())",
        holds="t.add_(1) is t and a[0] == 0",
        also=("Cannot export readonly array since signalling readonly is unsupported by DLPack.",),
        operations=("torch.from_dlpack(ndarray)",),
    ),
    Message(
        name="trace-constant",
        category="TracerWarning",
        text="Converting a tensor to a NumPy array might cause the trace to be incorrect. We can't record the data "
        "flow of "
        "Python values, so this value will be treated as a constant in the future.",
        pattern=r"converting a tensor to a .*? might cause the trace to be incorrect"
        "|results are registered as constants in the trace",
        means="The value leaves the graph that jit.trace or export records; what it is now is baked in, and the traced "
        "function gives it for every later input.",
        memory="numpy(), item(), tolist(), float() and torch.tensor(x) cut a recorded graph as they cut autograd's.",
        provoke="torch.jit.trace(lambda x: x * float(x[0]), torch.ones(2))",
        write="double = lambda x: x * x[0]  # stay in torch\ny = double(torch.ones(2))",
        holds="y.tolist() == [1.0, 1.0]",
        also=("torch.tensor results are registered as constants in the trace.",),
        operations=("torch.Tensor.item", "torch.Tensor.numpy"),
    ),
)

"""The questions of the guide's main page: what to write, and which entries of the catalogue to compare.

Texts are English; ``korean.json`` has each of them in Korean, and a test says which are missing. Facts are never
written here: the page reads them from the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, its answer, and the ways to compare.

    name: the anchor of its heading in every language.
    need: what a reader wants, for the decision table.
    ours, plain: what to write with tensorcopy, and with torch and NumPy alone.
    ways: names of entries of the catalogue, in the order in which to show them.
    code: runs as it stands, with promises as on every page; `np`, `torch` and `tc` are there.
    """

    name: str
    title: str
    need: str
    ours: str
    plain: str
    answer: str
    ways: tuple[str, ...]
    code: str


QUESTIONS = (
    Question(
        name="copy-tensor",
        title="How do I copy a tensor?",
        need="a tensor that nobody else can change",
        ours="tc.copy(x)",
        plain="x.detach().clone()",
        answer="Decide first whether gradients should flow through the copy. clone() copies and stays on the graph; "
        "detach().clone() copies and is off it. Nothing else is needed: torch.tensor(x) does the second and warns, "
        "copy.copy(x) shares, and copy.deepcopy(x) of a slice carries the whole storage.",
        ways=(
            "torch.Tensor.detach().clone()",
            "torch.Tensor.clone().detach()",
            "torch.Tensor.clone",
            "torch.empty_like().copy_()",
            "torch.tensor(tensor)",
            "torch.Tensor.new_tensor(tensor)",
            "copy.deepcopy(tensor)",
            "copy.copy(tensor)",
            "torch.Tensor.detach",
        ),
        code="x = torch.ones(3)\nsnapshot = tc.copy(x)\nx[0] = 9.0\nsnapshot  # -> tensor([1., 1., 1.])\n",
    ),
    Question(
        name="keep-graph",
        title="How do I copy and keep the graph, or cut it?",
        need="a copy with gradients through it",
        ours="tc.copy(x, detach=False)",
        plain="x.clone()",
        answer="clone() keeps the graph: the gradient of the copy reaches the source. detach() cuts it and copies "
        "nothing. empty_like(x).copy_(x), cat, stack, repeat, expand and to() keep it too. Do not use .data: autograd "
        "is not told of writes through it, and gives wrong gradients.",
        ways=(
            "torch.Tensor.clone",
            "torch.Tensor.detach",
            "torch.Tensor.detach().clone().requires_grad_()",
            "torch.no_grad: torch.Tensor.clone",
            "torch.empty_like().copy_()",
            "torch.Tensor.to(copy=True)",
            "torch.Tensor.data",
        ),
        code="w = torch.ones(2, requires_grad=True)\n"
        "tc.copy(w, detach=False).sum().backward()\n"
        "w.grad  # -> tensor([1., 1.])\n"
        "tc.copy(w).requires_grad, w.clone().requires_grad  # -> (False, True)\n",
    ),
    Question(
        name="array-to-tensor",
        title="How do I make a tensor of an array?",
        need="an array as a tensor",
        ours="tc.to_torch(a)",
        plain="torch.from_numpy(a)",
        answer="from_numpy, as_tensor and asarray share the array's memory; torch.tensor copies it. Take a copy if "
        "anybody writes either side. Read-only arrays, negative strides and foreign byte orders need a copy. "
        "torch.Tensor(a) shares a float32 array and rounds everything else to float32.",
        ways=(
            "torch.from_numpy",
            "torch.as_tensor(ndarray)",
            "torch.asarray(ndarray)",
            "torch.tensor(ndarray)",
            "torch.from_numpy(x.copy())",
            "torch.as_tensor(ndarray, dtype)",
            "torch.from_dlpack(ndarray)",
            "torch.Tensor(ndarray)",
        ),
        code="a = np.zeros(3, dtype=np.float32)\n"
        "shared, own = tc.to_torch(a), tc.to_torch(a, copy=True)\n"
        "a[0] = 5.0\n"
        "shared[0].item(), own[0].item()  # -> (5.0, 0.0)\n",
    ),
    Question(
        name="tensor-to-array",
        title="How do I make an array of a tensor?",
        need="a tensor as an array",
        ours="tc.to_numpy(x, detach=True)",
        plain="x.detach().cpu().numpy()",
        answer="numpy() shares the memory of a CPU tensor. A tensor that requires grad has to be detached first, one "
        "on another device to be copied to the CPU, and bfloat16 to be converted. Add .copy() if anybody writes the "
        "array: such writes change the tensor, and autograd does not notice.",
        ways=(
            "torch.Tensor.numpy",
            "torch.Tensor.detach().numpy()",
            "torch.Tensor.detach().numpy().copy()",
            "torch.Tensor.numpy(force=True)",
            "numpy.asarray(tensor)",
            "numpy.array(tensor)",
            "numpy.from_dlpack(tensor)",
            "torch.Tensor.tolist",
        ),
        code="x = torch.ones(3, requires_grad=True)\n"
        "tc.to_numpy(x)  # raises GraphError: ...\n"
        "a = tc.to_numpy(x, detach=True)\n"
        "np.shares_memory(a, x.detach().numpy())  # -> True\n",
    ),
    Question(
        name="list-to-tensor",
        title="How do I make a tensor of a list?",
        need="a list as a tensor",
        ours="tc.to_torch(numbers)",
        plain="torch.tensor(numbers)",
        answer="A list always has to be copied. Its integers become int64 and its floats torch's default dtype, "
        "float32, which rounds integers from 16777217 on once a single float is among them. Stack arrays and tensors "
        "instead of passing lists of them: that is many times faster, and keeps the graph.",
        ways=(
            "torch.tensor(list)",
            "torch.as_tensor(list)",
            "torch.Tensor(list)",
            "torch.stack",
            "numpy.array(list)",
        ),
        code="torch.tensor([16777217, 0.5])[0].item()  # -> 16777216.0\n"
        "tc.to_torch([16777217, 0.5])  # raises LossyConversionError: ...\n"
        "tc.to_torch([16777217, 0.5], dtype='float64')[0].item()  # -> 16777217.0\n",
    ),
    Question(
        name="repeat",
        title="How do I repeat a tensor?",
        need="a tensor several times over",
        ours="x.expand(2, -1) / x.repeat(2, 1)",
        plain="x.expand(2, -1) / x.repeat(2, 1)",
        answer="expand repeats without memory: all rows are the same bytes, so the result must not be written. "
        "repeat, cat and stack copy. All of them keep the graph.",
        ways=(
            "torch.Tensor.expand",
            "torch.Tensor.unsqueeze().expand()",
            "torch.Tensor.repeat",
            "torch.cat",
            "torch.stack",
            "torch.repeat_interleave",
        ),
        code="x = torch.ones(1, 3)\n"
        "rows = x.expand(2, -1)\n"
        "rows.untyped_storage().nbytes(), x.repeat(2, 1).untyped_storage().nbytes()  # -> (12, 24)\n"
        "rows.add_(1)  # raises RuntimeError: unsupported operation: more than one element ...\n",
    ),
    Question(
        name="move-cast",
        title="How do I change dtype or device?",
        need="another dtype or device",
        ours="tc.copy(x, dtype='float64', device='cpu')",
        plain="x.to('cpu', torch.float64)",
        answer="to() gives the very tensor itself if there is nothing to change, and a copy on the graph otherwise: a "
        "write into the result reaches the source only sometimes. Say copy=True where it must not. Casts between "
        "tensors and arrays wrap and truncate silently; tensorcopy refuses where a value would change.",
        ways=(
            "torch.Tensor.to(same dtype)",
            "torch.Tensor.to(dtype)",
            "torch.Tensor.to(copy=True)",
            "torch.Tensor.to(device), another device",
            "torch.Tensor.float",
            "numpy.ndarray.astype(dtype)",
            "torch.nn.Module.to(dtype)",
        ),
        code="x = torch.tensor([1.0, 300.0])\n"
        "x.to(torch.float32) is x, x.to(torch.float32, copy=True) is x  # -> (True, False)\n"
        "x.to(torch.uint8).tolist()  # -> [1, 44]\n"
        "tc.copy(x, dtype='uint8')  # raises LossyConversionError: ...\n",
    ),
    Question(
        name="share-memory",
        title="How do I share memory between torch and NumPy?",
        need="the same memory in the other library",
        ours="tc.share(x)",
        plain="torch.from_numpy(a) / x.numpy()",
        answer="share gives the same bytes in the other library, or an error that says why that is impossible. "
        "Read-only memory is not shared writably. Resizing, share_memory_() and a DataLoader's queue move the memory "
        "away from under arrays.",
        ways=(
            "torch.from_numpy",
            "torch.Tensor.numpy",
            "torch.from_dlpack(ndarray)",
            "numpy.from_dlpack(tensor)",
            "torch.frombuffer",
            "torch.Tensor.share_memory_",
        ),
        code="a = np.zeros(2)\nt = tc.share(a)\nt += 1\na  # -> array([1., 1.])\n",
    ),
    Question(
        name="who-shares",
        title="How do I find out what shares memory?",
        need="to know whether two objects share memory",
        ours="tc.relation(a, b)",
        plain="np.shares_memory(a, x.numpy())",
        answer="Comparing data_ptr() sees only views that begin at the same element, and a.base is b is hardly ever "
        "true of tensors. relation compares element by element, across libraries, and tells the way through the "
        "graph.",
        ways=(
            "torch.Tensor[slice]",
            "torch.Tensor.transpose",
            "torch.Tensor.reshape",
            "torch.Tensor.contiguous",
            "torch.Tensor[mask]",
        ),
        code="x = torch.zeros(4, 4)\n"
        "tc.relation(x[::2], x[1::2]).kind, tc.relation(x[:, 0], x.t()[0]).kind  # -> ('disjoint', 'same memory')\n"
        "tc.inspect(x[0]).keeps_alive  # -> 64\n",
    ),
    Question(
        name="model-snapshot",
        title="How do I keep the best weights of a model?",
        need="the weights as they are now",
        ours="tc.copy(model.state_dict())",
        plain="copy.deepcopy(model.state_dict())",
        answer="state_dict() shares the live weights: what you keep goes on changing with every step. dict(...) and "
        "copy.copy of it share them too.",
        ways=(
            "torch.nn.Module.state_dict",
            "copy.deepcopy(state_dict)",
            "torch.nn.Module.load_state_dict, into a parameter",
            "torch.nn.Module.load_state_dict(assign=True)",
            "torch.save, torch.load",
        ),
        code="model = torch.nn.Linear(1, 1, bias=False)\n"
        "best, kept = model.state_dict(), tc.copy(model.state_dict())\n"
        "before = model.weight.item()\n"
        "with torch.no_grad():\n"
        "    model.weight.fill_(7.0)\n"
        "best['weight'].item(), kept['weight'].item() == before  # -> (7.0, True)\n",
    ),
)

"""Claims that are often made and do not hold, each with code that refutes it when it is run.

The code stands on a page whose promises the tests run; `np`, `torch` and `tc` are there. Where the claim is about time,
the figures stand in `measured` beside how they were measured, because a test must not depend on a clock.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is claimed, what is true, and the code that shows it."""

    claim: str
    truth: str
    code: str
    measured: str = ""


_HOW = (
    "On one x86-64 machine with two cores that others used too, torch 2.13.0 and NumPy 2.4.6, OMP_NUM_THREADS=1; in "
    "brackets the fastest round and the median. Measure yours"
)

TENSORS = (
    Claim(
        claim="x.clone().detach() copies the graph along.",
        truth="The result is off the graph and holds nothing of it. A node is made for clone() and dropped at once.",
        code="x = torch.ones(3, requires_grad=True)\ny = x.clone().detach()\ny.grad_fn, y.requires_grad  # -> (None, "
        "False)\n",
    ),
    Claim(
        claim="A clone takes as much memory as the original.",
        truth="It takes what its own elements need: more than an expanded tensor, less than the storage behind a "
        "slice.",
        code="expanded, rows = torch.ones(3).expand(1000, 3), torch.ones(1000)[:3]\n"
        "expanded.untyped_storage().nbytes(), expanded.clone().untyped_storage().nbytes()  # -> (12, 12000)\n"
        "rows.untyped_storage().nbytes(), rows.clone().untyped_storage().nbytes()  # -> (4000, 12)\n",
    ),
    Claim(
        claim="torch.empty_like(x).copy_(x) copies the values only, not the graph.",
        truth="copy_ is recorded: the gradient of the copy reaches x.",
        code="x = torch.ones(3, requires_grad=True)\n"
        "y = torch.empty_like(x).copy_(x)\n"
        "type(y.grad_fn).__name__  # -> 'CopyBackwards'\n"
        "y.sum().backward()\n"
        "x.grad  # -> tensor([1., 1., 1.])\n",
    ),
    Claim(
        claim="torch.empty_like(x).copy_(x) is cheaper than a clone.",
        truth="Both make one new storage and copy once. On torch 2.13 the clone is even a little faster; up to torch "
        "2.2 it was the other way round.",
        code="x = torch.ones(1000)\n"
        "y, z = torch.empty_like(x).copy_(x), x.clone()\n"
        "y.untyped_storage().nbytes() == z.untyped_storage().nbytes() == 4000  # -> True\n",
        measured="Ten numbers: empty_like().copy_() 2.07 µs (1.92–2.17), clone().detach() 1.87 µs (1.69–1.91), clone() "
        f"1.33 µs (1.26–1.37). {_HOW}: `tensorcopy compare --shape 10 --group copy --all`.",
    ),
    Claim(
        claim="torch.tensor(x) turns the tensor x into Python numbers and back.",
        truth="It copies the memory: the dtype stays, as it could not by way of Python numbers.",
        code="import warnings\n"
        "x = torch.ones(2, dtype=torch.bfloat16)\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n"
        "    y = torch.tensor(x)\n"
        "y.dtype, torch.tensor(x.tolist()).dtype  # -> (torch.bfloat16, torch.float32)\n",
        measured="100,000 numbers: torch.tensor(x) 15.7 µs (14.9–16.7), x.clone() 12.6 µs (11.9–13.1), "
        f"torch.tensor(x.tolist()) 45.9 ms (30.1–54.9). {_HOW}: "
        "`tensorcopy compare --shape 100000 --group copy --all`.",
    ),
    Claim(
        claim="torch.tensor(x) is a shallow copy.",
        truth="It has memory of its own. (copy.copy(x) is the shallow one.)",
        code="import copy\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('ignore')\n"
        "    y = torch.tensor(x)\n"
        "y.data_ptr() == x.data_ptr(), copy.copy(x).data_ptr() == x.data_ptr()  # -> (False, True)\n",
    ),
    Claim(
        claim="x.new_tensor(x) is the simple way to copy a tensor.",
        truth="torch itself warns against it, and against torch.tensor(x), because it hides that the graph is cut.",
        code="with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    y = x.new_tensor(x)\n"
        "'recommended to use sourceTensor.detach().clone()' in str(caught[0].message)  # -> True\n",
    ),
    Claim(
        claim="To copy a tensor together with its graph, write x.clone().detach().",
        truth="detach() is what cuts it. x.clone() keeps it.",
        code="w = torch.ones(2, requires_grad=True)\n"
        "w.clone().detach().requires_grad, w.clone().requires_grad  # -> (False, True)\n",
    ),
    Claim(
        claim="torch.tensor([1, 2, 3], requires_grad=True) works.",
        truth="Only floating and complex tensors can require gradients.",
        code="torch.tensor([1, 2, 3], requires_grad=True)  # raises RuntimeError: Only Tensors of floating point ...\n",
    ),
    Claim(
        claim="A tensor that does not require grad prints requires_grad=False; a float32 one prints its dtype.",
        truth="Only what differs from the default is printed.",
        code="torch.tensor([1.0, 2.0])  # -> tensor([1., 2.])\n"
        "torch.tensor([1.0], dtype=torch.float64, requires_grad=True)  "
        "# -> tensor([1.], dtype=torch.float64, requires_grad=True)\n",
    ),
    Claim(
        claim="torch.cat((x, x)) is another way to copy x.",
        truth="It is twice x, in another shape, and passes twice the gradient on. torch.cat((x,)) would be a copy.",
        code="w = torch.ones(2, 3, requires_grad=True)\n"
        "joined = torch.cat((w, w))\n"
        "joined.shape  # -> torch.Size([4, 3])\n"
        "joined.sum().backward()\n"
        "w.grad[0]  # -> tensor([2., 2., 2.])\n",
    ),
    Claim(
        claim="torch.cat copies the gradient too.",
        truth="The result is on the graph. A gradient, w.grad, belongs to its leaf and is not copied by any operation.",
        code="torch.cat((w, w)).requires_grad  # -> True\ntc.copy(w).grad is None  # -> True\n",
    ),
    Claim(
        claim="torch.stack saves memory compared with torch.cat.",
        truth="Both copy every element once.",
        code="x = torch.ones(6)\n"
        "torch.stack((x, x)).untyped_storage().nbytes(), torch.cat((x, x)).untyped_storage().nbytes()  # -> (48, 48)\n"
        "torch.stack((x, x)).untyped_storage().nbytes() > x.untyped_storage().nbytes()  # -> True\n",
    ),
    Claim(
        claim="x.repeat(2, 1) uses the memory of x again.",
        truth="It copies every element as often as it is repeated. expand is the one that does not.",
        code="x = torch.ones(1, 1000)\n"
        "x.repeat(2, 1).untyped_storage().nbytes()  # -> 8000\n"
        "tc.relation(x, x.repeat(2, 1)).kind, tc.relation(x, x.expand(2, -1)).kind  # -> ('disjoint', 'same memory')\n",
    ),
    Claim(
        claim="x.unsqueeze(0).expand(2, -1) makes a new tensor with copied values.",
        truth="It is a view: both rows are the same bytes, and a change of x is seen in them.",
        code="x = torch.zeros(3)\n"
        "y = x.unsqueeze(0).expand(2, -1)\n"
        "x[0] = 9.0\n"
        "y.tolist(), y.stride()  # -> ([[9.0, 0.0, 0.0], [9.0, 0.0, 0.0]], (0, 1))\n",
    ),
    Claim(
        claim="expand can stand in for repeat, and is the more flexible of the two.",
        truth="It stretches only dimensions of size 1, and its result cannot be written.",
        code="torch.ones(3).expand(6)  # raises RuntimeError: The expanded size of the tensor (6) must match ...\n"
        "torch.ones(2, 3).unsqueeze(0).expand(2, -1)  # raises RuntimeError: expand(...: the number of sizes "
        "provided ...\n"
        "torch.ones(1).expand(2).add_(1)  # raises RuntimeError: unsupported operation: more than one element ...\n"
        "torch.ones(3).repeat(2).add_(1)  # -> tensor([2., 2., 2., 2., 2., 2.])\n",
    ),
    Claim(
        claim="repeat and expand drop the graph, so they copy values only.",
        truth="Both keep it.",
        code="w = torch.ones(1, 3, requires_grad=True)\n"
        "w.repeat(2, 1).requires_grad, w.expand(2, -1).requires_grad  # -> (True, True)\n",
    ),
)

ARRAYS = (
    Claim(
        claim="torch.from_numpy copies the array, so that later changes of the array do not show.",
        truth="It shares the memory, as as_tensor and asarray do. torch.tensor(a) copies.",
        code="a = np.array([1, 2, 3])\n"
        "shared, own = torch.from_numpy(a), torch.tensor(a)\n"
        "a[0] = 10\n"
        "shared[0].item(), own[0].item()  # -> (10, 1)\n",
    ),
    Claim(
        claim="as_tensor is faster than from_numpy, which has to copy.",
        truth="Neither copies, so that neither grows with the size; from_numpy has less to decide.",
        code="a = np.zeros(1_000_000)\n"
        "np.shares_memory(a, torch.from_numpy(a).numpy()), np.shares_memory(a, torch.as_tensor(a).numpy())  # -> "
        "(True, True)\n",
        measured="100,000 numbers: from_numpy 518 ns (491–538), as_tensor 1.59 µs (1.36–1.65); ten numbers: from_numpy "
        f"546 ns (516–554), as_tensor 1.56 µs (1.50–1.59). {_HOW}: "
        "`tensorcopy compare --kind array --shape 100000 --group to-tensor --all`.",
    ),
    Claim(
        claim="Where memory is short, take as_tensor: it uses less than from_numpy.",
        truth="Both use none: the tensor looks at the array's bytes.",
        code="torch.as_tensor(a).data_ptr() == torch.from_numpy(a).data_ptr() == a.ctypes.data  # -> True\n",
    ),
    Claim(
        claim="as_tensor sets requires_grad to False.",
        truth="Given a tensor it gives that very tensor, on the graph.",
        code="w = torch.ones(2, requires_grad=True)\ntorch.as_tensor(w) is w, torch.as_tensor(w).requires_grad  # -> "
        "(True, True)\n",
    ),
    Claim(
        claim="from_numpy takes over the requires_grad of the array.",
        truth="Arrays have no such thing.",
        code="hasattr(a, 'requires_grad'), torch.from_numpy(a).requires_grad  # -> (False, False)\n",
    ),
    Claim(
        claim="a.base is t tells whether an array and a tensor share memory.",
        truth="It is False for every tensor from from_numpy, shared or not. Compare the bytes.",
        code="t = torch.from_numpy(a)\na.base is t, tc.relation(a, t).kind  # -> (False, 'same memory')\n",
    ),
    Claim(
        claim="A write through as_tensor(a) does not show in from_numpy(a).",
        truth="Both look at the same array.",
        code="first, second = torch.as_tensor(a), torch.from_numpy(a)\nfirst[0] = 10\nsecond[0].item(), a[0] == 10  "
        "# -> (10.0, np.True_)\n",
    ),
    Claim(
        claim="torch.Tensor(a) keeps dtype and values of the array.",
        truth="It makes float32 of everything. Integers from 16777217 on are rounded.",
        code="ids = np.array([16777217])\n"
        "torch.Tensor(ids).dtype, int(torch.Tensor(ids)[0])  # -> (torch.float32, 16777216)\n",
    ),
    Claim(
        claim="torch.Tensor(a) copies.",
        truth="It shares a float32 array and copies others.",
        code="floats = np.ones(3, dtype=np.float32)\n"
        "torch.Tensor(floats)[0] = 5.0\n"
        "floats  # -> array([5., 1., 1.], dtype=float32)\n",
    ),
    Claim(
        claim="torch.from_numpy(a).to(torch.float32) changes the dtype of the array.",
        truth="It makes a new tensor. The array stays as it is, and is not shared any more.",
        code="ids = np.array([1, 2])\n"
        "t = torch.from_numpy(ids).to(torch.float32)\n"
        "ids.dtype, t.dtype, tc.relation(ids, t).kind  # -> (dtype('int64'), torch.float32, 'disjoint')\n",
    ),
    Claim(
        claim="torch.tensor(a.tolist()) is the most flexible conversion.",
        truth="It loses the dtype: every float becomes float32, every integer int64. And it makes a Python object of "
        "every number.",
        code="torch.tensor(np.array([0.1]).tolist()).item() == 0.1, torch.tensor(np.array([0.1])).item() == 0.1  # "
        "-> (False, True)\n"
        "torch.tensor(np.zeros(1, np.int8).tolist()).dtype  # -> torch.int64\n",
        measured="100,000 numbers: torch.tensor(a.tolist()) 44.8 ms (42.0–50.8), torch.tensor(a) 34.3 µs (25.2–62.2). "
        f"{_HOW}: `tensorcopy compare --kind array --shape 100000 --group to-tensor --all`.",
    ),
)

MORE = (
    Claim(
        claim="model.state_dict() is a snapshot of the weights.",
        truth="It shares them. tc.copy or copy.deepcopy of it is a snapshot.",
        code="model = torch.nn.Linear(1, 1)\n"
        "tc.relation(model.state_dict()['weight'], model.weight).kind  # -> 'same memory'\n",
    ),
    Claim(
        claim="x.data and x.detach() are the same.",
        truth="Both share the memory. But a write through .data is not counted, so a gradient that needs the old "
        "value comes out wrong without an error.",
        code="w = torch.ones(1, requires_grad=True)\n"
        "y = w.exp()\n"
        "y.data.zero_()  # -> tensor([0.])\n"
        "y.backward()\n"
        "w.grad  # -> tensor([0.])\n"
        "w = torch.ones(1, requires_grad=True)\n"
        "y = w.exp()\n"
        "y.detach().zero_()  # -> tensor([0.])\n"
        "y.backward()  # raises RuntimeError: one of the variables needed for gradient computation has been modified "
        "...\n",
    ),
    Claim(
        claim="copy.copy(t) copies the values.",
        truth="It shares them, and cuts the graph without saying so.",
        code="t = torch.ones(2)\ncopy.copy(t)[0] = 9.0\nt  # -> tensor([9., 1.])\n",
    ),
    Claim(
        claim="copy.deepcopy, pickle and torch.save of a slice take what the slice takes.",
        truth="They carry the whole storage behind it. Clone first; tensorcopy inspect and compact show and mend such "
        "files.",
        code="x = torch.ones(1_000_000)\n"
        "copy.deepcopy(x[:3]).untyped_storage().nbytes(), x[:3].clone().untyped_storage().nbytes()  # -> (4000000, "
        "12)\n",
    ),
    Claim(
        claim="torch.Tensor(5) is a tensor that holds 5.",
        truth="It is five numbers that nobody has set. torch.tensor(5) holds 5.",
        code="torch.Tensor(5).shape, torch.tensor(5).item()  # -> (torch.Size([5]), 5)\n",
    ),
    Claim(
        claim="reshape shares, contiguous copies.",
        truth="Both do either: they share where the layout fits and copy where it does not.",
        code="x = torch.zeros(2, 3)\n"
        "tc.relation(x, x.reshape(6)).kind, tc.relation(x, x.t().reshape(6)).kind  # -> ('same memory', 'disjoint')\n"
        "x.contiguous() is x, x.t().contiguous().data_ptr() == x.data_ptr()  # -> (True, False)\n",
    ),
    Claim(
        claim="A deep copy of an expanded tensor can be written.",
        truth="It keeps the stride of 0. clone() does not.",
        code="x = torch.ones(1).expand(3)\n"
        "copy.deepcopy(x).add_(1)  # raises RuntimeError: unsupported operation: more than one element ...\n"
        "x.clone().add_(1)  # -> tensor([2., 2., 2.])\n",
    ),
    Claim(
        claim="A conversion out of range raises.",
        truth="From lists it does, mostly. Between tensors and arrays it wraps; and -1 becomes 255 even from a list.",
        code="torch.tensor([300], dtype=torch.uint8)  # raises RuntimeError: value cannot be converted ...\n"
        "torch.tensor(np.array([300]), dtype=torch.uint8), torch.tensor([-1], dtype=torch.uint8)  "
        "# -> (tensor([44], dtype=torch.uint8), tensor([255], dtype=torch.uint8))\n"
        "tc.to_torch([-1], dtype='uint8')  # raises LossyConversionError: ...\n",
    ),
)

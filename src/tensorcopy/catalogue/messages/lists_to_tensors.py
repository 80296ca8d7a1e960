"""Lists, scalars and tensors that are made into tensors."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="tensor-of-tensor",
        category="UserWarning",
        text="To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
        pattern=r"to copy construct from a tensor, it is recommended to use",
        means="torch.tensor and new_tensor are for data that is no tensor yet. With a tensor they work, and hide "
        "whether the graph was meant to be cut.",
        memory="The values are copied and the graph is cut. clone() copies and keeps the graph, detach().clone() "
        "copies and cuts it.",
        setup="x = torch.ones(2, requires_grad=True)",
        provoke="torch.tensor(x)",
        write="y = x.detach().clone()  # a copy off the graph\ny = x.clone()  # a copy on the graph",
        holds="y.grad_fn is not None and y.data_ptr() != x.data_ptr()",
        operations=("torch.tensor(Tensor)", "torch.Tensor.detach().clone()"),
    ),
    Message(
        name="list-of-arrays-slow",
        category="UserWarning",
        text="Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
        "to a single numpy.ndarray with numpy.array() before converting to a tensor.",
        pattern="creating a tensor from a list of numpy.ndarrays is extremely slow",
        means="torch takes every number of every array out as a Python object and puts it back.",
        memory="The result is a copy in any case. np.stack moves whole rows, and from_numpy shares what it made.",
        setup="rows = [np.zeros(3), np.ones(3)]",
        provoke="torch.tensor(rows)",
        write="t = torch.from_numpy(np.stack(rows))",
        holds="t.shape == (2, 3)",
        operations=("torch.tensor(list of arrays)",),
    ),
    Message(
        name="one-element-only",
        category="ValueError",
        text="only one element tensors can be converted to Python scalars",
        pattern="only one element tensors can be converted to python scalars|a tensor with .*? elements cannot be "
        "converted to scalar",
        means="float(), int(), item() and torch.tensor of a list of tensors want one number from each tensor, and one "
        "of them has more.",
        memory="item() copies one number to Python and cuts the graph. To join tensors, stack them: that copies once "
        "and keeps the graph.",
        setup="rows = [torch.ones(2, requires_grad=True), torch.ones(2)]",
        provoke="torch.tensor(rows)",
        write="t = torch.stack(rows)  # one tensor of all\nnumbers = rows[0].tolist()  # Python numbers",
        holds="t.shape == (2, 2) and t.requires_grad",
        also=("a Tensor with 2 elements cannot be converted to Scalar",),
        operations=("torch.stack", "torch.Tensor.item"),
    ),
    Message(
        name="ragged-list",
        category="ValueError",
        text="expected sequence of length 2 at dim 1 (got 1)",
        pattern=r"expected sequence of length .*? at dim .*?\(got",
        means="The rows of a nested list have different lengths, and a tensor is a rectangle.",
        memory="Nothing was made.",
        setup="rows = [[1, 2], [3]]",
        provoke="torch.tensor(rows)",
        write="t = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)",
        holds="t.tolist() == [[1, 2], [3, 0]]",
        operations=("torch.tensor(list)",),
    ),
    Message(
        name="text-in-list",
        category="ValueError",
        text="too many dimensions 'str'",
        pattern=r"too many dimensions '\w+'|new\(\): invalid data type 'str'",
        means="There is text in the list (numbers read from a file, labels), or arrays one level deeper than they "
        "should be.",
        memory="Nothing was made.",
        setup='words = ["1.5", "2"]',
        provoke="torch.tensor(words)",
        write="t = torch.tensor([float(word) for word in words])",
        holds="t.tolist() == [1.5, 2.0]",
        also=("new(): invalid data type 'str'",),
        operations=("torch.tensor(list)",),
    ),
    Message(
        name="dtype-not-inferred",
        category="RuntimeError",
        text="Could not infer dtype of NoneType",
        pattern=r"could not infer dtype of",
        means="An element is no number: None, a dictionary, an object of some class. In a DataLoader: a sample's "
        "field is missing.",
        memory="Nothing was made.",
        setup="numbers = [1.0, None]",
        provoke="torch.tensor(numbers)",
        write='t = torch.tensor([float("nan") if n is None else n for n in numbers])  # decide what None is',
        holds="bool(t[1].isnan())",
        operations=("torch.tensor(list)",),
    ),
    Message(
        name="shape-not-determined",
        category="ValueError",
        text="could not determine the shape of object type 'Series'",
        pattern="could not determine the shape of object type",
        means="The object says that it has a length and cannot be read by position from 0. A pandas Series whose "
        "index does not begin with 0 is the usual case: torch reads column[0], pandas looks for the label 0.",
        memory="Nothing was made. to_numpy() gives the numbers, often without copying; pandas 3 marks them read-only.",
        setup="class Column:\n    def __len__(self): return 2\n"
        "    def __getitem__(self, label): raise KeyError(label)\n"
        "    def to_numpy(self): return np.ones(2)\ncolumn = Column()",
        provoke="torch.tensor(column)",
        write="t = torch.tensor(column.to_numpy())",
        holds="t.dtype is torch.float64",
        operations=("torch.tensor(ndarray)",),
    ),
    Message(
        name="value-overflows",
        category="RuntimeError",
        text="value cannot be converted to type uint8 without overflow",
        pattern=r"value cannot be converted to type .*? without overflow",
        means="A number of the list does not fit the dtype. Beware: from arrays and tensors torch wraps such numbers "
        "silently (300 becomes 44), and even from lists -1 becomes 255.",
        memory="Nothing was made.",
        setup="numbers = [1, 300]",
        provoke="torch.tensor(numbers, dtype=torch.uint8)",
        write="t = torch.tensor(numbers, dtype=torch.int16)  # a dtype that holds them\n"
        "t = torch.tensor(numbers).clamp(0, 255).to(torch.uint8)  # or say what becomes of the others",
        holds="t.tolist() == [1, 255]",
        operations=("torch.tensor(list)",),
    ),
    Message(
        name="integer-too-large",
        category="ValueError",
        text="Overflow when unpacking long long",
        pattern="overflow when unpacking long",
        means="A Python integer is beyond 64 bits (or beyond int64, where no unsigned dtype was asked for).",
        memory="Nothing was made. float64 would hold it rounded.",
        setup="numbers = [2**64]",
        provoke="torch.tensor(numbers)",
        write="t = torch.tensor([float(n) for n in numbers], dtype=torch.float64)  # rounded to 53 bits",
        holds="t.item() == 2.0**64",
        also=("Overflow when unpacking long",),
        operations=("torch.tensor(list)",),
    ),
    Message(
        name="asarray-requires-grad",
        category="UserWarning",
        text="torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False.",
        pattern="torch.asarray: unspecified requires_grad now defaults to obj.requires_grad",
        means="Whether torch.asarray(x) of a tensor stays on the graph changed between releases.",
        memory="It shares x in both. Beware of asarray(x, requires_grad=False) with a leaf: it switches requires_grad "
        "off on x itself.",
        setup="x = torch.ones(2, requires_grad=True)",
        provoke="torch.asarray(x)",
        write="y = x  # on the graph\ny = x.detach()  # shares the memory, off the graph, x stays as it is",
        holds="x.requires_grad and not y.requires_grad and y.data_ptr() == x.data_ptr()",
        since="torch 2.13",
        operations=("torch.asarray(Tensor)",),
    ),
)

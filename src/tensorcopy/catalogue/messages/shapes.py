"""Shapes and views: when the memory fits, when a copy is needed, when nothing helps."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="view-needs-copy",
        category="RuntimeError",
        text="view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead.",
        pattern="view size is not compatible with input tensor's size and stride",
        means="After transpose, permute or slicing the elements do not lie in the order that the new shape needs.",
        memory="view() always shares or raises. reshape() shares where it can and copies where it cannot: a write "
        "into its "
        "result reaches the source only sometimes.",
        setup="x = torch.ones(2, 3).t()",
        provoke="x.view(6)",
        write="y = x.reshape(6)  # copies here\ny = x.contiguous().view(6)  # the same, spelled out",
        holds="y.data_ptr() != x.data_ptr()",
        operations=("torch.Tensor.view(shape)", "torch.Tensor.reshape", "torch.Tensor.contiguous"),
    ),
    Message(
        name="shape-invalid",
        category="RuntimeError",
        text="shape '[2, 2]' is invalid for input of size 3",
        pattern=r"shape '\[.*?\]' is invalid for input of size|cannot reshape array of size .*? into shape",
        means="A reshape keeps the number of elements, and this one would not.",
        memory="Nothing was made; neither sharing nor copying would help.",
        setup="x = torch.ones(3)",
        provoke="x.view(2, 2)",
        write="y = x.view(3, 1)\nz = x.view(-1, 3)  # -1 is worked out",
        holds="z.shape == (1, 3)",
        also=("cannot reshape array of size 6 into shape (4,)",),
        operations=("torch.Tensor.reshape",),
    ),
    Message(
        name="expand-size",
        category="RuntimeError",
        text="The expanded size of the tensor (6) must match the existing size (3) at non-singleton dimension 0.",
        pattern="the expanded size of the tensor .*? must match the existing size|the number of sizes provided .*? "
        "must be "
        "greater or equal to the number of dimensions in the tensor",
        means="expand and assignments stretch dimensions of size 1 only.",
        memory="expand shares and repeats one element without copying it; repeat copies, and can repeat any size.",
        setup="x = torch.ones(3)",
        provoke="x.expand(6)",
        write="y = x.repeat(2)  # copies\nz = x.unsqueeze(0).expand(2, -1)  # shares",
        holds="y.shape == (6,) and z.data_ptr() == x.data_ptr()",
        also=(
            "expand(torch.FloatTensor{[1, 2, 3]}, size=[2, -1]): the number of sizes provided (2) must be greater or "
            "equal "
            "to the number of dimensions in the tensor (3)",
        ),
        operations=("torch.Tensor.expand", "torch.Tensor.repeat"),
    ),
    Message(
        name="broadcast-output",
        category="RuntimeError",
        text="output with shape [3] doesn't match the broadcast shape [2, 3]",
        pattern="output with shape .*? doesn't match the broadcast shape",
        means="An in-place operation cannot make the tensor that it writes any larger.",
        memory="x + y makes a new tensor of the larger shape; x += y writes x's own memory.",
        setup="x, y = torch.ones(3), torch.ones(2, 3)",
        provoke="x += y",
        write="x = x + y",
        holds="x.shape == (2, 3)",
    ),
    Message(
        name="view-dtype",
        category="RuntimeError",
        text="self.size(-1) must be divisible by 2 to view Float as Double (different element sizes), but got 3",
        pattern=r"self\.(size|stride)\(-1\) must be .*? to view .*? as|self\.storage_offset\(\) must be divisible by",
        means="view(dtype) reads the same bytes as other numbers, and these do not come out even.",
        memory="view(dtype) shares the memory and converts nothing; to(dtype) converts the values and copies.",
        setup="x = torch.ones(3)",
        provoke="x.view(torch.float64)",
        write="y = x.to(torch.float64)  # the values, as other numbers\nz = x[:2].clone().view(torch.float64)  # the "
        "bytes",
        holds="y.tolist() == [1.0, 1.0, 1.0] and z.shape == (1,)",
        operations=("torch.Tensor.view(dtype)", "torch.Tensor.to"),
    ),
    Message(
        name="view-dtype-numpy",
        category="ValueError",
        text="To change to a dtype of a different size, the last axis must be contiguous",
        pattern="to change to a dtype of a different size, the last axis must be contiguous|when changing to a "
        "(larger|smaller) "
        "dtype, its size must be a divisor",
        means="ndarray.view(dtype) reads the same bytes as other numbers, and these do not lie side by side.",
        memory="view(dtype) shares and converts nothing; astype converts and copies.",
        setup="a = np.ones((2, 3), np.float32).T",
        provoke="a.view(np.float64)",
        write="b = a.astype(np.float64)  # the values\nc = np.ascontiguousarray(a).view(np.float64)  # the bytes, of "
        "a copy",
        holds="b[0, 0] == 1.0 and c.shape == (3, 1)",
        operations=("numpy.ndarray.view(dtype)", "numpy.ndarray.astype"),
    ),
    Message(
        name="shape-in-place",
        category="AttributeError",
        text="Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
        pattern="incompatible shape for in-?place modification",
        means="Setting a.shape changes the array in place and never copies; here it would have to.",
        memory="reshape() shares where it can and copies where it cannot.",
        setup="a = np.ones((2, 3)).T",
        provoke="a.shape = (6,)",
        write="b = a.reshape(6)",
        holds="not np.shares_memory(a, b)",
        operations=("numpy.ndarray.reshape",),
    ),
    Message(
        name="memory-format-rank",
        category="RuntimeError",
        text="required rank 4 tensor to use channels_last format",
        pattern=r"required rank \w+ tensor to use channels_last",
        means="channels_last is an order of the four dimensions of images: batch, channels, height, width.",
        memory="to(memory_format=...) and contiguous(memory_format=...) copy where the order differs.",
        setup="image = torch.ones(3, 4, 4)",
        provoke="image.contiguous(memory_format=torch.channels_last)",
        write="batch = image.unsqueeze(0).contiguous(memory_format=torch.channels_last)",
        holds="batch.is_contiguous(memory_format=torch.channels_last)",
        operations=("torch.Tensor.contiguous",),
    ),
    Message(
        name="stack-unequal",
        category="RuntimeError",
        text="stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
        pattern="stack expects each tensor to be equal size|all input arrays must have the same shape",
        means="A batch is made of samples of different shapes. From a DataLoader: the dataset's samples differ, and "
        "they have "
        "to be padded or cropped before they are collated.",
        memory="stack copies every sample once into one new tensor and keeps the graph.",
        setup="samples = [torch.ones(2), torch.ones(3)]",
        provoke="torch.stack(samples)",
        write="batch = torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)",
        holds="batch.tolist() == [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]",
        also=("all input arrays must have the same shape",),
        operations=("torch.stack",),
    ),
    Message(
        name="collate-unknown",
        category="TypeError",
        text="default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class "
        "'NoneType'>",
        pattern="default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found",
        means="A field of the samples is something that the DataLoader cannot join: None, an image, an object of a "
        "class.",
        memory="Nothing was made. tensorcopy.collate takes more kinds, Pillow images among them.",
        setup="from torch.utils.data import default_collate\nsamples = [{'x': 1.0, 'path': None}]",
        provoke="default_collate(samples)",
        write="batch = default_collate([{'x': sample['x']} for sample in samples])",
        holds="batch['x'].tolist() == [1.0]",
    ),
    Message(
        name="truth-of-many",
        category="RuntimeError",
        text="Boolean value of Tensor with more than one value is ambiguous",
        pattern="boolean value of tensor with more than one value is ambiguous|the truth value of an array with more "
        "than one "
        "element is ambiguous",
        means="if x: wants one truth value. Also raised by x in a_list, by max() and sorted() of tensors, and by == on "
        "dataclasses that hold tensors.",
        memory="bool(x) copies one value to Python, which on a GPU waits for it, and cuts the graph.",
        setup="x = torch.tensor([1.0, 0.0])",
        provoke="bool(x)",
        write="found = bool((x > 0).any())  # or .all()\nmissing = x is None  # asking for the object itself",
        holds="found and not missing",
        also=("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",),
        operations=("torch.Tensor.item",),
    ),
)

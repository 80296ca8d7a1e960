"""NumPy's own: making arrays, avoiding copies, reading files."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="copy-unavoidable",
        category="ValueError",
        text="Unable to avoid copy while creating an array as requested.",
        pattern="unable to avoid copy while creating an array as requested",
        means="Since NumPy 2, copy=False means never copy, and raises where that is impossible; before, it meant copy "
        "if needed. That meaning is now copy=None, or np.asarray.",
        memory="Lists, other dtypes and tensors given to np.array(..., copy=False) need new memory.",
        setup="numbers = [1.0, 2.0]",
        provoke="np.array(numbers, copy=False)",
        write="a = np.asarray(numbers)  # shares where it can, copies where it must",
        holds="a.tolist() == [1.0, 2.0]",
        since="numpy 2.0",
        operations=("numpy.asarray(list)", "numpy.array(ndarray, copy=False)"),
    ),
    Message(
        name="inhomogeneous",
        category="ValueError",
        text="setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
        "dimensions.",
        pattern="setting an array element with a sequence",
        means="The rows have different lengths, or one element is itself a list or a tensor.",
        memory="Nothing was made. An array of dtype=object holds references to the rows, and torch does not take it.",
        setup="rows = [[1, 2], [3]]",
        provoke="np.array(rows)",
        write="a = np.zeros((2, 2))\nfor row, numbers in zip(a, rows):\n    row[: len(numbers)] = numbers",
        holds="a.tolist() == [[1.0, 2.0], [3.0, 0.0]]",
        also=("setting an array element with a sequence.",),
        operations=("numpy.array(list)",),
    ),
    Message(
        name="scalar-of-array",
        category="TypeError",
        text="only 0-dimensional arrays can be converted to Python scalars",
        pattern="only (0-dimensional|length-1|size-1) arrays can be converted to python scalars|conversion of an "
        "array with ndim > 0 to a scalar is deprecated",
        means="float(a) and int(a) want an array without dimensions; an array of shape (1,) is not one any more.",
        memory="item() copies the one number to Python.",
        setup="a = np.ones(1)",
        provoke="float(np.ones(2))",
        write="number = a.item()",
        holds="number == 1.0",
        also=(
            "only length-1 arrays can be converted to Python scalars",
            "Conversion of an array with ndim > 0 to a scalar is deprecated, and will error in future.",
        ),
        operations=("numpy.ndarray.item",),
    ),
    Message(
        name="text-to-number",
        category="ValueError",
        text="could not convert string to float: 'a'",
        pattern=r"could not convert string to float",
        means="There is text among the numbers: a header line, a unit, a decimal comma, an empty field.",
        memory="Nothing was made.",
        setup='words = ["1.5", ""]',
        provoke="np.array(words, dtype=float)",
        write="a = np.array([float(word) if word else np.nan for word in words])",
        holds="a[0] == 1.5 and np.isnan(a[1])",
    ),
    Message(
        name="broadcast-shapes",
        category="ValueError",
        text="operands could not be broadcast together with shapes (3,) (2,)",
        pattern=r"operands could not be broadcast together with|the size of tensor a .*? must match the size of "
        r"tensor b",
        means="Two shapes do not fit: from the last dimension on, sizes have to be equal or 1.",
        memory="Broadcasting repeats without copying; the result is new memory.",
        setup="a, b = np.ones(3), np.ones(2)",
        provoke="a + b",
        write="c = a[:, None] + b  # a column and a row: every pair",
        holds="c.shape == (3, 2)",
        also=("The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",),
        operations=("numpy.broadcast_to",),
    ),
    Message(
        name="load-objects",
        category="ValueError",
        text="Object arrays cannot be loaded when allow_pickle=False",
        pattern="object arrays cannot be loaded when allow_pickle=false|this file contains pickled \\(object\\) data",
        means="The file holds Python objects as a pickle, and loading a pickle can run any code.",
        memory="Arrays of numbers are stored as their bytes; arrays of objects are not. tensorcopy inspect FILE tells "
        "which they are without loading anything.",
        setup="import io\nfile = io.BytesIO()\nnp.save(file, np.array([{}], dtype=object), "
        "allow_pickle=True)\nfile.seek(0)",
        provoke="np.load(file)",
        write="clean = io.BytesIO()\nnp.savez(clean, values=np.ones(2))  # save arrays of numbers\nclean.seek(0)\n"
        'a = np.load(clean)["values"]',
        holds="a.tolist() == [1.0, 1.0]",
        also=(
            "This file contains pickled (object) data. If you trust the file you can load it unsafely using the "
            "`allow_pickle=` keyword argument or `pickle.load()`.",
        ),
    ),
    Message(
        name="removed-alias",
        category="AttributeError",
        text="`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
        pattern=r"`np\.\w+` was removed in the numpy 2\.0 release|module 'numpy' has no attribute "
        r"'(float|int|bool|object|str|"
        "complex|product|cumproduct|sometrue|alltrue|float_|unicode_|string_)'",
        means="The name is gone from NumPy. np.float and np.int meant Python's own types: float64 and int64.",
        memory="The dtype decides what torch gets: np.float64 becomes Double, np.float32 becomes Float.",
        provoke="np.float_",
        write="a = np.ones(2, dtype=np.float64)",
        holds="a.dtype == np.float64",
        also=("module 'numpy' has no attribute 'float'.", "module 'numpy' has no attribute 'product'"),
        since="numpy 2.0",
    ),
)

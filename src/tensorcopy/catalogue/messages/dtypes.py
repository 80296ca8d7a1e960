"""Dtypes that do not meet, and values that do not survive a conversion."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="dtypes-differ",
        category="RuntimeError",
        text="expected scalar type Float but found Double",
        pattern=r"expected scalar type .*? but found|expected (m1 and m2|mat1 and mat2|both vectors) to have (the "
        r")?same dtype"
        r"|mat1 and mat2 must have the same dtype|expected .*? and .*? to have the same dtype, but got"
        r"|found dtype \w+ but expected|expected object of scalar type \w+ but got scalar type|expected dtype \w+ "
        r"for .*? but "
        r"got dtype|expected self\.dtype to be equal to|input type .*? and (weight|bias) type .*? should be the same",
        means="Two operands have different dtypes. Mostly one came from NumPy, whose floats are float64 (Double), and "
        "the other is a weight in float32 (Float); or half precision meets full.",
        memory="Converting copies. Best convert where the data comes in, once: from_numpy(a) shares float64, and "
        ".float() then copies.",
        setup="w, x = torch.ones(2, 2), torch.from_numpy(np.ones((2, 2)))",
        provoke="torch.bmm(w[None], x[None])",
        write="y = w @ x.to(w.dtype)  # a copy of x in the weight's dtype",
        holds="y.dtype is torch.float32",
        also=(
            "expected m1 and m2 to have the same dtype, but got: float != double",
            "mat1 and mat2 must have the same dtype, but got Double and Float",
            "dot : expected both vectors to have same dtype, but found Double and Float",
            "Found dtype Double but expected Float",
            "Input type (double) and bias type (float) should be the same",
            "expected object of scalar type Long but got scalar type Float for argument #2",
        ),
        operations=("torch.Tensor.to", "torch.from_numpy"),
    ),
    Message(
        name="target-dtype",
        category="RuntimeError",
        text="expected target dtype to be Long or Byte, but got Int",
        pattern="expected target dtype to be long or byte, but got|expected floating point type for target with class "
        "probabilities|expected tensor for argument .*? to have one of the following scalar types: long, int",
        means="Class labels and indices are int64 (Long) in torch. NumPy on Windows, JSON and int32 files give "
        "others, and torch.Tensor(labels) gives floats.",
        memory="long() copies unless the tensor is int64 already.",
        setup="scores, labels = torch.ones(1, 2), torch.ones(1, dtype=torch.int32)",
        provoke="torch.nn.functional.cross_entropy(scores, labels)",
        write="loss = torch.nn.functional.cross_entropy(scores, labels.long())",
        holds="loss.dim() == 0",
        also=(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            "torch.FloatTensor instead (while checking arguments for embedding)",
        ),
        since="torch 2.13",
        operations=("torch.Tensor.long",),
    ),
    Message(
        name="result-does-not-fit",
        category="RuntimeError",
        text="result type Float can't be cast to the desired output type Long",
        pattern="result type .*? can't be cast to the desired output type",
        means="An in-place operation, or one with out=, would have to put floats into a tensor of integers.",
        memory="x = x + 0.5 makes a new float tensor; x += 0.5 writes x's own memory, whose dtype stays.",
        setup="x = torch.ones(2, dtype=torch.int64)",
        provoke="x += 0.5",
        write="x = x + 0.5",
        holds="x.dtype is torch.float32",
    ),
    Message(
        name="index-put-dtype",
        category="RuntimeError",
        text="Index put requires the source and destination dtypes match, got Float for the destination and Double "
        "for the source.",
        pattern="index put requires the source and destination dtypes match",
        means="x[indices] = y converts nothing when the index is a tensor or a list; x[2:5] = y would.",
        memory="The write goes into x's memory. y.to(x.dtype) is a copy.",
        setup="x, y = torch.zeros(3), torch.ones(1, dtype=torch.float64)",
        provoke="x[torch.tensor([0])] = y",
        write="x[torch.tensor([0])] = y.to(x.dtype)",
        holds="x.tolist() == [1.0, 0.0, 0.0]",
        operations=("torch.Tensor.to",),
    ),
    Message(
        name="mean-of-integers",
        category="RuntimeError",
        text="mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
        "Got: Long",
        pattern=r"(mean|std|var)\w*\(\): .*?input dtype must be either a floating point or complex dtype",
        means="The mean of integers is no integer, and torch does not choose a floating dtype for you.",
        memory="mean(dtype=...) converts while it adds up; x.float().mean() makes a converted copy first.",
        setup="x = torch.tensor([1, 2])",
        provoke="x.mean()",
        write="m = x.mean(dtype=torch.float32)",
        holds="m.item() == 1.5",
    ),
    Message(
        name="complex-to-real",
        category="UserWarning",
        text="Casting complex values to real discards the imaginary part",
        pattern="casting complex values to real discards the imaginary part",
        means="A complex tensor or array is converted to a real dtype.",
        memory="The result is a copy without the imaginary parts. x.real is a view of the real parts: it shares.",
        setup="x = torch.tensor([1 + 2j])",
        provoke="x.to(torch.float32)",
        write="y = x.real.clone()  # says what is meant\nz = x.abs()  # or the modulus",
        holds="y.tolist() == [1.0]",
        operations=("torch.Tensor.real",),
    ),
    Message(
        name="ufunc-cast",
        category="UFuncTypeError",
        text="Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'",
        pattern="cannot cast ufunc .*? (output|input.*?) from .*? to .*? with casting rule",
        means="An in-place operation would have to put floats into an array of integers.",
        memory="a = a + 0.5 makes a new array; a += 0.5 writes a's own memory, whose dtype stays.",
        setup="a = np.ones(2, dtype=np.int64)",
        provoke="a += 0.5",
        write="a = a + 0.5",
        holds="a.dtype == np.float64",
    ),
    Message(
        name="cast-not-safe",
        category="TypeError",
        text="Cannot cast array data from dtype('float64') to dtype('float32') according to the rule 'safe'",
        pattern="cannot cast (array data|scalar) from .*? to .*? according to the rule",
        means="The conversion could lose values, and the caller forbids that.",
        memory="astype copies. NumPy's default 'unsafe' loses silently; tensorcopy.to_numpy(a, dtype=...) refuses "
        "only where a value would change beyond rounding.",
        setup="a = np.ones(2)",
        provoke='a.astype(np.float32, casting="safe")',
        write='b = a.astype(np.float32, casting="same_kind")  # rounding is accepted',
        holds="b.dtype == np.float32",
        operations=("numpy.ndarray.astype",),
    ),
    Message(
        name="integer-out-of-bounds",
        category="OverflowError",
        text="Python integer 300 out of bounds for uint8",
        pattern=r"python integer .*? out of bounds for \w+",
        means="A Python integer does not fit the array's dtype. NumPy 1 wrapped it silently.",
        memory="Nothing was written. Between arrays NumPy still wraps: astype(np.uint8) makes 44 of 300.",
        setup="numbers = [1, 300]",
        provoke="np.array(numbers, dtype=np.uint8)",
        write="a = np.array(numbers, dtype=np.int16)\nb = np.clip(a, 0, 255).astype(np.uint8)",
        holds="b.tolist() == [1, 255]",
        since="numpy 2.0",
        operations=("numpy.array(list)",),
    ),
    Message(
        name="invalid-cast",
        category="RuntimeWarning",
        text="invalid value encountered in cast",
        pattern="invalid value encountered in cast",
        means="NaN, infinity or a number that is too large becomes an integer; which one depends on the processor.",
        memory="The result is a copy with that arbitrary integer in it.",
        setup="a = np.array([1.0, np.nan])",
        provoke="a.astype(np.int64)",
        write="b = np.nan_to_num(a, nan=-1).astype(np.int64)  # decide what NaN is",
        holds="b.tolist() == [1, -1]",
        operations=("numpy.ndarray.astype",),
    ),
    Message(
        name="not-implemented-for",
        category="NotImplementedError",
        text="\"add_stub\" not implemented for 'UInt16'",
        pattern=r"\"\w+\" not implemented for '\w+'",
        means="torch can store this dtype and not compute with it: half precision of some operations on the CPU, the "
        "unsigned dtypes of 16 to 64 bits, float8.",
        memory="Converting copies; convert the result back if the storage matters.",
        setup="x = torch.ones(2).to(torch.uint16)",
        provoke="x + x",
        write="y = (x.int() + x.int()).to(torch.uint16)",
        holds="y.tolist() == [2, 2]",
        also=("\"addmm_impl_cpu_\" not implemented for 'Half'",),
        since="torch 2.3",
        operations=("torch.Tensor.to",),
    ),
)

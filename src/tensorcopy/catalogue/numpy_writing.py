"""NumPy calls that change memory: methods in place, assignments, and calls with a destination."""

from __future__ import annotations

from functools import partial

from ._refusals import TO_ARRAY
from ._templates import array_copy, array_in_place, where
from .model import Call, Dtype, Graph, Kind, Layout, Rejection, Style, Subclass, Trait, Value, Wrong

_READ_ONLY = Rejection(given=Trait.READ_ONLY, error="ValueError", text="read-only")
_into = partial(
    array_copy,
    setup="dst = np.zeros(x.shape, object if x.dtype == object else complex)",
    probe="dst",
    result=Kind.NOTHING,
    dtype=Dtype.TARGET,
    layout=Layout.TARGET,
    subclass=Subclass.TARGET,
)
_operator = partial(
    array_in_place,
    probe="y",
    result=Kind.ARRAY,
    rejects=(_READ_ONLY,),
)


def _written(*names: str, style: Style = Style.CALL) -> Call:
    """Methods that write their receiver."""
    return Call(names=tuple(f"numpy.ndarray.{n}" for n in names), style=style, writes_to=(0,))


OPERATIONS = (
    array_in_place(
        name="numpy.ndarray.fill",
        summary="Writes one value everywhere, seen by every tensor over the memory.",
        call=_written("fill"),
        examples=("x.fill(0)",),
        rejects=(_READ_ONLY,),
    ),
    array_in_place(
        name="numpy.ndarray.sort",
        summary="Sorts in place and returns None.",
        call=_written("sort", "partition"),
        examples=("x.sort()",),
        setup="x[...] = x[..., ::-1].copy() if x.flags.writeable and x.ndim else x",
        rejects=(
            Rejection(given=Trait.READ_ONLY, error="ValueError", text="read-only"),
            Rejection(given=Trait.ZERO_D, error="AxisError", text="axis -1 is out of bounds for array of dimension 0"),
        ),
    ),
    array_in_place(
        name="numpy.ndarray.put",
        summary="Writes values at flat positions.",
        call=Call(names=("numpy.ndarray.put", "numpy.put"), writes_to=(0,)),
        examples=("x.put([0], 0)", "np.put(x, [0], 0)"),
        rejects=(
            _READ_ONLY,
            Rejection(
                given=Trait.EMPTY,
                error="IndexError",
                text="cannot replace elements of an empty array",
                since="numpy 2.0",
            ),
            Rejection(given=Trait.EMPTY, error="IndexError", text="index 0 is out of bounds", until="numpy 2.0"),
        ),
    ),
    array_in_place(
        name="numpy.random.Generator.shuffle",
        summary="Reorders the rows in place.",
        call=Call(names=("numpy.random.Generator.shuffle", "numpy.random.shuffle"), source=1, writes_to=(1,)),
        examples=("rng.shuffle(x)",),
        setup="rng = np.random.default_rng(3)",
        rejects=(
            Rejection(given=Trait.READ_ONLY, error="ValueError", text="read-only"),
            Rejection(given=Trait.ZERO_D, error="TypeError", text="len() of unsized object"),
        ),
    ),
    _operator(
        name="numpy.ndarray.__iadd__",
        summary="x += y writes into the memory that x names, seen by every view and tensor over it.",
        call=_written("__iadd__", "__isub__", "__imul__", style=Style.OPERATOR),
        examples=("x += 1\nx", "x *= 2\nx"),
        unless=(Trait.BOOL,),
    ),
    _operator(
        name="numpy.ndarray[...] = number",
        summary="Writes one value into the part named.",
        call=Call(names=("numpy.ndarray.__setitem__",), style=Style.INDEX_ASSIGNMENT, writes_to=(0,)),
        examples=("x[...] = 0\nx", "x[x == x] = 0\nx"),
        silently_wrong=(
            Wrong(
                code="a = np.zeros(1, np.int64); a[0] = 2.9; a.item()",
                gives="2",
                wanted="2.9",
                why="the value is cut to the array's dtype",
            ),
        ),
    ),
    _operator(
        name="numpy.add(out=source)",
        summary="Writes the result into the source's own memory.",
        call=Call(names=("numpy.add", "numpy.multiply", "numpy.clip"), when=where(out=Value.GIVEN), writes_to=("out",)),
        examples=("np.add(x, 1, out=x)",),
        unless=(Trait.BOOL,),
    ),
    _operator(
        name="numpy.ndarray.byteswap(inplace=True)",
        summary="Reverses the bytes of each element in the memory itself.",
        call=Call(names=("numpy.ndarray.byteswap",), when=where(inplace=Value.TRUE), writes_to=(0,)),
        examples=("x.byteswap(inplace=True)",),
    ),
    _into(
        name="numpy.ndarray[...] = ndarray",
        summary="Writes the source's values into the part named; overlapping memory is handled.",
        call=Call(names=("numpy.ndarray.__setitem__",), style=Style.INDEX_ASSIGNMENT, source=2, writes_to=(0,)),
        examples=("dst[...] = x",),
        silently_wrong=(
            Wrong(
                code="a = np.zeros(1, np.uint8); a[:] = np.array([300.0]); a.item()",
                gives="44",
                wanted="300",
                why="a value out of range wraps around",
            ),
        ),
    ),
    _into(
        name="numpy.copyto",
        summary="Writes the source's values into the destination; refuses a dtype that would lose more than precision.",
        call=Call(names=("numpy.copyto",), source=1, writes_to=(0,)),
        examples=("np.copyto(dst, x)",),
        rejects=(
            Rejection(
                code="np.copyto(np.zeros(1, np.int64), np.array([1.7]))",
                error="TypeError",
                text="according to the rule 'same_kind'",
            ),
        ),
    ),
    _into(
        name="numpy.add(out=)",
        summary="Writes the result into the destination.",
        call=Call(names=("numpy.add", "numpy.multiply"), when=where(out=Value.GIVEN), writes_to=("out",)),
        examples=("np.add(x, 0, out=dst)",),
        unless=(Trait.BOOL,),
        result=Kind.ARRAY,
    ),
    array_copy(
        name="numpy.ndarray[...] = tensor",
        summary="Writes a tensor's values into an array; refused on the graph.",
        call=Call(names=("numpy.ndarray.__setitem__",), style=Style.INDEX_ASSIGNMENT, source=2, writes_to=(0,)),
        examples=("dst[...] = x",),
        setup="dst = np.zeros(tuple(x.shape), complex)",
        probe="dst",
        source=Kind.TENSOR,
        result=Kind.NOTHING,
        graph=Graph.CUTS,
        dtype=Dtype.TARGET,
        layout=Layout.TARGET,
        subclass=Subclass.TARGET,
        rejects=TO_ARRAY,
    ),
    array_in_place(
        name="numpy.ndarray.resize",
        summary="Changes the shape in place, moving the memory; refused while something else looks at it.",
        call=Call(names=("numpy.ndarray.resize",)),
        examples=("x.resize(x.shape, refcheck=False)",),
        unless=(Trait.NOT_OWNED, Trait.NON_CONTIGUOUS, Trait.ARRAY_SUBCLASS),
        changes_object=True,
        rejects=(
            Rejection(
                code="a = np.zeros(2); t = torch.from_numpy(a); a.resize(1000)",
                error="ValueError",
                text="cannot resize an array that",
            ),
        ),
    ),
)

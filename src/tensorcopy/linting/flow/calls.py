"""Follow calls: of torch and NumPy by the catalogue, of the project's own functions by their summaries."""

from __future__ import annotations

import ast
from typing import Any

from . import values as v
from .effects import COPIES, CUTS, DEPENDS, SHARES, Effect, effect_of, is_known
from .events import BackPropagated, Call
from .expressions import (
    DTYPE_NAMES,
    attribute_of,
    evaluate,
    fresh,
    graph_of,
    handles,
    path_of,
    shared,
)
from .frame import Frame
from .project import ClassInfo
from .values import Cut, Region, Value, element_of
from .vocabulary import (
    ARRAY_METHODS,
    COMPUTED,
    COMPUTED_MANY,
    FACTORIES,
    METHODS,
    METHODS_BOOL,
    METHODS_INT,
    METHODS_MANY,
    NUMPY_COMPUTED,
    NUMPY_FACTORIES,
    ONLY_ARRAYS,
    ONLY_TENSORS,
)

Arguments = tuple[list["Value | None"], dict[str, "Value | None"]]
_EXPANDING = frozenset(("expand", "expand_as", "broadcast_to", "broadcast_tensors"))
_TURNING = frozenset(("t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "adjoint"))
# Library classes whose instances compute without parameters of their own.
_WITHOUT_PARAMETERS = ("Loss", "ReLU", "Dropout", "Softmax", "Sigmoid", "Tanh", "Identity", "Pool", "GELU", "Flatten")
_NOT_MODULES = frozenset(("Parameter", "Buffer", "ParameterList", "ParameterDict"))
_PARAMETERS = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter"))
# Methods that compute gradients: of a tensor, or of a trainer that is given one.
_BACKWARD = frozenset(("backward", "manual_backward"))
# Methods through which a term of a sum stays a term.
_LINEAR = frozenset("mean sum nanmean nansum neg negative add sub subtract mul multiply div divide true_divide".split())
_CONTAINERS = frozenset(("Sequential", "ModuleList", "ModuleDict"))


@handles(ast.Call)
def _call(frame: Frame, node: ast.Call) -> Value | None:
    func = node.func
    if type(func) is ast.Attribute:
        return _attribute_call(frame, node, func)
    callee = evaluate(frame, func)
    args, keywords = arguments_of(frame, node)
    if callee is None:
        _escape(frame, node, args, keywords)
        return None
    return call_value(frame, node, callee, args, keywords)


def arguments_of(frame: Frame, node: ast.Call) -> Arguments:
    """The values of the arguments; what follows a starred argument of unknown length is left out."""
    args: list[Value | None] = []
    for argument in node.args:
        if type(argument) is ast.Starred:
            inner = evaluate(frame, argument.value)
            known = inner is not None and isinstance(inner.items, list)
            if known and "comprehension" in inner.traits:  # type: ignore[union-attr]
                args.extend([inner.items[0]] * 8)  # type: ignore[union-attr,index]
            elif known:
                args.extend(inner.items)  # type: ignore[union-attr]
            else:
                args.extend([None] * 8)
        else:
            args.append(evaluate(frame, argument))
    keywords = {k.arg: evaluate(frame, k.value) for k in node.keywords if k.arg is not None}
    for keyword in node.keywords:
        if keyword.arg is None:
            evaluate(frame, keyword.value)
    return args, keywords


def _attribute_call(frame: Frame, node: ast.Call, func: ast.Attribute) -> Value | None:
    name = func.attr
    path = path_of(func)
    base = evaluate(frame, func.value)
    if base is not None and base.kind not in (v.TENSOR, v.ARRAY, v.UNKNOWN):
        if base.kind == v.LIBRARY or isinstance(base.ref, ClassInfo) or base.kind == v.MODULE:
            stored = frame.state.attributes.get(path) if path is not None else None
            callee = stored if stored is not None else attribute_of(frame, func, base, name)
            if callee is not None and callee.kind != v.UNKNOWN:
                args, keywords = arguments_of(frame, node)
                if callee.ref == "torch.autograd.backward":
                    _tell_backward(frame, node, None, args)
                return call_value(frame, node, callee, args, keywords)
        args, keywords = arguments_of(frame, node)
        if name in _BACKWARD:
            _tell_backward(frame, node, None, args)
        return _method_of_other(frame, node, base, name, args, keywords)
    args, keywords = arguments_of(frame, node)
    if name in _BACKWARD:
        _tell_backward(frame, node, base if base is not None else _scaled(frame, func.value), args)
    return _method(frame, node, base, name, args, keywords)


def _tell_backward(frame: Frame, node: ast.Call, receiver: Value | None, args: list[Value | None]) -> None:
    """Tell the rules what a gradient is computed from: the argument of a trainer's method, else the receiver."""
    first = args[0] if args else None
    if first is not None and first.kind in (v.LIST, v.TUPLE) and isinstance(first.items, list):
        first = next((i for i in first.items if i is not None and i.graph == v.ON), None)
    value = first if first is not None and (first.graph == v.ON or receiver is None) else receiver
    if value is not None:
        for handler in frame.unit.hears.get("BackPropagated", ()):
            handler(BackPropagated(frame, node, value))


def _scaled(frame: Frame, node: ast.expr) -> Value | None:
    """The loss in ``scaler.scale(loss)``, for a scaler of which nothing is known."""
    if type(node) is ast.Call and type(node.func) is ast.Attribute and node.func.attr == "scale" and node.args:
        inner = node.args[0]
        return frame.lookup(inner.id) if type(inner) is ast.Name else None
    return None


def call_value(frame: Frame, node: ast.Call, callee: Value, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    """The result of calling a known value."""
    kind = callee.kind
    if kind == v.LIBRARY:
        return call_library(frame, node, str(callee.ref), args, keywords)
    if kind == v.FUNCTION:
        from .functions import call_function

        return call_function(frame, node, callee.ref, [*(callee.items or ()), *args], keywords)
    if kind == v.CLASS:
        from .functions import instantiate

        return instantiate(frame, node, callee.ref, args, keywords)
    if kind == v.MODULE:
        return _call_module(frame, node, callee, args, keywords)
    if isinstance(callee.ref, ClassInfo) and (method := callee.ref.method("__call__")) is not None:
        from .functions import call_function

        return call_function(frame, node, method, [callee, *args], keywords)
    _escape(frame, node, args, keywords)
    return None


def _call_module(frame: Frame, node: ast.Call, module: Value, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    tell(frame, node, "torch.nn.Module.__call__", module, args, keywords, None)
    if isinstance(module.ref, ClassInfo):
        forward = module.ref.method("forward")
        if forward is not None:
            from .functions import call_function

            return call_function(frame, node, forward, [module, *args], keywords)
        return None
    name = str(module.ref or "")
    if "frozen" in module.traits:
        return fresh(frame, node, v.TENSOR, graph=graph_of(frame, *args))
    if any(part in name for part in _WITHOUT_PARAMETERS):
        return fresh(frame, node, v.TENSOR, graph=graph_of(frame, *args), cut=_term(args))
    if name.endswith(("ModuleList", "ModuleDict")) or not name.startswith("torch.nn."):
        return None
    if "LSTM" in name or "GRU" in name or name.endswith(("RNN", "MultiheadAttention", "LSTMCell")):
        return Value(v.TUPLE, node, items=None, traits=frozenset(("tensors",)))
    graph = {"on": v.ON, "off": v.OFF}.get(frame.grad, v.UNSURE)
    return fresh(frame, node, v.TENSOR, graph=graph)


def _term(args: list[Value | None]) -> Cut | None:
    """The lost graph of a loss term: kept if no operand is on the graph, since then nothing of the term is."""
    known = [a for a in args if a is not None]
    if any(a.graph == v.ON for a in known):
        return None
    return next((a.cut for a in known if a.cut is not None), None)


def tell(
    frame: Frame,
    node: ast.Call,
    name: str,
    receiver: Value | None,
    args: list[Value | None],
    keywords: dict[str, Value | None],
    result: Value | None,
) -> None:
    """Tell the rules that listen to calls of this name."""
    frame.unit.told = (node, name, receiver, args)
    handlers = frame.unit.hears_calls.get(name)
    if handlers:
        event = Call(frame, node, name, receiver, args, keywords, result)
        for handler in handlers:
            handler(event)


def _escape(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> None:
    """Arguments go to something unknown: nothing is known to happen to them."""


# --- library functions ------------------------------------------------------------------------------------------------


def call_library(frame: Frame, node: ast.Call, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    """The result of a library function, by the catalogue first, then by the vocabulary."""
    result = _library_result(frame, node, name, args, keywords)
    tell(frame, node, name, None, args, keywords, result)
    return result


def _library_result(frame: Frame, node: ast.Call, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if is_known(name) and not (name == "torch.Tensor" and _may_be_sizes(args)):
        found = _by_catalogue(frame, node, name, None, args, keywords)
        if found is not None:
            return _required(frame, node, name, found, keywords)
    root, _, last = name.rpartition(".")
    if root == "torch" or root == "torch.nn.functional" or root in ("torch.special", "torch.linalg", "torch.fft"):
        return _torch_function(frame, node, root, last, args, keywords)
    if root.startswith("numpy"):
        return _numpy_function(frame, node, name, last, args, keywords)
    if root.startswith("torch"):
        return _torch_object(frame, node, name, last, args, keywords)
    handler = _OTHERS.get(name)
    return handler(frame, node, args, keywords) if handler is not None else None


def _required(frame: Frame, node: ast.Call, name: str, found: Value, keywords: dict[str, Value | None]) -> Value:
    """What a constructor gives that was asked for gradients, as a Parameter always is."""
    parameter = name in _PARAMETERS
    if found.kind != v.TENSOR or not (parameter or "requires_grad" in keywords):
        return found
    graph = v.ON if parameter and "requires_grad" not in keywords else _asked_graph(frame, keywords)
    traits = found.traits | ({"parameter"} if parameter else set()) | ({"leaf"} if graph == v.ON else set())
    return found.with_(graph=graph, traits=traits)


def _may_be_sizes(args: list[Value | None]) -> bool:
    """Whether arguments of the class itself may be a shape, of which it makes a tensor, instead of data."""
    return len(args) != 1 or args[0] is None or args[0].kind == v.UNKNOWN


def _torch_function(frame: Frame, node: ast.Call, root: str, last: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if last in FACTORIES or last.endswith("_like"):
        return _made(frame, node, last, args, keywords)
    if last in COMPUTED or root == "torch.nn.functional":
        if last in COMPUTED_MANY:
            return None
        operands = _flattened(args) + list(keywords.values())
        return fresh(
            frame, node, v.TENSOR, graph=graph_of(frame, *operands), dtype=_computed_dtype(last, operands), cut=_term(operands)
        )
    if last in COMPUTED_MANY:
        if last in ("max", "min") and len(args) == 1 and not keywords:
            return fresh(frame, node, v.TENSOR, graph=graph_of(frame, *args))
        return Value(v.TUPLE, node, traits=frozenset(("tensors",)))
    if last in ("tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "Tensor", "frombuffer"):
        return _converted_unknown(frame, node, last, args, keywords)
    if last.endswith("Tensor"):
        return fresh(frame, node, v.TENSOR, graph=v.OFF)
    if last == "device":
        return Value(v.DEVICE, node)
    return None


def _converted_unknown(frame: Frame, node: ast.Call, last: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value:
    """``torch.tensor(something unknown)``: a tensor; whose memory it is depends on the call."""
    source = args[0] if args else None
    if last in ("tensor", "Tensor") or source is None or not source.regions:
        return fresh(frame, node, v.TENSOR, graph=_asked_graph(frame, keywords), dtype=given_dtype(args, keywords))
    return shared(frame, node, source, f"torch.{last}", kind=v.TENSOR, dtype=given_dtype(args, keywords))


def _asked_graph(frame: Frame, keywords: dict[str, Value | None]) -> str:
    asked = keywords.get("requires_grad")
    if "requires_grad" in keywords:
        return v.ON if asked is not None and asked.const is True else v.UNSURE if asked is None or asked.const is not False else v.OFF
    return v.OFF


def _made(frame: Frame, node: ast.Call, last: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value:
    graph = _asked_graph(frame, keywords)
    traits = frozenset(("leaf", "made")) if graph == v.ON else frozenset(("made",))
    dtype = given_dtype([], keywords) or {"randperm": "int64", "randint": "int64", "tril_indices": "int64"}.get(last, "")
    if not dtype and "dtype" not in keywords and not last.endswith("_like"):
        whole = last in ("arange", "full", "range") and all(a is not None and a.kind == v.INT for a in args)
        dtype = "int64" if whole and last != "range" else "float32" if last not in ("arange", "full", "range") or _has_float(args) else ""
    if last == "scalar_tensor":
        traits |= {"0-d"}
    return fresh(frame, node, v.TENSOR, graph=graph, dtype=dtype, traits=traits)


def _has_float(args: list[Value | None]) -> bool:
    return any(a is not None and a.kind == v.FLOAT for a in args)


def given_dtype(args: list[Value | None], keywords: dict[str, Value | None]) -> str:
    """The dtype asked for, as a name, empty if none is or it is not known."""
    for value in (keywords.get("dtype"), *args):
        if value is not None:
            if value.kind == v.DTYPE and isinstance(value.const, str):
                return value.const
            if value.kind == v.LIBRARY and value.ref in _PYTHON_DTYPES:
                return _PYTHON_DTYPES[str(value.ref)]
    text = keywords.get("dtype")
    if text is not None and text.kind == v.TEXT and isinstance(text.const, str):
        return _TEXT_DTYPES.get(text.const.lstrip("<=|"), text.const)
    return ""


_PYTHON_DTYPES = {"builtins.float": "float64", "builtins.int": "int64", "builtins.bool": "bool", "builtins.object": "object"}
_TEXT_DTYPES = {
    "f4": "float32",
    "f8": "float64",
    "f2": "float16",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "?": "bool",
    "O": "object",
    "float": "float64",
    "int": "int64",
}


def _computed_dtype(last: str, operands: list[Value | None]) -> str:
    if last in ("argmax", "argmin", "argsort", "nonzero", "argwhere", "bincount", "count_nonzero", "searchsorted", "bucketize"):
        return "int64"
    if last in ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not", "isin"):
        return "bool"
    dtypes = {o.dtype for o in operands if o is not None and o.kind == v.TENSOR}
    return dtypes.pop() if len(dtypes) == 1 else ""


def _flattened(args: list[Value | None]) -> list[Value | None]:
    found: list[Value | None] = []
    for argument in args:
        if argument is not None and argument.kind in (v.LIST, v.TUPLE):
            found.extend(argument.items if isinstance(argument.items, list) else [None])
        else:
            found.append(argument)
    return found


def _numpy_function(frame: Frame, node: ast.Call, name: str, last: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if name in ("numpy.load", "numpy.memmap"):
        return _mapped(frame, node, last, keywords)
    if name.startswith("numpy.ma.masked"):
        return fresh(frame, node, v.ARRAY, graph=v.OFF, traits=frozenset(("masked",)))
    if last in ("array", "asarray", "asanyarray", "ascontiguousarray", "copy"):
        source = args[0] if args else None
        dtype = array_dtype(args, keywords) or (literal_dtype(source) if source is not None and source.kind != v.UNKNOWN else "")
        if last in ("array", "copy") or source is None or not source.regions:
            return fresh(frame, node, v.ARRAY, graph=v.OFF, dtype=dtype, traits=_array_traits(source, keywords))
        return shared(frame, node, source, f"np.{last}", kind=v.ARRAY, dtype=dtype, graph=v.OFF, traits=frozenset(("may copy",)))
    if last in NUMPY_FACTORIES or name.startswith("numpy.random."):
        if name in ("numpy.random.seed", "numpy.random.shuffle", "numpy.random.default_rng", "numpy.random.RandomState"):
            return None
        if name.startswith("numpy.random.") and not args and not keywords:
            return Value(v.FLOAT, node)
        if last == "arange" and "dtype" not in keywords and args and all(a is not None and a.kind == v.INT for a in args):
            return fresh(frame, node, v.ARRAY, graph=v.OFF, dtype="int64")
        dtype = array_dtype(args[1:], keywords) or ("float64" if last in ("zeros", "ones", "empty", "eye", "linspace", "rand", "randn") and "dtype" not in keywords and len(args) < 2 else "")
        return fresh(frame, node, v.ARRAY, graph=v.OFF, dtype=dtype, traits=_array_traits(None, keywords, args[1:]))
    if last in NUMPY_COMPUTED:
        operands = _flattened(args)
        if not any(o is None or o.kind in (v.ARRAY, v.TENSOR, v.UNKNOWN, v.LIST) for o in operands):
            return Value(v.FLOAT, node)
        if last in ("sum", "mean", "max", "min", "std", "var", "median", "dot", "argmax", "argmin") and "axis" not in keywords and len(args) < 2:
            return Value(v.FLOAT, node) if last[:3] != "arg" else Value(v.INT, node)
        dtype = {o.dtype for o in operands if o is not None and o.kind == v.ARRAY} if last in ("stack", "concatenate", "abs", "clip", "vstack", "hstack") else set()
        cut = next((o.cut for o in operands if o is not None and o.cut is not None), None)
        return fresh(frame, node, v.ARRAY, graph=v.OFF, dtype=dtype.pop() if len(dtype) == 1 else "", cut=cut)
    if name in ("numpy.float32", "numpy.float64", "numpy.float16"):
        return Value(v.FLOAT, node, dtype=last)
    return None


def _adds_no_repeats(node: ast.AST) -> bool:
    """``expand(1, -1)``: a dimension of size one is added, nothing repeats."""
    sizes = node.args if isinstance(node, ast.Call) else []
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    texts = [ast.unparse(s) for s in sizes]
    return bool(texts) and all(t in ("1", "-1") for t in texts)


def _mapped(frame: Frame, node: ast.Call, last: str, keywords: dict[str, Value | None]) -> Value | None:
    """An array from a file; None for an archive of several, as far as can be told."""
    mode = keywords.get("mode" if last == "memmap" else "mmap_mode")
    if last == "load" and mode is None:
        return None
    return fresh(frame, node, v.ARRAY, graph=v.OFF, traits=_mapped_traits(mode))


def _mapped_traits(mode: Value | None) -> frozenset[str]:
    return frozenset(("readonly",) if mode is not None and mode.const == "r" else ())


def _array_traits(source: Value | None, keywords: dict[str, Value | None], rest: list[Value | None] = []) -> frozenset[str]:  # noqa: B006
    """Facts on an array's dtype that torch cares about."""
    found = set()
    asked = [keywords.get("dtype"), *rest]
    for dtype in asked:
        if dtype is None:
            continue
        if dtype.kind == v.LIST and dtype.items and all(i is not None and i.kind == v.TUPLE for i in dtype.items):
            found.add("structured")
        if dtype.kind == v.TEXT and isinstance(dtype.const, str) and dtype.const.startswith(">") and dtype.const[1:2] not in ("i1", "u"):
            found.add("big-endian")
        if dtype.kind == v.DTYPE and str(dtype.ref).startswith("ml_dtypes."):
            found.add("ml_dtypes")
        if dtype.kind == v.LIBRARY and dtype.ref == "builtins.object":
            found.add("objects")
    if source is not None and source.kind == "dict view":
        found.add("objects")
    if source is not None and source.kind in (v.LIST, v.TUPLE) and source.items:
        if all(i is not None and i.kind == v.TEXT for i in source.items):
            found.add("text")
        if all(i is not None and i.kind in v.NUMBERS for i in source.items):
            found.add("1-d")
    return frozenset(found)


def literal_dtype(value: Value | None) -> str:
    """The dtype NumPy gives a list literal: int64 for integers, float64 once a float is among them."""
    if value is None:
        return ""
    if value.kind in v.NUMBERS:
        return {v.INT: "int64", v.FLOAT: "float64", v.BOOL: "bool"}[value.kind]
    if value.kind in (v.LIST, v.TUPLE) and isinstance(value.items, list) and value.items:
        found = {literal_dtype(i) for i in value.items}
        if "" in found:
            return ""
        if found <= {"int64", "bool"}:
            return "int64" if "int64" in found else "bool"
        return "float64" if found <= {"int64", "float64", "bool"} else ""
    return ""


def array_dtype(args: list[Value | None], keywords: dict[str, Value | None]) -> str:
    """The dtype asked of NumPy, where a big-endian text keeps its letter."""
    found = given_dtype([a for a in args if a is not None and a.kind != v.LIST], keywords)
    if found:
        return found.lstrip(">")
    for argument in args:
        if argument is not None and argument.kind == v.TEXT and isinstance(argument.const, str):
            return _TEXT_DTYPES.get(argument.const.lstrip("<=|>"), argument.const)
    return ""


def _torch_object(frame: Frame, node: ast.Call, name: str, last: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if name.startswith("torch.nn.") and last[:1].isupper() and last not in _NOT_MODULES:
        items: Any = {}
        if last in _CONTAINERS:
            items = args[0].items if len(args) == 1 and args[0] is not None and args[0].kind in (v.LIST, v.TUPLE) else list(args)
        return Value(v.MODULE, node, ref=name, items=items, regions=(Region("fresh", node),), time=frame.unit.clock)
    if name.startswith("torch.optim.") and last[:1].isupper() and ".lr_scheduler" not in name:
        return Value(v.OPTIMIZER, node, ref=name, items=list(args))
    if name in ("torch.autograd.Variable", "torch.autograd.variable.Variable") and args and args[0] is not None and args[0].kind == v.TENSOR:
        source = args[0]
        cut = Cut("torch.autograd.Variable", node, source) if source.graph == v.ON else source.cut
        return _required(frame, node, name, shared(frame, node, source, "torch.autograd.Variable", graph=v.OFF, cut=cut), keywords)
    if name in ("torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm") and args and args[0] is not None:
        return args[0].with_(traits=args[0].traits | {"hooked norm"})
    return None


def _builtin_list(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value:
    source = args[0] if args else None
    items = None
    traits: frozenset[str] = frozenset()
    if source is not None and source.kind in (v.LIST, v.TUPLE, v.SET):
        items = list(source.items) if isinstance(source.items, list) else None
        traits = source.traits & {"comprehension"}
    elif source is not None and source.kind == "dict view":
        items, traits = source.items, frozenset(("comprehension",))
    elif source is None and not args:
        items = []
    elif source is not None and source.kind in (v.TENSOR, v.ARRAY):
        items, traits = [shared(frame, node, source, "list(...)")], frozenset(("comprehension",))
    return Value(v.LIST, node, items=items, traits=traits, time=frame.unit.clock)


def _number_of(kind: str) -> Any:
    def number(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value:
        source = args[0] if args else None
        cut = None
        if source is not None:
            cut = Cut(kind, node, source) if source.graph == v.ON else source.cut
        traits = source.traits & {"timestamp"} if source is not None else frozenset()
        return Value(kind, node, cut=cut, traits=traits)

    return number


def _deepcopy(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    source = args[0] if args else None
    if source is None:
        return None
    if source.kind in (v.LIST, v.TUPLE, v.DICT, v.OPTIMIZER, v.STATE_DICT, v.MODULE, v.INSTANCE):
        items = [_deepcopy(frame, node, [i], {}) for i in source.items] if isinstance(source.items, list) else None
        return Value(source.kind, node, items=items, ref=source.ref, regions=(Region("fresh", node),), time=frame.unit.clock)
    return None


def _shallow_copy(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    source = args[0] if args else None
    if source is not None and source.kind in (v.LIST, v.DICT, v.TUPLE):
        return source.with_(node=node)
    return None


def _dict_of(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value:
    items: dict[Any, Value | None] = dict(keywords)
    if args and args[0] is not None and isinstance(args[0].items, dict):
        items = args[0].items | items
    return Value(v.DICT, node, items=items if not args or (args[0] is not None and isinstance(args[0].items, dict)) else None, time=frame.unit.clock)


def _sum_of(frame: Frame, node: ast.Call, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    source = args[0] if args else None
    items = source.items if source is not None and source.kind in (v.LIST, v.TUPLE) else None
    if not isinstance(items, list) or not any(i is not None and i.kind == v.TENSOR for i in items):
        return None
    cut = next((i.cut for i in items if i is not None and i.cut is not None), None)
    return fresh(frame, node, v.TENSOR, graph=graph_of(frame, *items), cut=cut)


_OTHERS: dict[str, Any] = {
    "builtins.sum": _sum_of,
    "builtins.list": _builtin_list,
    "builtins.tuple": _builtin_list,
    "builtins.sorted": _builtin_list,
    "builtins.dict": _dict_of,
    "builtins.float": _number_of(v.FLOAT),
    "builtins.int": _number_of(v.INT),
    "builtins.bool": lambda f, n, a, k: Value(v.BOOL, n),
    "builtins.len": lambda f, n, a, k: Value(v.INT, n),
    "builtins.str": lambda f, n, a, k: Value(v.TEXT, n),
    "builtins.range": lambda f, n, a, k: Value(v.LIST, n, items=[Value(v.INT, n)], traits=frozenset(("comprehension", "range"))),
    "builtins.enumerate": lambda f, n, a, k: Value("enumerate", n, items=a),
    "builtins.zip": lambda f, n, a, k: Value("zip", n, items=a),
    "builtins.reversed": lambda f, n, a, k: a[0] if a else None,
    "builtins.iter": lambda f, n, a, k: a[0] if a else None,
    "builtins.bytes": lambda f, n, a, k: Value(v.BYTES, n, regions=(Region("fresh", n),), time=f.unit.clock),
    "builtins.bytearray": lambda f, n, a, k: Value("bytearray", n, regions=(Region("fresh", n),), time=f.unit.clock),
    "builtins.open": lambda f, n, a, k: Value(v.OTHER, n, ref="file"),
    "copy.deepcopy": _deepcopy,
    "copy.copy": _shallow_copy,
    "collections.OrderedDict": _dict_of,
    "pyarrow.array": lambda f, n, a, k: Value(v.ARROW, n, regions=(Region("fresh", n),), time=f.unit.clock),
    "pyarrow.chunked_array": lambda f, n, a, k: Value(v.ARROW, n, regions=(Region("fresh", n),), time=f.unit.clock),
    "pandas.Series": lambda f, n, a, k: Value(v.SERIES, n, regions=(Region("fresh", n),), time=f.unit.clock, traits=_series_traits(k)),
    "time.time": lambda f, n, a, k: Value(v.FLOAT, n, traits=frozenset(("timestamp",))),
    "time.time_ns": lambda f, n, a, k: Value(v.INT, n, traits=frozenset(("timestamp",))),
    "math.sqrt": lambda f, n, a, k: Value(v.FLOAT, n),
    "torch.Size": lambda f, n, a, k: Value(v.TUPLE, n, traits=frozenset(("sizes",))),
}


def _series_traits(keywords: dict[str, Value | None]) -> frozenset[str]:
    dtype = keywords.get("dtype")
    nullable = dtype is not None and isinstance(dtype.const, str) and dtype.const[:1].isupper()
    return frozenset(("nullable",)) if nullable else frozenset()


# --- by the catalogue -------------------------------------------------------------------------------------------------


def _facts(args: list[Value | None], keywords: dict[str, Value | None], receiver: Value | None) -> frozenset[str]:
    facts = set()
    for name, value in keywords.items():
        facts.add(name)
        if value is not None and value.const is not v.MISSING and value.kind in (v.BOOL, v.NOTHING):
            facts.add(f"{name}={value.const}")
        if name == "dtype" and (value is None or value.kind != v.NOTHING):
            facts.add("a dtype")
        if name == "device":
            facts.add("a device")
    rest = args if receiver is not None else args[1:]
    for value in rest:
        if value is None:
            continue
        if value.kind == v.DTYPE or (value.kind == v.LIBRARY and value.ref in _PYTHON_DTYPES):
            facts.add("a dtype")
            facts.add("dtype")
        elif value.kind in (v.DEVICE, v.TEXT):
            facts.add("a device" if value.kind == v.DEVICE or receiver is None or receiver.kind != v.ARRAY else "a dtype")
        elif value.kind == v.TENSOR:
            facts.add("a tensor")
    return frozenset(facts)


def _by_catalogue(
    frame: Frame, node: ast.Call, name: str, receiver: Value | None, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value | None:
    """The result as the catalogue has it; None if it has nothing to say on these arguments."""
    all_args = args if receiver is None else [receiver, *args]
    facts = _facts(args, keywords, receiver)
    kind, source = _source_of(name, all_args, keywords, facts)
    effect = effect_of(name, kind, facts)
    if effect is None:
        return None
    for target in effect.writes:
        written = all_args[target] if isinstance(target, int) and target < len(all_args) else keywords.get(str(target))
        if written is not None and written.kind not in v.NUMBERS:
            how = "method" if receiver is not None else "out"
            frame.write(node, written, how, all_args[1] if len(all_args) > 1 else None)
            if isinstance(target, int) and target == 0 and receiver is not None:
                return _after_write(frame, written, all_args)
    if effect.in_sequence:
        return _of_sequence(frame, node, effect, source)
    if source is None:
        return None
    return applied(frame, node, effect, source, given_dtype(args, keywords), keywords)


def _after_write(frame: Frame, written: Value, all_args: list[Value | None]) -> Value:
    """What a method that writes its receiver returns: the receiver, now on the graph if what came in was."""
    incoming = any(a is not None and a.graph == v.ON for a in all_args[1:])
    if incoming and frame.grad == "on" and written.graph != v.ON:
        written.graph = v.ON
    return written


def _source_of(name: str, all_args: list[Value | None], keywords: dict[str, Value | None], facts: frozenset[str]) -> tuple[str, Value | None]:
    position = _source_position(name)
    source = all_args[position] if position < len(all_args) else None
    if source is None and not all_args:
        source = next((keywords[k] for k in ("input", "data", "a", "object", "obj") if k in keywords), None)
    if source is None:
        return v.UNKNOWN, None
    return ("masked" if "masked" in source.traits else source.kind), source


def _source_position(name: str) -> int:
    from ...catalogue import for_call

    source = for_call(name)[0].call.source
    return source if isinstance(source, int) else 0


def _of_sequence(frame: Frame, node: ast.Call, effect: Effect, source: Value | None) -> Value | None:
    items = source.items if source is not None and isinstance(source.items, list) else [None]
    cut = None
    graph = graph_of(frame, *items)
    if effect.graph == CUTS:
        on = next((i for i in items if i is not None and i.graph == v.ON), None)
        cut, graph = (Cut(effect.name, node, on) if on is not None else None), v.OFF
    dtypes = {i.dtype for i in items if i is not None}
    return fresh(frame, node, effect.result or v.TENSOR, graph=graph, cut=cut, dtype=dtypes.pop() if len(dtypes) == 1 else "")


def applied(
    frame: Frame, node: ast.AST, effect: Effect, source: Value, dtype: str, keywords: dict[str, Value | None]
) -> Value | None:
    """The value that *effect* makes of *source*."""
    kind = effect.result or source.kind
    cut, graph = source.cut, source.graph
    if effect.graph == CUTS or source.kind == v.ARRAY:
        cut = Cut(effect.name, node, source) if source.graph == v.ON else cut
        graph = v.OFF
    elif effect.graph == DEPENDS:
        integral = (dtype or effect.dtype_name).startswith(("int", "uint", "bool"))
        if integral:
            cut, graph = (Cut(effect.name, node, source) if source.graph == v.ON else cut), v.OFF
    if graph == v.ON and frame.grad == "off":
        graph = v.OFF
    if "requires_grad" in keywords and kind == v.TENSOR and effect.graph == CUTS:
        graph = _asked_graph(frame, keywords)
    facts: dict[str, Any] = {"graph": graph, "cut": cut, "dtype": _result_dtype(effect, source, dtype)}
    if kind not in _WITH_MEMORY:
        return _without_memory(frame, node, effect, source, kind, cut)
    memory = effect.memory
    if memory == DEPENDS:
        memory = _decided(effect, source, facts["dtype"])
    if memory == COPIES:
        kept = source.traits & {"masked", "structured", "big-endian", "ml_dtypes", "objects", "text", "inferred"}
        if source.kind == v.TENSOR:
            kept &= {"inferred"}
        return fresh(frame, node, kind, traits=frozenset(kept) | _traits_of(effect, node, source, keywords), **facts)
    traits = _traits_of(effect, node, source, keywords) | (frozenset(("may copy",)) if memory == DEPENDS else frozenset())
    return shared(frame, node, source, effect.name, kind=kind, traits=traits, **facts)


_WITH_MEMORY = frozenset((v.TENSOR, v.ARRAY, v.BYTES, v.UNKNOWN, v.OTHER, "masked"))


def _without_memory(frame: Frame, node: ast.AST, effect: Effect, source: Value, kind: str, cut: Cut | None) -> Value:
    """A number, or a container: what it holds are the parts of the source where it shares, else numbers."""
    if kind in (v.LIST, v.TUPLE) and effect.memory != COPIES:
        items = [shared(frame, node, source, effect.name)]
        return Value(kind, node, items=items, traits=frozenset(("comprehension",)), time=frame.unit.clock)
    traits = frozenset(("of array",)) | (source.traits & {"structured"}) if kind == v.LIST else frozenset()
    return Value(kind, node, cut=cut, traits=traits, dtype=source.dtype if kind == v.LIST else "", time=frame.unit.clock)


def _decided(effect: Effect, source: Value, dtype: str) -> str:
    """Shares or copies, where dtype and freshness decide; depends where they do not."""
    traits = {t.name for t in effect.copies_if}
    if "OTHER_DTYPE" in traits and source.dtype and dtype:
        return SHARES if source.dtype == dtype and traits == {"OTHER_DTYPE"} else (COPIES if source.dtype != dtype else DEPENDS)
    if "expanded" in source.traits and traits & {"NON_CONTIGUOUS", "NOT_DENSE", "EXPANDED"} and "OTHER_DTYPE" not in traits:
        return COPIES
    if source.kind in (v.ARRAY, v.UNKNOWN) and "negative" in source.traits and traits & {"NEGATIVE_STRIDE", "NON_CONTIGUOUS"}:
        return COPIES
    return DEPENDS


def _result_dtype(effect: Effect, source: Value, dtype: str) -> str:
    rule = effect.dtype.name
    if rule in ("SAME", "NATIVE", "REAL"):
        return source.dtype
    if rule == "GIVEN":
        return dtype
    if rule == "FIXED":
        name = effect.dtype_name.rpartition(".")[2]
        return DTYPE_NAMES.get(name, name)
    if rule == "INFERRED":
        inferred = literal_dtype(source)
        return "float32" if inferred == "float64" and effect.result == v.TENSOR else inferred
    return "float32" if rule == "DEFAULT" and effect.result == v.TENSOR and not dtype else dtype


def _traits_of(effect: Effect, node: ast.AST, source: Value, keywords: dict[str, Value | None]) -> frozenset[str]:
    last = effect.name.partition("(")[0].rpartition(".")[2]
    if last in _EXPANDING and not _adds_no_repeats(node):
        return frozenset(("expanded", "readonly") if effect.name.startswith("numpy") else ("expanded",))
    if last in _TURNING:
        return frozenset(("noncontiguous",))
    if effect.name in ("numpy.frombuffer", "torch.frombuffer"):
        return frozenset(("readonly",) if source.kind == v.BYTES else ())
    if effect.name.startswith("numpy.load(mmap_mode"):
        return _mapped_traits(keywords.get("mmap_mode"))
    if last in ("flip", "fliplr", "flipud", "rot90") and effect.name.startswith("numpy"):
        return frozenset(("negative",))
    return frozenset()


# --- methods ----------------------------------------------------------------------------------------------------------


def _method(frame: Frame, node: ast.Call, base: Value | None, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if base is None or base.kind == v.UNKNOWN:
        return _method_of_unknown(frame, node, base, name, args, keywords)
    qualified = f"torch.Tensor.{name}" if base.kind == v.TENSOR else f"numpy.ndarray.{name}"
    result = _numeric_method(frame, node, base, name, qualified, args, keywords)
    tell(frame, node, qualified, base, args, keywords, result)
    return result


def _numeric_method(
    frame: Frame, node: ast.Call, base: Value, name: str, qualified: str, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value | None:
    if is_known(qualified) or (base.kind == v.ARRAY and "masked" in base.traits):
        masked = f"numpy.ma.MaskedArray.{name}"
        used = masked if "masked" in base.traits and is_known(masked) else qualified
        if is_known(used):
            found = _by_catalogue(frame, node, used, base, args, keywords)
            if found is not None:
                return _with_special_cases(frame, node, name, found, base, args, keywords)
    if name.endswith("_") and not name.endswith("__") and base.kind == v.TENSOR:
        return _in_place(frame, node, base, name, args)
    if name in METHODS_INT:
        return Value(v.INT if name not in ("size", "stride") or args else v.TUPLE, node, traits=frozenset(("sizes",)))
    if name in METHODS_BOOL:
        return Value(v.BOOL, node)
    if name in METHODS_MANY and (args or keywords or name not in ("max", "min", "median")):
        return Value(v.TUPLE, node, traits=frozenset(("tensors",)))
    if base.kind == v.ARRAY:
        return _array_method(frame, node, base, name, args, keywords)
    if name in ("backward", "retain_grad", "register_hook"):
        return Value(v.NOTHING, node)
    if name not in METHODS and name not in METHODS_MANY and (name != "unique" or keywords):
        return None
    operands = [base, *args, *keywords.values()]
    cut = base.cut if not any(a is not None and a.graph == v.ON for a in args) else None
    if base.graph == v.ON and name not in _LINEAR:
        cut = None
    return fresh(
        frame, node, v.TENSOR, graph=graph_of(frame, *[o for o in operands if o is None or o.kind in (v.TENSOR, v.UNKNOWN)]) if any(o is None for o in args) is False else (base.graph if base.graph == v.ON and frame.grad == "on" else (v.OFF if frame.grad == "off" else v.UNSURE)),
        dtype=_computed_dtype(name, [base]), cut=cut, traits=base.traits & {"inferred"},
    )


def _with_special_cases(
    frame: Frame, node: ast.Call, name: str, found: Value, base: Value, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value:
    """What an argument changes beyond the catalogue's entry."""
    if name == "requires_grad_" and (not args or args[0] is None or args[0].const is not False):
        return found.with_(graph=v.ON if "requires_grad" not in keywords else v.UNSURE, traits=found.traits | ({"leaf"} if base.graph != v.ON else set()))
    if name == "astype" and args and args[0] is not None and args[0].kind == v.TEXT and isinstance(args[0].const, str):
        found.dtype = _TEXT_DTYPES.get(args[0].const.lstrip("<=|>"), args[0].const)
    if name == "astype":
        found.traits = found.traits - {"big-endian", "ml_dtypes", "objects", "text"} | _array_traits(None, keywords, args)
    return found


def _in_place(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None]) -> Value:
    """A trailing underscore: torch writes the receiver and returns it."""
    if name in ("requires_grad_", "detach_", "share_memory_", "retain_grad_", "resize_", "squeeze_", "unsqueeze_", "t_", "transpose_", "rename_", "swapaxes_"):
        return base
    frame.write(node, base, "method", args[0] if args else None)
    return _after_write(frame, base, [base, *args])


def _array_method(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if name in ("sum", "mean", "max", "min", "std", "var", "prod", "item", "argmax", "argmin", "all", "any") and "axis" not in keywords and not args:
        return Value(v.FLOAT, node, cut=base.cut)
    if name in ARRAY_METHODS:
        return fresh(frame, node, v.ARRAY, graph=v.OFF, cut=base.cut)
    if name == "tolist":
        return Value(v.LIST, node, traits=base.traits & {"structured"} | {"of array"}, dtype=base.dtype)
    if name == "tobytes":
        return Value(v.BYTES, node, regions=(Region("fresh", node),), time=frame.unit.clock)
    if name == "filled":
        return fresh(frame, node, v.ARRAY, graph=v.OFF, dtype=base.dtype)
    return None


def _method_of_unknown(frame: Frame, node: ast.Call, base: Value | None, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    """A method of something unknown: if only tensors have it, it was one; if both kinds share with it, so does this."""
    receiver = base if base is not None else Value(v.UNKNOWN, node)
    if name in ONLY_TENSORS or name in ONLY_ARRAYS:
        kind = v.TENSOR if name in ONLY_TENSORS else v.ARRAY
        inferred = receiver.with_(kind=kind, traits=receiver.traits | {"inferred"})
        if type(node.func) is ast.Attribute and type(node.func.value) is ast.Name and node.func.value.id in frame.state.names:
            frame.state.names[node.func.value.id] = inferred
        return _method(frame, node, inferred, name, args, keywords)
    result = None
    if name in ("parameters", "named_parameters"):
        result = _parameters(frame, node, base, name)
    elif receiver.regions:
        result = _maybe_shared(frame, node, receiver, name, args, keywords)
    tell(frame, node, f"?.{name}", base, args, keywords, result)
    return result


def _maybe_shared(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    facts = _facts(args, keywords, base)
    effects = [effect_of(q, v.TENSOR if "Tensor" in q else v.ARRAY, facts) for q in (f"torch.Tensor.{name}", f"numpy.ndarray.{name}") if is_known(q)]
    known = [e for e in effects if e is not None and not e.writes]
    if not known or any(e.memory == COPIES for e in known):
        return None
    made = applied(frame, node, known[0], base, given_dtype(args, keywords), keywords)
    if made is not None and len(known) > 1:
        made.kind = v.UNKNOWN
    elif made is not None:
        made.kind = known[0].result or made.kind
        made.traits = made.traits | {"inferred"}
    return made


def _method_of_other(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    """Methods of lists, dicts, modules, optimizers, columns."""
    kind = base.kind
    result: Value | None = None
    if kind == v.LIST:
        result = _list_method(frame, node, base, name, args)
    elif kind == v.DICT:
        result = _dict_method(frame, node, base, name, args)
    elif kind == v.MODULE or isinstance(base.ref, ClassInfo):
        result = _module_method(frame, node, base, name, args, keywords)
    elif kind in (v.SERIES, v.ARROW):
        result = _column_method(frame, node, base, name, args, keywords)
    elif kind == v.STATE_DICT and name == "copy":
        result = base.with_(node=node)
    elif kind == v.STATE_DICT and name in ("items", "values"):
        result = Value("dict view", node, items=[shared(frame, node, base, "state_dict", kind=v.TENSOR, graph=v.OFF)], ref=name)
    names = {v.MODULE: "torch.nn.Module", v.OPTIMIZER: "torch.optim.Optimizer", v.STATE_DICT: "state_dict"}
    tell(frame, node, f"{names.get(kind, kind)}.{name}", base, args, keywords, result)
    return result


def _list_method(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None]) -> Value | None:
    if name in ("append", "insert", "appendleft") and args:
        item = args[-1]
        if isinstance(base.items, list) and len(base.items) < 16 and not any(i is item for i in base.items):
            base.items.append(item)
            if frame.loops:
                base.traits = base.traits | {"comprehension"}
        if item is not None and item.regions and item.kind in (v.TENSOR, v.ARRAY, v.UNKNOWN):
            frame.keep(node, item, "append", base)
        elif item is not None and isinstance(item.items, (list, dict)):
            for inner in item.items.values() if isinstance(item.items, dict) else item.items:
                if inner is not None and inner.regions:
                    frame.keep(node, inner, "append", base)
        return Value(v.NOTHING, node)
    if name == "extend" and args and args[0] is not None and isinstance(args[0].items, list) and isinstance(base.items, list):
        base.items.extend(args[0].items[:8])
    if name == "copy":
        return base.with_(node=node)
    if name == "pop":
        return element_of(base.items) if isinstance(base.items, list) else None
    return None


def _dict_method(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None]) -> Value | None:
    items = base.items if isinstance(base.items, dict) else None
    if name in ("values", "keys", "items"):
        inner = element_of(list(items.values())) if items else None
        return Value("dict view", node, items=[inner], ref=name)
    if name in ("get", "pop", "setdefault") and args and args[0] is not None and items is not None:
        const = args[0].const
        return items.get(const) if const is not v.MISSING and isinstance(const, (str, int)) else element_of(list(items.values()))
    if name == "copy":
        return base.with_(node=node, traits=base.traits | {"shallow"})
    return None


def _module_method(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if name in ("parameters", "named_parameters", "buffers", "named_buffers"):
        return _parameters(frame, node, base, name)
    if name == "state_dict":
        return Value(v.STATE_DICT, node, regions=base.regions, ref=base, time=frame.unit.clock, step=v.Step("state_dict", node, base))
    if name in ("to", "cuda", "cpu", "float", "half", "double", "train", "eval", "requires_grad_", "bfloat16", "apply", "share_memory", "type"):
        frozen = name == "requires_grad_" and args and args[0] is not None and args[0].const is False
        return base.with_(traits=base.traits | {"frozen"}) if frozen else base
    if name in ("register_buffer", "register_parameter") and len(args) > 1 and args[0] is not None and isinstance(args[0].const, str):
        store_attribute(frame, node, base, args[0].const, args[1])
    return None


def _parameters(frame: Frame, node: ast.Call, base: Value | None, name: str) -> Value:
    """The list of parameters or buffers that a module gives; of something unknown it is one by its name alone."""
    region = base.regions[0].element if base is not None and base.regions else Region("attribute", node, name="parameters", many=True)
    on = name.endswith("parameters") and (base is None or "frozen" not in base.traits)
    traits = {"parameter", "leaf"} if name.endswith("parameters") else {"buffer"}
    if base is None or base.kind == v.UNKNOWN:
        traits.add("inferred")
    item = Value(
        v.TENSOR, node, regions=(region,), time=frame.unit.clock, graph=v.ON if on else v.OFF, traits=frozenset(traits), ref=base
    )
    items = [Value(v.TUPLE, node, items=[Value(v.TEXT, node), item]) if name.startswith("named") else item]
    return Value(v.LIST, node, items=items, traits=frozenset(("comprehension",)))


def _column_method(frame: Frame, node: ast.Call, base: Value, name: str, args: list[Value | None], keywords: dict[str, Value | None]) -> Value | None:
    if name in ("to_numpy", "__array__"):
        copied = keywords.get("copy") is not None and keywords["copy"].const is True  # type: ignore[union-attr]
        zero_copy = keywords.get("zero_copy_only")
        if copied or (base.kind == v.ARROW and zero_copy is not None and zero_copy.const is False and "writable" in keywords):
            return fresh(frame, node, v.ARRAY, graph=v.OFF)
        traits = frozenset(("readonly",)) if base.kind == v.ARROW or "nullable" not in base.traits else frozenset()
        return shared(frame, node, base, f"{base.kind}.to_numpy", kind=v.ARRAY, graph=v.OFF, traits=traits)
    return None


def store_attribute(frame: Frame, node: ast.AST, base: Value, name: str, value: Value | None) -> None:
    """``base.name = value`` for an instance of a class of the project: remembered for its other methods."""
    info = base.ref
    if not isinstance(info, ClassInfo):
        return
    if value is not None:
        for region in value.regions:
            if region.origin == "fresh":
                region.kept = region.kept or name
        inside = value.items.values() if isinstance(value.items, dict) else value.items or ()
        for inner in inside if value.kind in (v.LIST, v.TUPLE, v.DICT) else ():
            if inner is not None:
                for region in inner.regions:
                    region.kept = region.kept or name
        if any(region.origin == "parameter" for region in value.regions):
            value = value.with_(regions=(info.region(name),), step=None)
    known = info.attributes.get(name, v.MISSING)
    info.attributes[name] = value if known is v.MISSING else v.joined(known, value)

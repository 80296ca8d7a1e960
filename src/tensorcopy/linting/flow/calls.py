"""Follow calls: find out what is called, hand over to what knows it, and tell the rules."""

from __future__ import annotations

import ast

from . import distribution_calls, jax_calls
from . import values as v
from .applying import by_catalogue
from .attributes import attribute_of
from .containers import container_method, parameters_of
from .effects import is_known
from .events import BackPropagated, Call
from .expressions import evaluate, handles, path_of
from .frame import Frame
from .functions import call_function, instantiate
from .making import fresh
from .methods import inferred_receiver, maybe_shared, numeric_method
from .numpy_calls import described, number_traits, numpy_result
from .other_calls import other_result
from .project import ClassInfo
from .sites import Site
from .torch_calls import library_module_result, required, torch_result
from .values import Value
from .vocabulary import NUMPY_OUT, ONLY_ARRAYS, ONLY_TENSORS

# Methods that compute gradients: of a tensor, or of a trainer that is given one.
_BACKWARD = frozenset(("backward", "manual_backward"))
# What these give is whatever was saved, which their argument does not tell.
_FROM_FILES = frozenset(("torch.load", "pickle.load", "pickle.loads"))
# Methods that tell something of a receiver of which nothing is known, or of the call.
_TELLING = (
    ONLY_TENSORS
    | ONLY_ARRAYS
    | _BACKWARD
    | frozenset(("timestamp", "parameters", "named_parameters", "set_grad_enabled"))
)
# What these make of a list of numbers, rules ask about.
_OF_NUMBERS = frozenset(("torch.tensor", "torch.as_tensor"))
_METHODS_OF = {v.JAX: jax_calls.method_result, v.DISTRIBUTION: distribution_calls.method_result}
_TOLD_AS = {v.MODULE: "torch.nn.Module", v.OPTIMIZER: "torch.optim.Optimizer", v.STATE_DICT: "state_dict"}


@handles(ast.Call)
def _call(frame: Frame, node: ast.Call) -> Value | None:
    if type(node.func) is ast.Attribute:
        return _attribute_call(frame, node, node.func)
    callee = evaluate(frame, node.func)
    site = Site(frame, node)
    return call_value(site, callee) if callee is not None else None


def _attribute_call(frame: Frame, node: ast.Call, func: ast.Attribute) -> Value | None:
    base = evaluate(frame, func.value)
    if base is None and func.attr not in _TELLING:
        _call_of_unknown(frame, node, func.attr)
        return None
    if base is None or base.kind in (v.TENSOR, v.ARRAY, v.UNKNOWN):
        site = Site(frame, node)
        if func.attr in _BACKWARD:
            _tell_backward(site, base if base is not None else _scaled(frame, func.value))
        return _method(site, base, func.attr)
    callee = _callee(frame, func, base)
    site = Site(frame, node)
    if func.attr in _BACKWARD and (callee is None or callee.ref == "torch.autograd.backward"):
        _tell_backward(site, None)
    if callee is not None:
        return call_value(site, callee)
    if base.kind in _METHODS_OF:
        return _METHODS_OF[base.kind](site, base, func.attr)
    result = container_method(site, base, func.attr)
    tell(site, f"{_TOLD_AS.get(base.kind, base.kind)}.{func.attr}", base, result)
    return result


def _call_of_unknown(frame: Frame, node: ast.Call, name: str) -> None:
    """A method of which nothing can be told but its name."""
    if name in _FILLING:
        _method_of_unknown(Site(frame, node), None, name)
        return
    if f"?.{name}" in frame.unit.hears_calls:
        tell(Site(frame, node), f"?.{name}", None, None)
        return
    for argument in node.args:
        evaluate(frame, argument)
    for keyword in node.keywords:
        evaluate(frame, keyword.value)


def _callee(frame: Frame, func: ast.Attribute, base: Value) -> Value | None:
    """What ``base.name`` is, for libraries, instances and modules, if it is something that can be called."""
    if base.kind not in (v.LIBRARY, v.MODULE) and not isinstance(base.ref, ClassInfo):
        return None
    path = path_of(func) if frame.state.attributes else None
    stored = frame.state.attributes.get(path) if path is not None else None
    callee = stored if stored is not None else attribute_of(frame, func, base, func.attr)
    return callee if callee is not None and callee.kind != v.UNKNOWN else None


def call_value(site: Site, callee: Value) -> Value | None:
    """The result of calling a known value."""
    kind = callee.kind
    if kind == v.LIBRARY:
        return _call_library(site, str(callee.ref))
    if kind == v.FUNCTION:
        return call_function(site.frame, site.node, callee.ref, [*(callee.items or ()), *site.args], site.keywords)
    if kind == v.CLASS:
        return instantiate(site.frame, site.node, callee.ref, site.args, site.keywords)
    if kind == v.MODULE:
        result = _call_object(site, callee)
        tell(site, "torch.nn.Module.__call__", callee, result)
        return result
    return _call_object(site, callee)


def _call_object(site: Site, callee: Value) -> Value | None:
    """The result of calling a module or another instance."""
    kind = callee.kind
    if isinstance(callee.ref, ClassInfo):
        method = callee.ref.method("forward" if kind == v.MODULE else "__call__")
        return (
            None
            if method is None
            else call_function(site.frame, site.node, method, [callee, *site.args], site.keywords)
        )
    return library_module_result(site, callee) if kind == v.MODULE else None


def tell(site: Site, name: str, receiver: Value | None, result: Value | None) -> None:
    """Tell the rules that listen to calls of this name."""
    unit = site.frame.unit
    unit.told = (site.node, name, receiver, site.args)
    handlers = unit.hears_calls.get(name)
    if handlers:
        event = Call(site.frame, site.node, name, receiver, site.args, site.keywords, result)
        for handler in handlers:
            handler(event)


def _tell_backward(site: Site, receiver: Value | None) -> None:
    """Tell the rules what a gradient is computed from: the argument of a trainer's method, else the receiver."""
    first = site.first
    if first is not None and first.kind in (v.LIST, v.TUPLE) and isinstance(first.items, list):
        first = next((i for i in first.items if i is not None and i.graph == v.ON), None)
    value = first if first is not None and (first.graph == v.ON or receiver is None) else receiver
    if value is not None:
        site.frame.unit.tell(BackPropagated, site.frame, site.node, value)


def _scaled(frame: Frame, node: ast.expr) -> Value | None:
    """The loss in ``scaler.scale(loss)``, for a scaler of which nothing is known."""
    if type(node) is ast.Call and type(node.func) is ast.Attribute and node.func.attr == "scale" and node.args:
        inner = node.args[0]
        return frame.lookup(inner.id) if type(inner) is ast.Name else None
    return None


def _call_library(site: Site, name: str) -> Value | None:
    """The result of a library function, by the catalogue first, then by what else is known of the library."""
    _name_out(site, name)
    catalogued = is_known(name) and name not in _FROM_FILES and not (name == "torch.Tensor" and _may_be_sizes(site))
    result = by_catalogue(site, name, None) if catalogued else None
    if result is not None and not name.startswith("torch"):
        result = described(site, result)
    if result is None:
        root = name.partition(".")[0]
        known = {"torch": torch_result, "numpy": numpy_result, "jax": jax_calls.jax_result}.get(root)
        result = known(site, name) if known is not None else None
        result = result if result is not None else other_result(site, name)
    if result is not None and name.startswith("torch"):
        result = required(site, name, result)
        if name in _OF_NUMBERS and site.first is not None and isinstance(site.first.items, list):
            result.traits |= number_traits(site.first.items, rounds=not site.dtype and "dtype" not in site.keywords)
    tell(site, name, None, result)
    return result


def _name_out(site: Site, name: str) -> None:
    """What NumPy writes into, given by position, as if it were given by name."""
    position = NUMPY_OUT.get(name.removeprefix("numpy.")) if name.startswith("numpy.") else None
    if position is not None and position < len(site.args):
        site.keywords["out"] = site.args[position]
        del site.args[position:]


def _may_be_sizes(site: Site) -> bool:
    """Whether arguments of the class itself may be a shape, of which it makes a tensor, instead of data."""
    return len(site.args) != 1 or site.first is None or site.first.kind == v.UNKNOWN


def _method(site: Site, base: Value | None, name: str) -> Value | None:
    """A method of a tensor, an array, or something unknown that may be either."""
    if base is None or base.kind == v.UNKNOWN:
        inferred = inferred_receiver(site, base, name)
        if inferred is None:
            return _method_of_unknown(site, base, name)
        base = inferred
    result = numeric_method(site, base, name)
    tell(site, f"{'torch.Tensor' if base.kind == v.TENSOR else 'numpy.ndarray'}.{name}", base, result)
    return result


# Methods of files and sockets that fill what they are handed.
_FILLING = frozenset(("readinto", "readinto1", "recv_into", "recvfrom_into"))


def _method_of_unknown(site: Site, base: Value | None, name: str) -> Value | None:
    result = None
    if name in _FILLING and site.first is not None and site.first.kind == v.ARRAY:
        site.frame.write(site.node, site.first, "out")
    if name == "timestamp" and not site.args:
        result = Value(v.FLOAT, site.node, traits=frozenset(("timestamp",)))
    elif name in ("parameters", "named_parameters"):
        result = parameters_of(site, base, name)
    elif name == "clone" and not site.args and not site.keywords:
        graph = v.UNSURE if site.frame.grad != "off" else v.OFF
        result = fresh(site.frame, site.node, v.TENSOR, graph=graph, traits=frozenset(("inferred",)))
    elif base is not None and (base.regions or "negative" in base.traits):
        result = maybe_shared(site, base, name)
    tell(site, f"?.{name}", base, result)
    return result

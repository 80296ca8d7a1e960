"""Calls of torch that the catalogue does not describe: computations, factories, modules, optimizers."""

from __future__ import annotations

import ast
from typing import Any

from . import dtypes
from . import values as v
from .distribution_calls import made as distribution
from .making import cut_from, fresh, graph_of, lost_term, shared
from .sites import Site
from .values import Region, Value
from .vocabulary import COMPUTED, COMPUTED_MANY, FACTORIES

_NAMESPACES = frozenset(("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft"))
_CONVERTERS = frozenset(["tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "Tensor", "frombuffer"])
_PARAMETERS = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter"))
_VARIABLES = frozenset(("torch.autograd.Variable", "torch.autograd.variable.Variable"))
_LOADERS = frozenset(("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"))
_HOOKED_NORMS = frozenset(("torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm"))
_NOT_MODULES = frozenset(("Parameter", "Buffer", "ParameterList", "ParameterDict"))
_CONTAINERS = frozenset(("Sequential", "ModuleList", "ModuleDict"))
# Parts of the names of library classes whose instances have parameters of their own.
_WITH_PARAMETERS = ("Linear", "Conv", "Embedding", "Norm", "LSTM", "GRU", "RNN", "Attention", "Transformer", "PReLU")
_SOMETIMES_TRAINED = ("InstanceNorm", "LocalResponseNorm", "AdaptiveLogSoftmax", "Upsampling")
# Factories whose positional arguments are sizes.
_SIZED = frozenset(("zeros", "ones", "empty", "rand", "randn"))
_SEVERAL_RESULTS = ("LSTM", "GRU", "RNN", "MultiheadAttention")
_OF_INTEGERS = frozenset(("randperm", "randint", "tril_indices", "triu_indices"))
_OF_THEIR_ARGUMENTS = frozenset(("arange", "full", "range"))


def torch_result(site: Site, name: str) -> Value | None:
    """The result of a call of torch, None if unknown."""
    root, _, last = name.rpartition(".")
    if root in _NAMESPACES:
        return _function(site, root, last)
    if name.startswith("torch.nn.") and last[:1].isupper() and last not in _NOT_MODULES:
        return _module(site, name, last)
    if name.startswith("torch.optim.") and last[:1].isupper() and ".lr_scheduler" not in name:
        region = Region("fresh", site.node)
        return Value(v.OPTIMIZER, site.node, ref=name, items=list(site.args), regions=(region,))
    if name in _LOADERS:
        size = site.keywords.get("batch_size")
        collates = "collate_fn" not in site.keywords and (size is None or size.kind != v.NOTHING)
        return Value(v.LOADER, site.node) if collates else None
    if name.startswith("torch.distributions.") and last[:1].isupper() and not last.endswith(("Transform", "Family")):
        return distribution(site)
    source = site.first
    if name in _VARIABLES and site.says("requires_grad", True) and (source is None or source.kind == v.UNKNOWN):
        return required(site, name, fresh(site.frame, site.node, v.TENSOR, graph=v.OFF))
    if name in _VARIABLES and source is not None and source.kind == v.TENSOR:
        cut = cut_from("torch.autograd.Variable", site.node, source)
        return required(
            site, name, shared(site.frame, site.node, source, "torch.autograd.Variable", graph=v.OFF, cut=cut)
        )
    if name in _HOOKED_NORMS and source is not None:
        return source.with_(traits=source.traits | {"hooked norm", name.rpartition(".")[2]}, node=site.node)
    return None


def required(site: Site, name: str, found: Value) -> Value:
    """What a constructor gives that was asked for gradients, as a Parameter always is."""
    parameter = name in _PARAMETERS
    if found.kind != v.TENSOR or not (parameter or "requires_grad" in site.keywords):
        return found
    graph = v.ON if parameter and "requires_grad" not in site.keywords else site.asked_graph
    traits = found.traits | ({"parameter"} if parameter else set()) | ({"leaf"} if graph == v.ON else set())
    return found.with_(graph=graph, traits=traits)


def _function(site: Site, root: str, last: str) -> Value | None:
    out = site.keywords.get("out")
    if out is not None and out.kind in (v.TENSOR, v.UNKNOWN) and (last in COMPUTED or last in FACTORIES):
        site.frame.write(site.node, out, "out")
        return out
    if last in FACTORIES or last.endswith("_like"):
        return _made(site, last)
    if last in COMPUTED_MANY:
        return _several(site, last) if root != "torch.nn.functional" else None
    if last in COMPUTED or root == "torch.nn.functional" or (root == "torch.fft" and last in dtypes.TRANSFORMS):
        return _computed(site, last)
    if last in _CONVERTERS:
        return _converted(site, last)
    if last.endswith("Tensor"):
        return fresh(site.frame, site.node, v.TENSOR, graph=v.OFF)
    return Value(v.DEVICE, site.node) if last == "device" else None


def _computed(site: Site, last: str) -> Value:
    operands = site.operands
    return fresh(
        site.frame,
        site.node,
        v.TENSOR,
        graph=v.OFF if dtypes.is_discrete(last) else graph_of(site.frame, *operands),
        dtype=dtypes.computed(last, operands),
        cut=lost_term(operands),
    )


def _several(site: Site, last: str) -> Value:
    if last in ("max", "min") and len(site.args) == 1 and not site.keywords:
        return fresh(site.frame, site.node, v.TENSOR, graph=graph_of(site.frame, *site.args))
    return Value(v.TUPLE, site.node, traits=frozenset(("tensors",)))


def _converted(site: Site, last: str) -> Value:
    """``torch.tensor(something unknown)``: a tensor; whose memory it is depends on the call."""
    source = site.first
    if last in ("tensor", "Tensor") or source is None or not source.regions:
        return fresh(site.frame, site.node, v.TENSOR, graph=site.asked_graph, dtype=site.dtype)
    return shared(site.frame, site.node, source, f"torch.{last}", kind=v.TENSOR, dtype=site.dtype)


def _made(site: Site, last: str) -> Value:
    graph = site.asked_graph
    traits = {"made"} | ({"leaf"} if graph == v.ON else set()) | ({"0-d"} if last == "scalar_tensor" else set())
    if last in _SIZED and any(type(a.const) is int and a.const > 1 for a in site.operands if a is not None):
        traits.add("vector")
    asked = site.keywords.get("dtype")
    dtype = dtypes.dtype_of(asked) if "dtype" in site.keywords else _default_dtype(site, last)
    return fresh(site.frame, site.node, v.TENSOR, graph=graph, dtype=dtype, traits=frozenset(traits))


def _default_dtype(site: Site, last: str) -> str:
    if last in _OF_INTEGERS:
        return "int64"
    if last.endswith("_like"):
        return site.first.dtype if site.first is not None else ""
    if last not in _OF_THEIR_ARGUMENTS:
        return "float32"
    given = [*site.args, *(site.keywords[k] for k in ("start", "end", "step", "fill_value") if k in site.keywords)]
    kinds = {a.kind if a is not None else "" for a in (given[-1:] if last == "full" else given)}
    if v.FLOAT in kinds or last == "range":
        return "float32"
    return "int64" if kinds <= {v.INT} else ""


def _module(site: Site, name: str, last: str) -> Value:
    items: Any = {}
    if last in _CONTAINERS:
        listed = len(site.args) == 1 and site.first is not None and site.first.kind in (v.LIST, v.TUPLE)
        items = site.first.items if listed and site.first is not None else list(site.args)
    region = Region("fresh", site.node)
    traits = frozenset(("trained",) if any(part in last for part in _WITH_PARAMETERS) else ())
    time = site.frame.unit.clock
    return Value(v.MODULE, site.node, ref=name, items=items, regions=(region,), time=time, traits=traits)


def library_module_result(site: Site, module: Value) -> Value | None:
    """What a module of torch gives when called."""
    name = str(module.ref or "")
    if not name.startswith("torch.nn.") or name.endswith(("ModuleList", "ModuleDict")):
        return None
    if any(part in name for part in _SEVERAL_RESULTS):
        return Value(v.TUPLE, site.node, traits=frozenset(("tensors",)))
    trained = has_parameters(module)
    if trained is False:
        return fresh(site.frame, site.node, v.TENSOR, graph=graph_of(site.frame, *site.args), cut=lost_term(site.args))
    graph = {"on": v.ON, "off": v.OFF}.get(site.frame.grad, v.UNSURE)
    return fresh(site.frame, site.node, v.TENSOR, graph=graph if trained else v.UNSURE)


def has_parameters(module: Value | None) -> bool | None:
    """Whether a module of torch has parameters that train; None if that can't be told."""
    if module is None or not isinstance(module.ref, str):
        return None
    if "frozen" in module.traits:
        return False
    name = module.ref.rpartition(".")[2]
    if name == "Sequential":
        inner = [has_parameters(i) for i in module.items] if isinstance(module.items, list) else [None]
        return True if True in inner else None if None in inner else False
    keywords = module.node.keywords if isinstance(module.node, ast.Call) else []
    if any(k.arg in ("affine", "elementwise_affine") for k in keywords) or name.startswith(_SOMETIMES_TRAINED):
        return None
    return any(part in name for part in _WITH_PARAMETERS)

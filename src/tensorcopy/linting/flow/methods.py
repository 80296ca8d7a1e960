"""Methods of tensors and arrays, and of values that may be either."""

from __future__ import annotations

import ast

from . import dtypes
from . import values as v
from .applying import after_write, applied, by_catalogue
from .effects import COPIES, effect_of, is_known
from .events import Reshaped
from .making import cut_from, fresh, graph_of
from .numpy_calls import array_traits
from .sites import Site
from .values import Region, Value
from .vocabulary import (
    ARRAY_METHODS,
    IN_PLACE_TWINS,
    METHODS,
    METHODS_BOOL,
    METHODS_INT,
    METHODS_MANY,
    ONLY_ARRAYS,
    ONLY_TENSORS,
)

# Methods with a trailing underscore that change the object, not the bytes.
_OBJECT_ONLY = frozenset(
    [
        "requires_grad_",
        "detach_",
        "share_memory_",
        "resize_",
        "squeeze_",
        "unsqueeze_",
        "t_",
        "transpose_",
        "rename_",
        "swapaxes_",
    ]
)
_RESHAPING = frozenset(("squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_", "resize_"))
_REDUCTIONS = frozenset(["sum", "mean", "max", "min", "std", "var", "prod", "item", "argmax", "argmin", "all", "any"])
_WITHOUT_RESULT = frozenset(("backward", "retain_grad", "register_hook"))
# Methods through which a term of a sum stays a term.
_LINEAR = frozenset(
    [
        "mean",
        "sum",
        "nanmean",
        "nansum",
        "neg",
        "negative",
        "add",
        "sub",
        "subtract",
        "mul",
        "multiply",
        "div",
        "divide",
        "true_divide",
    ]
)


def numeric_method(site: Site, base: Value, name: str) -> Value | None:
    """The result of a method of a tensor or an array."""
    found = _result(site, base, name)
    if found is not None and found.kind == v.TENSOR and name in _REDUCTIONS and not (site.args or site.keywords):
        return found.with_(traits=found.traits | {"0-d"})
    return found


def _result(site: Site, base: Value, name: str) -> Value | None:
    qualified = _catalogued(base, name)
    if is_known(qualified) and (found := by_catalogue(site, qualified, base)) is not None:
        return _refined(site, name, found, base)
    if base.kind == v.TENSOR and name.endswith("_") and not name.endswith("__"):
        return _in_place(site, base, name)
    if name == "setflags" and base.kind == v.ARRAY and site.says("write", False):
        base.traits |= {"readonly"}
    if name in METHODS_INT:
        sizes = name in ("size", "stride") and not site.args
        return Value(v.TUPLE if sizes else v.INT, site.node, traits=frozenset(("sizes",) if sizes else ()))
    if name in METHODS_BOOL:
        return Value(v.BOOL, site.node)
    if name in METHODS_MANY and (site.args or site.keywords or name not in ("max", "min", "median")):
        return Value(v.TUPLE, site.node, traits=frozenset(("tensors",)))
    return _array_method(site, base, name) if base.kind == v.ARRAY else _tensor_method(site, base, name)


def _catalogued(base: Value, name: str) -> str:
    if base.kind == v.TENSOR:
        return f"torch.Tensor.{name}"
    masked = f"numpy.ma.MaskedArray.{name}"
    return masked if "masked" in base.traits and is_known(masked) else f"numpy.ndarray.{name}"


def _tensor_method(site: Site, base: Value, name: str) -> Value | None:
    """A method that computes a new tensor; None for one that tensors do not have."""
    if name in _WITHOUT_RESULT:
        return Value(v.NOTHING, site.node)
    if name not in METHODS and name not in METHODS_MANY and (name != "unique" or site.keywords):
        return None
    others = [o for o in (*site.args, *site.keywords.values()) if o is None or o.kind in (v.TENSOR, v.UNKNOWN)]
    cut = base.cut
    if any(o is not None and o.graph == v.ON for o in others) or (base.graph == v.ON and name not in _LINEAR):
        cut = None
    return fresh(
        site.frame,
        site.node,
        v.TENSOR,
        graph=v.OFF if dtypes.is_discrete(name) else graph_of(site.frame, base, *others),
        dtype=dtypes.computed(name, [base]),
        cut=cut,
        traits=base.traits & {"inferred"},
    )


def _refined(site: Site, name: str, found: Value, base: Value) -> Value:
    """What an argument changes beyond the catalogue's entry."""
    asked = [*site.args, *site.keywords.values()] if name == "requires_grad_" else []
    if name == "requires_grad_" and not (asked and asked[0] is not None and asked[0].const is False):
        leaf = frozenset(("leaf",) if base.graph != v.ON else ())
        wanted = not asked or (asked[0] is not None and asked[0].const is True)
        required = found.with_(graph=v.ON if wanted else v.UNSURE, traits=found.traits | leaf)
        _rebound(site, base, required)
        return required
    if name == "tolist" and base.kind == v.ARRAY:
        traits = (frozenset(("of array",)) if "objects" not in base.traits else frozenset()) | (
            base.traits & {"structured"}
        )
        return Value(v.LIST, site.node, traits=traits, dtype=base.dtype, cut=found.cut)
    if name == "view" and base.kind == v.ARRAY and site.args:
        found.traits -= {"big-endian", "ml_dtypes", "structured"}
        found.dtype = site.numpy_dtype
    if name in ("filled", "compressed"):
        found.traits -= {"masked"}
    if name == "detach_":
        detached = base.with_(graph=v.OFF, cut=cut_from("detach_", site.node, base))
        _rebound(site, base, detached)
        return detached
    if name == "astype":
        found.dtype = site.numpy_dtype or found.dtype
        found.traits = found.traits - {"big-endian", "ml_dtypes", "objects", "text"} | array_traits(site.args)
    return found


def _rebound(site: Site, base: Value, changed: Value) -> None:
    """The name through which a method was called stands for what it made of its object."""
    receiver = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
    names = site.frame.state.names
    if isinstance(receiver, ast.Name) and names.get(receiver.id) is base:
        names[receiver.id] = changed


def _in_place(site: Site, base: Value, name: str) -> Value:
    """A trailing underscore: torch writes the receiver and returns it."""
    if name in _OBJECT_ONLY:
        if name in _RESHAPING:
            site.frame.unit.tell(Reshaped, site.frame, site.node, base, name)
        return base
    if "inferred" in base.traits and name.rstrip("_") not in IN_PLACE_TWINS:
        return base  # no tensor has it: whatever this is, its method is its own affair
    site.frame.write(site.node, base, "method", site.first)
    return after_write(site, base)


def _array_method(site: Site, base: Value, name: str) -> Value | None:
    if name in _REDUCTIONS and "axis" not in site.keywords and not site.args:
        return Value(v.FLOAT, site.node, cut=base.cut)
    if name in ARRAY_METHODS:
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, cut=base.cut)
    if name == "tobytes":
        return Value(v.BYTES, site.node, regions=(Region("fresh", site.node),), time=site.frame.unit.clock)
    if name == "filled":
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF, dtype=base.dtype)
    return None


def inferred_receiver(site: Site, base: Value | None, name: str) -> Value | None:
    """The receiver as a tensor or an array if only these have the method; None if others have it, too."""
    if name not in ONLY_TENSORS and name not in ONLY_ARRAYS:
        return None
    known = base if base is not None else Value(v.UNKNOWN, site.node)
    inferred = known.with_(kind=v.TENSOR if name in ONLY_TENSORS else v.ARRAY, traits=known.traits | {"inferred"})
    receiver = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
    if isinstance(receiver, ast.Name) and receiver.id in site.frame.state.names:
        site.frame.state.names[receiver.id] = inferred
    return inferred


def maybe_shared(site: Site, base: Value, name: str) -> Value | None:
    """A method of something unknown that shares memory whatever it is a method of; None if that can't be told."""
    facts = site.facts(base)
    candidates = [(v.TENSOR, f"torch.Tensor.{name}"), (v.ARRAY, f"numpy.ndarray.{name}")]
    effects = [effect_of(qualified, kind, facts) for kind, qualified in candidates if is_known(qualified)]
    known = [effect for effect in effects if effect is not None and not effect.writes]
    if not known or any(effect.memory == COPIES for effect in known):
        return None
    made = applied(site, known[0], base)
    if len(known) > 1:
        made.kind = v.UNKNOWN
    else:
        made.traits = made.traits | {"inferred"}
    return made

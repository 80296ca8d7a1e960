"""Where values leave the graph, and whether that cost a parameter its gradient.

A cut is a mistake only if the value that was cut off still reaches the loss (or the output of the module), and a
parameter behind it never gets a gradient. Values are followed by identity through every operation, and through NumPy
and Python numbers as a whole.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

from ..reports import Findings
from ..sites import Site, user_site
from ..watching import Known
from .leaves import Leaf, Leaves, call_by_name
from .stepping import Stepping
from .tensors import PLAIN

# Results that take shapes from their source, not values.
VALUELESS = frozenset(
    [
        *("zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"),
        *("new_zeros", "new_ones", "new_empty", "new_full"),
        *("backward", "size", "dim", "shape", "numel", "__len__", "is_leaf", "isnan", "isfinite"),
    ]
)
# Results that decide rather than compute: that they have no graph is as it should be, unless nothing else has.
_DECIDES = frozenset(
    [
        *("argmax", "argmin", "argsort", "eq", "ne", "lt", "gt", "le", "ge"),
        *("__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__", "greater", "less"),
    ]
)
LEAVES = frozenset(["item", "tolist", "numpy", "__array__", "__float__", "__int__"])
# Cuts that are asked for by name.
_EXPLICIT = frozenset(("detach", "detach_"))
_NAMED = _EXPLICIT | _DECIDES | LEAVES | {"data"}
_MOVES = frozenset(("to", "double", "float", "half", "cuda", "bfloat16", "cpu"))
_SUMS = frozenset(("add", "sub", "radd", "rsub", "iadd", "isub"))
_CASTS = frozenset(["to", "int", "long", "short", "char", "byte", "bool", "type", "type_as"])


# The graph holds a leaf once; the call that counts holds it, too.
_HELD_BY_THE_GRAPH = 2
_ADDS = frozenset(("add", "__add__", "__iadd__", "__radd__", "add_"))
_SCALES = frozenset(("div", "__truediv__", "mul", "__mul__"))
_WALKS = 16
_FEWEST_SUMS = 3
# Times that a cut is made at one place before what is behind it is taken as known.
_WALKED = 3
# How often, and over how many backward passes, a value stays aside of all losses before it is taken to do so for good.
_TIMES_ASIDE, _WALKS_ASIDE = 64, 8
Cuts = frozenset[tuple[Site, str]]
_NONE: Cuts = frozenset()


class Operation:
    """What the name of an operation says about the graph, looked up once for each."""

    __slots__ = ("adds", "leaves", "moves", "name", "scales", "sums", "valueless")

    def __init__(self, name: str) -> None:
        self.name, self.leaves, self.valueless = name, name in LEAVES, name in VALUELESS
        self.moves, self.sums = name in _MOVES, name.strip("_") in _SUMS
        self.adds, self.scales = name in _ADDS, name in _SCALES


class Cut:
    """One place where values lose the graph: what is behind it, and how far the values came."""

    __slots__ = ("how", "keeps_out", "named", "reached", "since", "site", "times", "upstream", "variant")

    def __init__(self, site: Site, how: str, keeps_out: bool, since: int, variant: str) -> None:
        self.site, self.how, self.keeps_out, self.since, self.variant = site, how, keeps_out, since, variant
        self.upstream: set[Leaf] = set()
        self.times, self.named = 0, False
        self.reached: Site | None = None

    def missing(self) -> set[Leaf]:
        """The leaves behind it that have never got a gradient."""
        return {leaf for leaf in self.upstream if leaf.is_missing()}


class Gradients:
    """The graph of one session: cuts, what carries cut values, and which leaves have got a gradient."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.cuts: dict[tuple[Site, str], Cut] = {}
        # Cuts that need not be followed any more, and the names of the operations that make them, by line.
        self.closed: set[tuple[Site, str]] = set()
        self.settled: dict[Site, dict[str, bool]] = {}
        self.carried: Known[Cuts] = Known()
        self.escaped: Cuts = _NONE
        self.leaves = Leaves()
        self.awaited: list[Leaf] | None = None
        self.sums: dict[Site, Sums] = {}
        self.propagated: Known[bool] = Known()
        self.casts: Known[tuple[Site, str]] = Known()
        self.stepping = Stepping(findings, self.leaves)
        self.walks = 0

    # --- following values ---------------------------------------------------------------------------------------------

    def operated(self, operation: Operation, args: tuple[Any, ...], result: Any) -> None:
        """An operation took *args* and gave *result*. Called for each: most leave at the first condition."""
        first = result[0] if type(result) is tuple and result else result
        on, cuts = self._inputs(args)
        if self.escaped and not cuts:
            cuts = self._returned(operation, args, on)
        if on and not operation.valueless and (operation.leaves or self._loses(first, on)):
            cuts = cuts | self._cut(operation.name, on, args)
        if cuts:
            if operation.leaves:
                self.escaped |= cuts - self.closed
            if type(first) in PLAIN:
                self.carried.put(first, cuts)
        follows = operation.moves or operation.scales or (operation.adds and self.propagated)
        if on and follows and type(first) in PLAIN and first.requires_grad:
            self._follow(operation, args, first)

    def _returned(self, operation: Operation, args: tuple[Any, ...], on: list[Any]) -> Cuts:
        """What left as Python numbers and comes back: into a new tensor, or as a term on the line where it left."""
        if operation.name == "tensor" and not on:
            return self.escaped
        if operation.sums and any(type(a) is float for a in args):
            site = user_site()
            return frozenset(key for key in self.escaped if key[0] is site)
        return _NONE

    def _inputs(self, args: tuple[Any, ...]) -> tuple[list[Any], Cuts]:
        on: list[Any] = []
        cuts, carried = _NONE, self.carried
        for argument in args:
            kind = type(argument)
            if kind is list or kind is tuple:
                within, more = self._inputs(argument[:16])
                on, cuts = on + within, cuts | more
            elif kind in PLAIN:
                if argument.requires_grad:
                    on.append(argument)
                if carried and (known := carried.get(id(argument))) is not None and known[0]() is argument:
                    cuts = cuts | known[1] if cuts else known[1]
        return on, cuts

    def _loses(self, result: Any, on: list[Any]) -> bool:
        return type(result) in PLAIN and not result.requires_grad and result is not on[0]

    def _cut(self, name: str, on: list[Any], args: tuple[Any, ...]) -> Cuts:
        """The cut that an operation makes here; none if it is known to cost no leaf its gradient."""
        how = name if torch.is_grad_enabled() or name in _NAMED else "no_grad"
        site = user_site()
        key = (site, how)
        cut = self.cuts.get(key)
        if cut is None:
            keeps_out = how in _EXPLICIT or how in _DECIDES or how == "no_grad"
            variant = "list" if type(args[0]) in (list, tuple) else ""
            cut = self.cuts[key] = Cut(site, how, keeps_out, self.walks, variant)
        cut.times += 1
        if cut.times <= _WALKED:
            for value in on:
                cut.upstream |= self._upstream(value)
        elif key in self.closed or self._is_settled(cut):
            self.closed.add(key)
            self.settled.setdefault(site, {})[name] = True
            return _NONE
        return frozenset((key,))

    def _is_settled(self, cut: Cut) -> bool:
        """Whether following a cut on would tell nothing new: it is decided, or it never comes near a loss."""
        if cut.times & (cut.times - 1):
            return False  # Asked now and then, at the powers of two.
        missing = cut.missing()
        if not missing or cut.reached is not None:
            return True
        if cut.keeps_out and self.leaves.any_optimized and not _are_optimized(missing):
            return True
        return cut.times >= _TIMES_ASIDE and self.walks - cut.since >= _WALKS_ASIDE

    def came_back(self, tensor: Any) -> None:
        """A tensor was made of an array: what had left through NumPy may be in it.

        A new leaf of it that asks for gradients takes the place of the value that lost them.
        """
        if self.escaped:
            self.carried.put(tensor, self.escaped)
            if tensor.requires_grad:
                for key in self.escaped:
                    self.cuts[key].keeps_out = False

    def _upstream(self, tensor: Any) -> set[Leaf]:
        """The leaves that a tensor depends on."""
        if tensor.grad_fn is None:
            return {self.leaves.of(tensor)}
        found: set[Leaf] = set()
        pending, seen = [tensor.grad_fn], {tensor.grad_fn}
        while pending and len(seen) < 20_000:
            node = pending.pop()
            if hasattr(node, "variable"):
                found.add(self.leaves.of(node.variable))
            for below, _ in node.next_functions:
                if below is not None and below not in seen:
                    seen.add(below)
                    pending.append(below)
        return found

    # --- special operations -------------------------------------------------------------------------------------------

    def _follow(self, operation: Operation, args: tuple[Any, ...], result: Any) -> None:
        """Casts of leaves, whose results are no leaves, and sums over losses that have been used up."""
        source = args[0] if args else None
        if operation.moves and isinstance(source, torch.Tensor) and result is not source and _is_plain_leaf(source):
            self.casts.put(result, (user_site(), f"{operation.name}()"))
        elif operation.scales and type(source) is torch.Tensor and _is_plain_leaf(source):
            self.casts.put(result, (user_site(), "the multiplication" if "mul" in operation.name else "the division"))
        if (operation.adds or operation.scales) and any(type(a) in PLAIN and self.propagated.of(a) for a in args):
            self.propagated.put(result, True)
            if operation.adds and len(args) > 1:
                self.sums.setdefault(user_site(), Sums()).add(args, result, self.walks)

    def grad_read(self, tensor: Any) -> None:
        """``tensor.grad`` of something that is no leaf is never filled."""
        if tensor.is_leaf or tensor.retains_grad:
            return
        cast = self.casts.of(tensor)
        if cast is None and self.walks:
            self.findings.add(
                "grad-of-non-leaf",
                user_site(),
                "this tensor is no leaf: backward() has left its .grad None; call retain_grad() on it before "
                "backward(), or read .grad of the leaf that it is computed from",
                variant="read",
            )
        if cast is None or (not cast[1].endswith("()") and not self._is_of_unnamed(tensor)):
            return
        self.findings.add(
            "grad-of-non-leaf",
            cast[0],
            f"{cast[1]} of a leaf gives a new tensor that is no leaf: its .grad stays None, the gradient goes to the "
            f"unnamed leaf behind it; make the tensor as it shall be, then call requires_grad_()",
            ((user_site(), ".grad is read here, and is None"),),
        )

    def _is_of_unnamed(self, tensor: Any) -> bool:
        """Whether nobody but the graph holds the leaf that this was computed from."""
        leaves = list(self._upstream(tensor))
        return len(leaves) == 1 and sys.getrefcount(leaves[0].reference()) <= _HELD_BY_THE_GRAPH

    # --- gradients arrive ---------------------------------------------------------------------------------------------

    def back_propagating(self, loss: Any, site: Site) -> None:
        """``loss.backward()`` is about to run."""
        carried = self.carried.of(loss) or _NONE
        for key in carried:
            self.cuts[key].reached = site
        if not loss.requires_grad:
            self._without_graph(carried, site)
        elif self._is_worth_walking():
            self.leaves.reach(self._upstream(loss))
        self.propagated.put(loss, True)

    def _is_worth_walking(self) -> bool:
        """A training loop goes back over the same graph: the whole of it is walked a few times, then now and then."""
        self.walks += 1
        return self.walks <= _WALKS or self.walks % _WALKS == 0

    def _without_graph(self, carried: Cuts, site: Site) -> None:
        for key in carried:
            cut = self.cuts[key]
            self.findings.add(
                "gradient-cut",
                cut.site,
                f"{_operation(cut)} takes the value off the graph, and the loss made of it has none: backward() "
                f"raises; stay on the graph, for example with torch.stack for a list of tensors",
                ((site, "backward() fails here"),),
                variant=cut.variant,
            )

    def back_propagated(self) -> None:
        """backward() has run."""
        self.escaped = _NONE

    def stepped(self, optimizer: Any, parameters: list[Any]) -> None:
        """*optimizer* is about to make a step over *parameters*."""
        self.awaited = None
        self.stepping.stepped(optimizer, parameters, self.leaves.stepped(parameters))
        for cut in self.cuts.values():
            if not cut.named and (cut.reached is not None or cut.how in LEAVES) and (missing := cut.missing()):
                cut.named = True
                call_by_name(missing)

    def stepped_unfollowed(self) -> None:
        """An optimizer is about to step, and what came before was not followed: gradients may have come late."""
        if self.awaited is None:
            self.awaited = list({leaf for cut in self.cuts.values() for leaf in cut.missing()})
        self.leaves.arrived(self.awaited)

    def module_returned(self, module: Any, output: Any) -> None:
        """A module of the program returned *output*, maybe off the graph although its parameters are on it."""
        if type(output) not in PLAIN or output.requires_grad or not torch.is_grad_enabled():
            return
        carried = self.carried.of(output)
        if carried is None:
            return
        site = user_site()
        own = {id(p) for p in module.parameters() if p.requires_grad}
        for key in carried:
            cut = self.cuts[key]
            if not cut.keeps_out and any(id(leaf.tensor) in own for leaf in cut.upstream):
                self.findings.add(
                    "gradient-cut",
                    cut.site,
                    f"{_operation(cut)} takes the value off the graph, and {type(module).__name__} returns what is "
                    f"computed from it: no gradient reaches its parameters; stay on the graph",
                    ((site, f"{type(module).__name__} is called here, and its output has no graph"),),
                )

    def asked(self, tensor: Any) -> None:
        """The program looks at ``requires_grad`` and finds False on a value that came from the graph."""
        carried = None if tensor.requires_grad else self.carried.of(tensor)
        for key in carried or _NONE:
            cut = self.cuts[key]
            if cut.how in _CASTS or cut.how == "tensor":
                cut.reached = cut.reached or user_site()

    # --- at the end ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Which leaves never got a gradient, and which cut it was that cost them."""
        self.stepping.finish()
        self._check_sums()
        for cut in self.cuts.values():
            if cut.keeps_out and not self._is_whole_module(cut):
                continue
            missing = cut.missing()
            if not missing:
                continue
            if cut.reached is not None:
                self._report_cut(cut, missing, "gradient-cut", cut.reached)
            elif cut.how in LEAVES and self.leaves.any_reached and self._may_be_trained(missing):
                self._report_cut(cut, missing, "gradient-may-be-cut", None)

    def _may_be_trained(self, missing: set[Leaf]) -> bool:
        return not self.leaves.any_optimized or _are_optimized(missing)

    def _is_whole_module(self, cut: Cut) -> bool:
        """An explicit cut is a mistake only where it keeps an optimized parameter from ever being trained."""
        missing = cut.missing()
        return bool(missing) and _are_optimized(missing) and cut.reached is not None

    def _report_cut(self, cut: Cut, missing: set[Leaf], kind: str, site: Site | None) -> None:
        call_by_name(missing)
        names = _listed(sorted(leaf.name for leaf in missing))
        end = f"although its value reaches the loss, {names} never get{'s' if ',' not in names else ''} a gradient"
        self.findings.add(
            kind,
            cut.site,
            f"{_operation(cut)} takes the value off the graph: {end}; stay on the graph",
            ((site, "the value arrives here"),) if site is not None else (),
            names=names.split(", "),
            variant=cut.variant,
        )
        if kind == "gradient-cut":
            # Its advice, a detached copy, would keep the cut.
            self.findings.discard("tensor-of-tensor", cut.site)

    def _check_sums(self) -> None:
        for site, sums in self.sums.items():
            if sums.are_kept():
                self.findings.add(
                    "graph-kept",
                    site,
                    f"{sums.times} losses were added up with their graphs after backward(), and the sum is never "
                    f"back-propagated: memory grows with each turn; add loss.detach()",
                )


class Sums:
    """What one line adds up of losses that have been back-propagated."""

    __slots__ = ("_at", "_linked", "_results", "times")

    def __init__(self) -> None:
        self._results: list[Any] = []
        self._at = self._linked = self.times = 0

    def add(self, args: tuple[Any, ...], result: Any, walks: int) -> None:
        """A sum was made, after so many backward passes."""
        last = self._results[-1]() if self._results else None
        if last is not None and walks > self._at and any(a is last for a in args):
            self._linked += 1
        self._results = [*self._results[-1:], weakref.ref(result)]
        self._at, self.times = walks, self.times + 1

    def are_kept(self) -> bool:
        """Whether a sum grew over the turns of a loop: it is there at the end, or each was added to the one before."""
        alive = [r for reference in self._results if (r := reference()) is not None]
        return self.times >= _FEWEST_SUMS and (
            self._linked >= _FEWEST_SUMS - 1 or bool(alive and alive[-1].requires_grad)
        )


def _is_plain_leaf(tensor: Any) -> bool:
    """Whether it is a leaf that asks for a gradient, and nobody has asked to be told of it."""
    return bool(tensor.is_leaf and tensor.requires_grad and tensor._backward_hooks is None)


def _operation(cut: Cut) -> str:
    return {"data": ".data", "no_grad": "no_grad()", "tensor": "torch.tensor()"}.get(cut.how, f"{cut.how}()")


def _are_optimized(leaves: set[Leaf]) -> bool:
    return all(leaf.optimized for leaf in leaves)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")

"""Something kept for later changes with the memory that it shares."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import KeptChanged, Stale, on
from ..flow.values import Value
from ..model import Level, Rule
from ._reading import written_name

RULE = Rule(
    code="TCY101",
    name="changing-snapshot",
    level=Level.ERROR,
    summary="what was kept shares memory that is written afterwards, so that it changes",
)


@on("KeptChanged")
def kept_in_a_loop(event: KeptChanged) -> None:
    """Each turn keeps the same memory and the next turn writes it: all that was kept ends up equal."""
    kept = event.kept
    if not (event.carried or _accumulated(event)) or kept.how not in ("append", "yield", "item"):
        return
    if not event.certain or event.write.how == "call" or _through_the_container(event):
        return
    if kept.how == "item" and (kept.value.step is None or kept.value.step.name in ("=", "[...]")):
        return
    what = "yielded" if kept.how == "yield" else "kept"
    when = "a later turn of the loop writes" if event.carried else "a later line writes"
    event.report(
        RULE,
        kept.node,
        f"what is {what} here {_shares(kept.value)}; {when} that memory in place, "
        f"so everything {what} so far changes with it: keep a copy",
        related=((event.write.node, "the memory is written here"),),
    )


def _through_the_container(event: KeptChanged) -> bool:
    """``rows.append(zeros); rows[-1][0] = 1``: what is kept is meant to be filled where it is."""
    node = event.kept.node
    holder = node.func if isinstance(node, ast.Call) else node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(holder, (ast.Attribute, ast.Subscript)) and written_name(event.write.node) == written_name(holder)


def _accumulated(event: KeptChanged) -> bool:
    """``losses.append(loss); loss += penalty``: the name goes on as a value of its own. Filling by index is meant."""
    kept, write = event.kept, event.write
    whole = write.how == "augmented" and isinstance(write.node, ast.AugAssign) and isinstance(write.node.target, ast.Name)
    return whole and kept.how == "append" and kept.value.kind == v.TENSOR and not kept.value.is_part


def _shares(value: Value) -> str:
    return f"shares its memory with the source ({value.step.name})" if value.step is not None else "is the object itself"


_SNAPSHOT_STEPS = frozenset(("torch.Tensor.detach", "torch.Tensor.numpy", "copy.copy(tensor)", "copy.copy(ndarray)", "numpy.asarray(tensor)"))


@on("Stale")
def read_after_the_write(event: Stale) -> None:
    """A copy that is none was taken, its source written, and the copy read."""
    step = event.value.step
    if event.relation != "snapshot" or step is None or not event.certain:
        return
    if not step.name.startswith("copy.copy") and not (event.inside and step.name in _SNAPSHOT_STEPS):
        return
    event.report(
        RULE,
        step.node,
        f"{step.name} shares memory, and its source is written afterwards: what was kept here changes with it; keep a copy",
        related=((event.write.node, "the memory is written here"), (event.node, "and read here")),
    )

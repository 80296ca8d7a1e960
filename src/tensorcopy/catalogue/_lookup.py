"""Find operations by what people type: a name, a call, a method with any receiver in front, or only its last word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .model import Operation

Level = Mapping[str, tuple[Operation, ...]]

_SHORT = {
    "np.": "numpy.",
    "nn.": "torch.nn.",
    "ndarray.": "numpy.ndarray.",
    "tensor.": "torch.Tensor.",
    "Tensor.": "torch.Tensor.",
    "Module.": "torch.nn.Module.",
}
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.]*(\[.*\])?(\*\*|//|[-+*/%@&|^])?=(?!=).+")
_IN_PLACE = {"__iadd__": "+", "__isub__": "-", "__imul__": "*", "__itruediv__": "/", "__ifloordiv__": "//"}
_IN_PLACE |= {"__imod__": "%", "__ipow__": "**", "__imatmul__": "@", "__iand__": "&", "__ior__": "|", "__ixor__": "^"}
_ARGUMENTS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def indexed(operations: Iterable[Operation]) -> tuple[Level, ...]:
    """One mapping from text to entries for each way of reading, from exact to loose."""
    levels: list[dict[str, tuple[Operation, ...]]] = [{}, {}, {}, {}]
    for operation in operations:
        for level, texts in zip(levels, _spellings(operation), strict=True):
            for text in texts:
                level[text] = (*level.get(text, ()), operation)
    return tuple(levels)


def looked_up(text: str, levels: tuple[Level, ...]) -> tuple[Operation, ...]:
    """The entries that the closest reading of *text* gives, in catalogue order; empty if no reading gives any."""
    for reading in _readings(text):
        for level in levels[:-1]:
            if reading in level:
                return level[reading]
    return levels[-1].get(_squeezed(without_arguments(_plain(text))), ())


def without_arguments(text: str) -> str:
    """``x.to(a, b).cpu()`` as ``x.to.cpu``: every bracket and what is in it is dropped, inner ones first."""
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    return text


def _spellings(operation: Operation) -> tuple[set[str], ...]:
    """What means *operation*: its name and calls, its names bare, its last words, and these without case and lines."""
    names = {operation.name, *operation.call.names}
    calls = {_plain(example) for example in operation.examples}
    words = [step.rsplit(".", 1)[-1] for step in operation.call.steps]
    bare = {b for b in map(without_arguments, names | calls) if all(word in b for word in words)}
    tails = {name.rsplit(".", 1)[-1] for name in operation.call.names} | {_receiver_off(t) for t in calls | bare}
    calls |= {f"x{_IN_PLACE[word]}=" for word in tails & _IN_PLACE.keys()}
    calls |= {"x[]="} if "__setitem__" in tails else set()
    return {operation.name} | calls, names | bare, tails, {_squeezed(t) for t in names | bare | tails}


def _readings(text: str) -> list[str]:
    """*text* as typed, with short names in full, with ``x`` as receiver, without arguments, without receiver.

    An assignment that writes into memory, like ``w[0] = 1`` or ``w += 1``, as its target and its sign; any other as
    what is assigned.
    """
    plain = _plain(text)
    assigned = _ASSIGNMENT.fullmatch(plain)
    if assigned is not None:
        index, operator = assigned.groups()
        if operator or index:
            return [text.strip(), plain, f"x{operator}=" if operator else "x[]="]
        plain = plain.partition("=")[2]
    full = next((plain.replace(k, v, 1) for k, v in _SHORT.items() if plain.startswith(k)), plain)
    of_x = re.sub(r"^[A-Za-z_]\w*(?=[.\[])", "x", plain)
    bare = without_arguments(plain)
    found = [text.strip(), plain, full, of_x, bare, without_arguments(full), without_arguments(of_x)]
    return list(dict.fromkeys([*found, _receiver_off(plain), _receiver_off(bare)]))


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text).rstrip(";")


def _squeezed(text: str) -> str:
    return text.replace("_", "").lower()


def _receiver_off(text: str) -> str:
    return re.sub(r"^[A-Za-z_]\w*\.(?=[A-Za-z_])", "", text)

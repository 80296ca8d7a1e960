"""Find operations by what people type: a name, a call, a method with any receiver in front, or only its last word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .model import Operation

_SHORT = {
    "np.": "numpy.",
    "nn.": "torch.nn.",
    "ndarray.": "numpy.ndarray.",
    "tensor.": "torch.Tensor.",
    "Tensor.": "torch.Tensor.",
}
_ARGUMENTS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def spellings(operation: Operation) -> list[set[str]]:
    """All texts that mean *operation*, from exact to loose: its name, its calls, its names bare, its last words."""
    call = operation.call
    names = {operation.name, *call.names}
    calls = {_plain(e) for e in operation.examples}
    bare = {without_arguments(n) for n in names} | {without_arguments(e) for e in calls}
    tails = {_last_word(n) for n in call.names} | {_receiver_off(c) for c in calls} | {_receiver_off(b) for b in bare}
    return [{operation.name}, calls, names | bare, tails]


def ranked(text: str, operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The operations that *text* may mean, the closest reading only, in catalogue order."""
    known = [(op, spellings(op)) for op in operations]
    for wanted in readings(text):
        for level in range(4):
            found = tuple(op for op, texts in known if wanted in texts[level])
            if found:
                return found
    return ()


def readings(text: str) -> list[str]:
    """*text* as typed, with short names of libraries written out, without arguments, without a receiver."""
    plain = _plain(text)
    full = next((plain.replace(k, v, 1) for k, v in _SHORT.items() if plain.startswith(k)), plain)
    loose = [text.strip(), plain, full, without_arguments(plain), without_arguments(full)]
    loose += [_receiver_off(plain), _receiver_off(without_arguments(plain))]
    return list(dict.fromkeys(r for r in loose if r))


def without_arguments(text: str) -> str:
    """``x.to(a, b).cpu()`` as ``x.to.cpu``: every bracket and what is in it is dropped, inner ones first."""
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    return text


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text).rstrip(";")


def _receiver_off(text: str) -> str:
    return re.sub(r"^[A-Za-z_]\w*\.(?=[A-Za-z_])", "", text)


def _last_word(name: str) -> str:
    return name.rsplit(".", 1)[-1]

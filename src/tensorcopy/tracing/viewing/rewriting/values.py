"""Lines that convert values into a dtype that holds them."""

from __future__ import annotations

from collections.abc import Sequence

from .statements import Edit, Rewrite, Statement, called


def _argument(new: str, *names: str) -> Rewrite:
    """The first argument of a conversion in another form, in which ``{x}`` is that argument."""

    def rewrite(s: Statement) -> Sequence[Edit]:
        for call in s.calls(*names):
            if call.args:
                return [(call.args[0], new.format(x=s.atom(call.args[0]), np=s.module("numpy", "np")))]
        return []

    return rewrite


def _in_float32(s: Statement) -> Sequence[Edit]:
    for call in s.calls("tensor", "as_tensor", "from_numpy", "asarray"):
        if called(call) == "tensor" and not any(k.arg == "dtype" for k in call.keywords):
            return [(call, f"{s.text(call).removesuffix(')')}, dtype={s.module('torch')}.float32)")]
        return [(call, f"{s.text(call)}.float()")]
    return []


def _whole_numbers(s: Statement) -> Sequence[Edit]:
    torch = s.module("torch")
    calls = s.calls("Tensor", "FloatTensor")
    return [(c, f"{torch}.tensor({s.first_argument(c)}, dtype={torch}.int64)") for c in calls if c.args][:1]


def _detached_copy(s: Statement) -> Sequence[Edit]:
    """A copy off the graph; a new leaf where one was asked for."""
    for call in s.calls("tensor"):
        if call.args:
            asks = any(k.arg == "requires_grad" and s.text(k.value) == "True" for k in call.keywords)
            return [(call, f"{s.atom(call.args[0])}.detach().clone(){'.requires_grad_()' if asks else ''}")]
    return []


REWRITES: dict[str, Rewrite] = {
    "masked-values-dropped": _argument("{x}.filled(0)", "tensor", "as_tensor", "from_numpy", "asarray"),
    "values-not-in-dtype": _argument("{np}.nan_to_num({x})", "tensor", "as_tensor", "asarray"),
    "float64-leak": _in_float32,
    "integers-through-float32": _whole_numbers,
    "tensor-of-tensor": _detached_copy,
}

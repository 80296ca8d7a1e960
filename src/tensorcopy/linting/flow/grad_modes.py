"""The grad mode that a context manager or a call sets."""

from __future__ import annotations

import ast


def grad_mode(node: ast.expr, current: str) -> str:
    """The grad mode inside ``with node:``."""
    call = node if isinstance(node, ast.Call) else None
    func = call.func if call is not None else node
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if name in ("no_grad", "inference_mode"):
        return "off"
    if name == "enable_grad":
        return "on"
    if name == "set_grad_enabled" and call is not None:
        argument = call.args[0] if call.args else None
        if isinstance(argument, ast.Constant):
            return "on" if argument.value else "off"
        return "unsure"
    return "unsure" if "grad" in name or "inference" in name else current

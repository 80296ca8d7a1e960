"""Wrong values that several calls lead to, each as code that shows it."""

from __future__ import annotations

from .model import Wrong

_UNSEEN = "autograd does not count writes made through it, so the backward pass uses the changed values"


def unseen_write(alias: str) -> Wrong:
    """A write through *alias* of a value that exp saved for its backward pass."""
    return Wrong(
        code=f"a = torch.ones(1, requires_grad=True); b = a.exp()\n{alias}\nb.sum().backward(); a.grad.item() > 2.7",
        gives="False",
        wanted="True",
        why=_UNSEEN,
    )

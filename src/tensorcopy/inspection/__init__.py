"""Look at live objects: what they are in memory and in the graph, how two of them relate, and who writes them."""

from __future__ import annotations

from .inspecting import inspect as inspect
from .protecting import protect as protect
from .relating import Relation as Relation
from .relating import relation as relation

__all__ = ["inspect", "relation", "protect", "Relation"]

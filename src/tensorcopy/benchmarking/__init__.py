"""Compare all ways to do one thing with one object: measured on it, ranked by what is wanted, one recommended."""

from __future__ import annotations

from .comparing import compare as compare
from .comparison import Comparison as Comparison

__all__ = ["Comparison", "compare"]

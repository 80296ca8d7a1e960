"""The release that this source tree is: the only place that says it."""

from __future__ import annotations

__version__ = "0.1.0"

"""The guide in ``docs/guide``, made from the catalogue: ``python -m guide`` writes it, a test says when it is stale."""

from __future__ import annotations

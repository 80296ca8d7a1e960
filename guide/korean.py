"""The texts of the guide's main page in Korean, by their English ones; they stand in ``korean.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast


def say(text: str) -> str:
    """*text* in Korean. What is not there is a `KeyError`: a page in two languages is worse than none."""
    return texts()[text]


@cache
def texts() -> Mapping[str, str]:
    """All of them."""
    return cast("Mapping[str, str]", json.loads(Path(__file__).with_name("korean.json").read_text("utf-8")))

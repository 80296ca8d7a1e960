from collections.abc import Callable
from types import FrameType
from typing import Any

def listen(
    kinds: tuple[type, ...], is_library: Callable[[str], bool], heard: Callable[[FrameType, Any], None], events: int
) -> object: ...

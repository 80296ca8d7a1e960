from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

S = TypeVar("S")

def user_site(
    library: dict[str, bool],
    sites: dict[int, dict[int, S]],
    is_library: Callable[[str], bool],
    site_of: Callable[[FrameType], S],
    nowhere: S,
    /,
) -> S: ...
def listen(
    kinds: tuple[type, ...],
    is_library: Callable[[str], bool],
    heard: Callable[[FrameType, Any], None],
    events: int,
) -> object: ...

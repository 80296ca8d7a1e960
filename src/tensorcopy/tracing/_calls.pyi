from collections.abc import Callable
from typing import Any

class Calls:
    def __init__(
        self,
        *,
        mode: object,
        plain: tuple[type, type],
        followers: dict[Any, Any],
        learn: Callable[[Any], Any],
        attention: object,
        library: dict[str, bool],
        user_site: Callable[[], object],
        tables: object,
    ) -> None: ...
    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None, /) -> Any: ...
    def interest(self, traits: int, name: str, args: tuple[Any, ...], result: Any, /) -> int: ...

"""The verb `plan`: the route that a call would take, as a value, before it is taken."""

from __future__ import annotations

from typing import Any

from .converting import plan_to
from .copying import plan_copy
from .plan import Plan


def plan(obj: Any, to: str | None = None, **arguments: Any) -> Plan:
    """The `Plan` that a call with these arguments would follow; moves no data, changes nothing.

    Args:
        obj: The source.
        to: None plans ``copy(obj, **arguments)``. A library name plans ``convert(obj, to, **arguments)``, and with
            ``copy=False`` what `share` would do.
        **arguments: Those of the planned call.

    Raises what the call itself would raise for its arguments and its memory. Values are not looked at, so a value that
    the result could not hold is found only by the call.

    Example:
        >>> import numpy, tensorcopy as tc
        >>> tc.plan(numpy.zeros(3), to="torch").shares
        True
    """
    return plan_copy(obj, **arguments) if to is None else plan_to(obj, to, **arguments)

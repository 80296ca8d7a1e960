"""How a command ends that is neither done nor failed."""

from __future__ import annotations


class ProgramInterruptedError(BaseException):
    """Ctrl-C has ended the program that was run, so that this process shall end by it as the program would."""

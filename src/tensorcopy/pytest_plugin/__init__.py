"""A plugin for pytest: what tests copy, alias and cut, and marks that hold them to it.

pytest finds it by its entry point. It loads neither torch nor NumPy, and does nothing, unless ``--tensorcopy`` is given
or a test carries one of the marks ``max_copied``, ``no_aliasing`` and ``no_graph_cut``. PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

from collections.abc import Generator
from importlib.util import find_spec

import pytest

MARKS = {
    "max_copied": 'max_copied(size): fail the test if it copies more than size, like "24 MB", or a number of bytes.',
    "no_aliasing": "no_aliasing: fail the test if it writes memory that something else takes for its own.",
    "no_graph_cut": "no_graph_cut: fail the test if a value loses its graph and a parameter its gradient by that.",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer ``--tensorcopy``."""
    group = parser.getgroup("tensorcopy", "copies, alias hazards and lost gradients")
    group.addoption(
        "--tensorcopy",
        action="store_true",
        help="trace every test, and tell at the end what to fix first and which tests copy most",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known."""
    for text in MARKS.values():
        config.addinivalue_line("markers", text)
    if config.getoption("--tensorcopy") and find_spec("torch") is None:
        raise pytest.UsageError("--tensorcopy needs torch, which is not installed: pip install 'tensorcopy[torch]'")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the call of a test that asks for it; its fixtures are set up and torn down outside of this."""
    marked = any(mark.name in MARKS for mark in item.iter_markers())
    if not marked and not item.config.getoption("--tensorcopy"):
        return (yield)
    from .watching import watched

    return (yield from watched(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what was seen along with the report of the call, from a process of pytest-xdist too."""
    report = yield
    if call.when == "call" and item.config.getoption("--tensorcopy"):
        from .watching import SEEN

        seen = item.stash.get(SEEN, None)
        if seen is not None:
            report.tensorcopy = seen  # type: ignore[attr-defined]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what to fix first, and what the tests copied."""
    if terminalreporter.config.getoption("--tensorcopy"):
        from .summary import tell

        tell(terminalreporter)

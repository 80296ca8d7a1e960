"""``tensorcopy check``: mistakes in copying, sharing and converting, found by reading. Runs nothing that it reads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ...reporting.escaping import visible

if TYPE_CHECKING:
    from ...linting.analysis import Analysis
    from ...linting.outcome import Outcome
    from ...linting.request import Session
    from ...linting.writing_back import Change

NAME = "check"
SUMMARY = "mistakes in copying, sharing and converting, found by reading code"
EXAMPLES = (
    "tensorcopy check src",
    "tensorcopy check --fix --diff src",
    "tensorcopy check --select ALL --statistics .",
)
EXIT_CODES = "0 clean, 1 findings, 2 wrong usage or an error"
FORMATS = ("concise", "github", "gitlab", "junit", "sarif")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to check, what to report of it, and what to do about it."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and folders; - is the standard input")
    parser.add_argument("--list-rules", action="store_true", help="all rules; tensorcopy explain CODE tells about one")
    parser.add_argument("--exit-zero", action="store_true", help="exit code 0 whatever is found")
    parser.add_argument("--statistics", action="store_true", help="how many findings of each rule, and nothing else")
    _add_selection(parser)
    _add_fixes(parser)
    _add_reading(parser)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("rules", "Named by code, start of a code, name, or ALL; several with commas.")
    _add_list(group, "--select", "RULES", "report these; all but notes if not given")
    _add_list(group, "--extend-select", "RULES", "report these as well")
    _add_list(group, "--ignore", "RULES", "do not report these")
    _add_list(group, "--per-file-ignores", "PATTERN:RULES", "do not report these in files like that")
    group.add_argument("--baseline", metavar="FILE", help="do not report the findings that are in there")
    group.add_argument("--write-baseline", metavar="FILE", help="write the findings there, for --baseline")


def _add_fixes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("fixes")
    group.add_argument("--fix", action="store_true", help="mend what can be mended safely")
    group.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff, also fixes that may surprise")
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and change nothing")
    group.add_argument("--add-noqa", action="store_true", help="add comments that silence what is found")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    _add_list(group, "--exclude", "PATTERNS", "leave these out instead of the usual ones")
    _add_list(group, "--extend-exclude", "PATTERNS", "leave these out as well")
    group.add_argument(
        "--respect-gitignore",
        action=argparse.BooleanOptionalAction,
        help="whether to leave out what git ignores, which is so if not given",
    )
    group.add_argument("--force-exclude", action="store_true", help="leave out even what is named")
    group.add_argument("--stdin-filename", metavar="FILE", help="what the standard input is called")
    group.add_argument("--config", metavar="FILE", help="settings, instead of those of the nearest pyproject.toml")
    group.add_argument("--isolated", action="store_true", help="no settings but these arguments")
    group.add_argument("-j", "--jobs", metavar="N", default="auto", help="processes; auto chooses by cores and work")
    group.add_argument("--no-cache", action="store_true", help="check everything anew, and keep nothing")
    group.add_argument("--cache-dir", metavar="FOLDER", help="where to keep what was found")


def _add_list(group: argparse._ArgumentGroup, name: str, metavar: str, text: str) -> None:
    group.add_argument(name, metavar=metavar, action="append", help=text)


def run(args: argparse.Namespace) -> int:
    """Check, do what is asked for about what is found, and show what is left.

    Raises:
        BadArgumentError: the arguments or the settings make no sense.
    """
    from ...linting.analysis import shipped
    from ...linting.request import Session
    from ..progress import Progress
    from ..requesting import request_of
    from ..showing import keep_apart

    keep_apart(args.paths, args.output)
    analysis = shipped()
    if args.list_rules:
        return _list_rules(analysis, args)
    with Progress("checking") as progress:
        session = Session(request_of(args), analysis, progress)
        outcome = session.outcome()
        if args.write_baseline:
            return _write_baseline(outcome, args)
        changes = _changes(session, outcome, args)
        if args.diff:
            return _show_diff(changes, args)
        if changes:
            outcome = session.changed(changes)
        given = {file: changes[file].new if file in changes else data for file, data in session.request.given.items()}
    return _show(outcome, next(iter(given.values()), None) if args.fix or args.add_noqa else None, args)


def _changes(session: Session, outcome: Outcome, args: argparse.Namespace) -> Mapping[str, Change]:
    """What is to be changed, if that is asked for."""
    if args.add_noqa:
        return session.with_comments(outcome)
    return session.fixed(outcome, unsafe=args.unsafe_fixes) if args.fix or args.diff else {}


def _show(outcome: Outcome, mended_input: bytes | None, args: argparse.Namespace) -> int:
    """The outcome on the standard output, or, where the mended standard input goes there, on the error stream."""
    from ...linting.formats import name_for, render
    from ..showing import is_to_file, medium_of, put

    name = args.output_format or (name_for(args.output) if is_to_file(args) else None) or "text"
    rendered = partial(render, outcome, name)
    if args.statistics and name == "text":
        from ...linting.formats.text import statistics

        rendered = partial(statistics, outcome)
    if mended_input is None:
        put(rendered, args, follows_terminal=name in ("text", "concise", "github"))
    else:
        sys.stdout.buffer.write(mended_input)
        sys.stderr.write(rendered(medium_of(sys.stderr, args.color)))
    return _code(outcome, args)


def _code(outcome: Outcome, args: argparse.Namespace) -> int:
    if not outcome.is_finished:
        return 2
    return int(outcome.gates and not args.exit_zero)


def _show_diff(changes: Mapping[str, Change], args: argparse.Namespace) -> int:
    from ...linting.writing_back import diff
    from ..showing import put

    text = "".join(diff(file, change) for file, change in changes.items())
    put(lambda medium: text, args, follows_terminal=False)
    return int(bool(text) and not args.exit_zero)


def _write_baseline(outcome: Outcome, args: argparse.Namespace) -> int:
    from ...linting.baselines import write_baseline
    from ..showing import put

    number = write_baseline(args.write_baseline, outcome.findings, outcome.contents.line_of)
    text = f"{number:,} finding{'' if number == 1 else 's'} written to {visible(args.write_baseline)}\n"
    put(lambda medium: text, args, follows_terminal=True)
    return 0


def _list_rules(analysis: Analysis, args: argparse.Namespace) -> int:
    from ..showing import put

    rules = sorted(analysis.rules.values(), key=lambda rule: rule.code)
    width = max(len(rule.name) for rule in rules)
    lines = [f"{rule.code}  {rule.level.value:<7}  {rule.name:<{width}}  {rule.summary}\n" for rule in rules]
    put(lambda medium: "".join(lines), args, follows_terminal=True)
    return 0

"""``tensorcopy compare``: every way to do one thing, measured on your data, and the one to take."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ...errors import BadArgumentError

if TYPE_CHECKING:
    from ...benchmarking.comparison import Comparison
    from ...benchmarking.making import Order

NAME = "compare"
SUMMARY = "all ways to copy, share, convert or cast, measured on your data"
EXAMPLES = (
    "tensorcopy compare",
    "tensorcopy compare --shape 64x3x224x224 --dtype float16 --layout channels_last --want own",
    "tensorcopy compare --kind array --want share",
    "tensorcopy compare weights.npy --group copy-array",
    "tensorcopy compare --sizes 1e2:1e7 --plot growth.png --html growth.html",
)
_ROWS = 10
_SOURCE_OPTIONS = ("shape", "dtype", "layout", "device", "kind", "requires_grad")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The source, the question, and what is wanted of the answer."""
    parser.add_argument(
        "source",
        metavar="FILE",
        nargs="?",
        help=".npy .npz .pt .safetensors .parquet .arrow .png .csv, or a .py whose last line gives x",
    )
    _add_source(parser.add_argument_group("a source made to order, where no file is given"))
    group = parser.add_argument_group("question and answer")
    group.add_argument(
        "--group", metavar="NAME", help="copy, graph, to-array, repeat, cast; to-tensor, copy-array; list"
    )
    wanted = "own, share, keep-graph, cut-graph, dtype=...; several with commas"
    group.add_argument("--want", metavar="WISHES", action="append", default=[], help=wanted)
    group.add_argument("--all", action="store_true", help="all rows in text, which shows the first ten of each table")
    group.add_argument("--time-budget", metavar="SECONDS", type=float, help="for timing; 5 if not given")
    _add_growth(parser.add_argument_group("over the size of the source"))


def _add_source(group: Any) -> None:
    group.add_argument("--key", metavar="NAME", help="which array, tensor or column of the file; else the largest")
    group.add_argument("--kind", choices=("tensor", "array", "list"), help="tensor if not given")
    group.add_argument("--shape", help="like 1000x1000, which it is if not given")
    group.add_argument("--dtype", help="float32 if not given")
    group.add_argument("--layout", help="contiguous, transposed, strided, expanded, channels_last; negative, read-only")
    group.add_argument("--requires-grad", action="store_true", help="a leaf that requires grad")
    group.add_argument("--device", help="cpu if not given; cuda is timed by events")


def _add_growth(group: Any) -> None:
    group.add_argument("--sizes", metavar="RANGE", help="like 1e2:1e8, or 100,1e4,1e6: numbers of elements")
    group.add_argument("--plot", metavar="FILE", help="time over size as .png or .svg; bytes beside it as FILE-bytes")
    group.add_argument("--theme", choices=("light", "dark"), default="light", help="paper of the plots")
    group.add_argument("--html", metavar="FILE", help="the whole report with its plots as a page, too")


def run(args: argparse.Namespace) -> int:
    """Measure and show.

    Raises:
        TensorcopyError: the arguments, the file or the source make no sense here.
    """
    from ..showing import show

    _require_sense(args)
    _require_writable(args)
    found = _compared(args)
    _write_files(found, args)
    is_text = args.output_format in (None, "text") and args.output in (None, "-")
    show(found.report(most=_ROWS if is_text and not args.all else None), args)
    return 0


def _compared(args: argparse.Namespace) -> Comparison:
    from ...benchmarking.comparing import SECONDS, compare

    budget = SECONDS if args.time_budget is None else args.time_budget
    sizes, order = _sizes(args), _order(args) if args.source is None else None
    x, note = _source(args, order)
    found = compare(x, group=args.group, want=args.want, time_budget=budget)
    if note:
        from dataclasses import replace

        found = replace(found, source=f"{found.source} ({note})")
    if not sizes or order is None:
        return found
    from ...benchmarking.sweeping import with_sweep

    return with_sweep(found, order, sizes, max(budget, SECONDS) / 4)


def _sizes(args: argparse.Namespace) -> tuple[int, ...]:
    from ...benchmarking.sweeps import sizes_of

    return sizes_of(args.sizes or "1e2:1e7") if args.sizes or args.plot else ()


def _source(args: argparse.Namespace, order: Order | None) -> tuple[Any, str]:
    """The source, and what to say of where it is from."""
    from ...benchmarking.making import made
    from ...benchmarking.reading import read

    if order is not None:
        return made(order), ""
    found = read(args.source, args.key)
    others = f"; also there: {', '.join(found.others[:4])}" if found.others else ""
    return found.value, f"{found.label}{others}"


def _order(args: argparse.Namespace) -> Order:
    """What the options ask for; without any, a tensor that shows most: a leaf that requires grad."""
    from ...benchmarking.making import Order, shape_of

    default = Order()
    kind = args.kind or {"to-tensor": "array", "copy-array": "array", "list": "list"}.get(args.group, "tensor")
    plain = not any(getattr(args, name) for name in _SOURCE_OPTIONS)
    wants_graph = any("-graph" in word for word in args.want)
    return Order(
        kind=kind,
        shape=shape_of(args.shape) if args.shape is not None else default.shape,
        dtype=args.dtype or default.dtype,
        layout=args.layout or default.layout,
        requires_grad=args.requires_grad or (kind == "tensor" and (plain or wants_graph) and args.dtype is None),
        device=args.device or default.device,
    )


def _write_files(found: Comparison, args: argparse.Namespace) -> None:
    if args.plot:
        from pathlib import Path

        from ...benchmarking.showing import plots_of
        from ...reporting.plots import save

        assert found.sweep is not None
        path = Path(args.plot)
        names = (path, path.with_name(f"{path.stem}-bytes{path.suffix}"))
        for plot, name in zip(plots_of(found, found.sweep), names, strict=True):
            save(plot, name, theme=args.theme)
    if args.html:
        from ...reporting import render
        from ...reporting.writing import write_atomically

        write_atomically(args.html, render(found.report(), "html").encode())


def _require_writable(args: argparse.Namespace) -> None:
    """Measuring takes long: what cannot be written is told before it."""
    from ...reporting.plots import require_drawable
    from ...reporting.writing import require_writable
    from ..showing import is_to_file, keep_apart

    keep_apart([args.source] if args.source else [], args.html, args.output)
    if args.plot:
        require_drawable(args.plot)
    for path in (args.html, args.output if is_to_file(args) else None):
        if path:
            require_writable(path)


def _require_sense(args: argparse.Namespace) -> None:
    given = [name for name in _SOURCE_OPTIONS if getattr(args, name)]
    if args.source is not None and given:
        option = f"--{given[0].replace('_', '-')}"
        raise _senseless(
            f"{option} makes a source, and {args.source!r} is one",
            "only one of them can be compared",
            f"leave out {option} or the file",
        )
    if args.source is not None and (args.sizes or args.plot):
        option = "--sizes" if args.sizes else "--plot"
        raise _senseless(
            f"{option} needs sources of many sizes, and a file holds one",
            "a file cannot be made to grow",
            "describe a source like it with --shape and --dtype",
        )
    if args.key is not None and args.source is None:
        raise _senseless(
            "--key names a part of a file, and no file is given",
            "a source made to order has no parts",
            "pass the file first",
        )
    if args.time_budget is not None and not 0 < args.time_budget < 1e5:
        raise _senseless(
            f"--time-budget {args.time_budget:g} is no time to measure in",
            "it is counted in seconds above 0",
            "pass a number such as 5",
        )


def _senseless(what: str, why: str, fix: str) -> BadArgumentError:
    return BadArgumentError(what, why=why, fix=fix)

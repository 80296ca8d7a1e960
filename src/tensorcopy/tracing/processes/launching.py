"""Programs that torch's launcher starts: each rank is recorded, in a file of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from glob import escape
from pathlib import Path

from .ranks import rank, ranks

_LAUNCHER = "torch.distributed.run"


def is_launcher(module: str, script: str | None) -> bool:
    """Whether a program is torch's launcher, as a module or as the command ``torchrun``."""
    return module == _LAUNCHER or (script is not None and Path(script).name == "torchrun")


def own_file(output: Path) -> Path:
    """Where this process writes its capture: ``name.rank0.capture`` for ``name.capture`` where there are several ranks.

    What an earlier run has left, with more ranks or with one process, is removed by the first one.
    """
    if ranks() == 1:
        return output
    if rank() == 0:
        _remove(file for file in (output, *files_of_ranks(output)) if not 0 <= _rank_of(file) < ranks())
    return output.with_name(f"{output.stem}.rank{rank()}{output.suffix}")


def files_of_ranks(output: Path) -> list[Path]:
    """The captures of the ranks of a run whose capture was to be *output*, in order."""
    found = output.parent.glob(f"{escape(output.stem)}.rank*{escape(output.suffix)}")
    return sorted((file for file in found if _rank_of(file) >= 0), key=_rank_of)


def launch(arguments: Sequence[str], options: Sequence[str], output: Path) -> int:
    """Run torch's launcher, which isn't recorded itself, and have each rank recorded; its exit status.

    options: of ``tensorcopy run``, for the ranks.
    """
    from torch.distributed.run import main

    _remove([output, *files_of_ranks(output)])
    try:
        main(traced(arguments, [*options, "--quiet", "--output", str(output)]))
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return 0


def traced(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """The arguments of the launcher, with ``tensorcopy run`` in the place of the program that it starts.

    A program that isn't one of Python is left as it is.
    """
    from torch.distributed.run import get_args_parser

    parsed = get_args_parser().parse_args(list(arguments))
    program = [parsed.training_script, *parsed.training_script_args]
    own = list(arguments[: len(arguments) - len(program)])
    if parsed.no_python or parsed.run_path:
        return list(arguments)
    if parsed.module:
        return [*own, "tensorcopy", "run", *options, "-m", *program]
    return [*own, "-m", "tensorcopy", "run", *options, *program]


def _rank_of(file: Path) -> int:
    number = file.stem.rpartition(".rank")[2]
    return int(number) if number.isdigit() else -1


def _remove(files: Iterable[Path]) -> None:
    for file in list(files):
        if file.is_file():  # and not /dev/null
            file.unlink(missing_ok=True)

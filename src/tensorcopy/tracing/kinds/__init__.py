"""What the tracer finds: one value and one page a kind; the page ``tcy6xx.md`` is what ``tensorcopy explain`` shows.

Loads neither torch nor NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from ...reporting.model import Report
from ...reporting.pages import page_report


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of finding. `code` never changes meaning; `name` says the mistake.

    when: what has to happen for it to be told. here: what happens at the line of the finding itself, in a few words.
    """

    code: str
    name: str
    level: str
    when: str
    here: str


def _kind(code: str, name: str, level: str, when: str, here: str) -> Kind:
    return Kind(code=code, name=name, level=level, when=when, here=here)


_ALL = (
    _kind(
        "TCY601",
        "changing-snapshot",
        "error",
        "what was kept (`.numpy()`, `.detach()`, `copy.copy`, `state_dict()`, a view, the tensor itself) changed with "
        "its source",
        "kept here, sharing the memory",
    ),
    _kind(
        "TCY602",
        "shared-buffer-overwritten",
        "error",
        "tensors over one array (or bytes) were kept, and NumPy overwrote the array under them",
        "shared with the array here",
    ),
    _kind(
        "TCY603",
        "callers-memory-written",
        "error",
        "a conversion gave back the caller's own memory, and it was written in place",
        "shared with the caller here",
    ),
    _kind(
        "TCY604",
        "readonly-memory-written",
        "error",
        "a tensor over read-only memory is written; recorded before the write, which may end the process",
        "laid over read-only memory here",
    ),
    _kind(
        "TCY605",
        "expanded-memory-written",
        "error",
        "one element of an expanded tensor is written, and all its repeats change",
        "expanded here",
    ),
    _kind(
        "TCY606",
        "overlapping-copy",
        "error",
        "a tensor is copied onto memory that overlaps it, so that values already overwritten are read",
        "copied onto itself here",
    ),
    _kind(
        "TCY607",
        "lost-write",
        "error",
        "a write went into a copy that `reshape`, `contiguous` or an index made, and was dropped with it",
        "a copy is made here, and written",
    ),
    _kind(
        "TCY608",
        "view-of-moved-memory",
        "error",
        "an array looks at the memory that a tensor has left by `share_memory_()`",
        "the array is taken here",
    ),
    _kind(
        "TCY609",
        "separate-deep-copies",
        "error",
        "what belongs together, tied modules or a model and its optimizer, was deep-copied one by one",
        "deep-copied alone here",
    ),
    _kind(
        "TCY610",
        "restored-from-itself",
        "error",
        "a model or optimizer is restored from a `state_dict()` that is its own live state",
        "kept here, as the live parameters",
    ),
    _kind(
        "TCY611",
        "internal-buffer-returned",
        "error",
        "a function gives out one buffer again and again, and overwrites it",
        "the buffer is given out here",
    ),
    _kind(
        "TCY612",
        "shared-array-changed",
        "warning",
        "NumPy writes an array, and a tensor that shares its memory is read after that",
        "shared with the array here",
    ),
    _kind(
        "TCY613",
        "shared-array-written",
        "error",
        "with `--strict`: NumPy writes an array while a tensor shares its memory, which raises",
        "the write raises here",
    ),
    _kind(
        "TCY621",
        "silent-gradient",
        "error",
        "a value that backward needs is written past the version counter, so the gradient is wrong without an error",
        "written here, unseen by torch",
    ),
    _kind(
        "TCY622",
        "inplace-before-backward",
        "error",
        "a value that backward needs is written in place, which torch refuses in backward",
        "written here, before backward",
    ),
    _kind(
        "TCY623",
        "gradient-cut",
        "error",
        "a value reaches the loss without its graph, and the parameters behind it get no gradient",
        "the graph is cut here",
    ),
    _kind(
        "TCY624",
        "gradient-may-be-cut",
        "warning",
        "parameters get no gradient, and a value made of them leaves the graph here",
        "the graph is left here",
    ),
    _kind(
        "TCY625",
        "grad-of-non-leaf",
        "error",
        "`.grad` of a tensor that is no leaf is read: it stays None",
        "no longer a leaf from here on",
    ),
    _kind(
        "TCY626",
        "graph-kept",
        "error",
        "losses are added up with their graphs, so that memory grows with each turn",
        "kept with its graph here",
    ),
    _kind(
        "TCY627",
        "attribute-typo",
        "error",
        "a misspelt `requires_grad` is set, and nothing is frozen",
        "set here, and read by nobody",
    ),
    _kind(
        "TCY628",
        "optimizer-without-gradients",
        "error",
        "an optimizer steps parameters that are frozen, replaced or never have a gradient when it steps",
        "it steps here, and changes nothing",
    ),
    _kind(
        "TCY641",
        "masked-values-dropped",
        "error",
        "a masked array is converted, and its masked values become data",
        "the mask is dropped here",
    ),
    _kind(
        "TCY642",
        "values-not-in-dtype",
        "error",
        "NaN or inf is converted into integers, which have neither, or integers that do not fit a narrower dtype",
        "converted here",
    ),
    _kind(
        "TCY643",
        "float64-leak",
        "warning",
        "a float64 tensor meets float32 ones, and everything after is float64",
        "float64 comes from here",
    ),
    _kind(
        "TCY644",
        "tensor-of-tensor",
        "warning",
        "`torch.tensor()` of a tensor copies it, cuts it from the graph, and warns",
        "copied here",
    ),
    _kind(
        "TCY645",
        "subclass-metadata-lost",
        "warning",
        "a clone of a tensor of a subclass lacks the attributes of its source",
        "cloned here",
    ),
    _kind(
        "TCY646",
        "integers-through-float32",
        "error",
        "`torch.Tensor()` makes float32 of whole numbers that it can't hold",
        "rounded here",
    ),
    _kind(
        "TCY647",
        "digits-lost",
        "warning",
        "numbers that differ are made into float32, which makes one of them",
        "rounded to one here",
    ),
    _kind(
        "TCY648",
        "bytes-as-floats",
        "error",
        "`torch.asarray()` of a buffer without a dtype reads its bytes as float32",
        "read as float32 here",
    ),
    _kind(
        "TCY650",
        "failed",
        "error",
        "the program ended with an error that the catalogue explains",
        "it ends here",
    ),
    _kind(
        "TCY661",
        "avoidable-copy",
        "warning",
        "all copies of a line are for nothing: never written, of a temporary, or made again of what is unchanged",
        "copied here",
    ),
    _kind(
        "TCY662",
        "list-of-arrays",
        "warning",
        "a list of arrays is converted number by number",
        "read number by number here",
    ),
    _kind(
        "TCY663",
        "expanded-copied",
        "warning",
        "`clone()` of an expanded tensor writes out its repeats",
        "the repeats are written out here",
    ),
    _kind(
        "TCY664",
        "kept-storage",
        "warning",
        "small views keep, or save, the large memory behind them",
        "taken here",
    ),
    _kind(
        "TCY665",
        "constant-rebuilt",
        "warning",
        "the same constant is made into a tensor at each call of `forward`",
        "made anew here",
    ),
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ALL})
"""All kinds by name, in the order of their codes."""


def page_of(kind: Kind) -> str:
    """The page of a kind, as Markdown."""
    return files(__name__).joinpath(f"{kind.code.lower()}.md").read_text(encoding="utf-8")


def kind_report(asked: str) -> Report | None:
    """The page of the kind of that code or name, for every format of reports; None if there is none."""
    wanted = asked.strip().lower()
    kind = next((kind for kind in _ALL if wanted in (kind.code.lower(), kind.name)), None)
    return page_report(kind.code, kind.name, kind.level, page_of(kind)) if kind else None


def here_of(name: str) -> str:
    """What happens at the line of a finding of that name; its name, if a newer release wrote it."""
    kind = KINDS.get(name)
    return kind.here if kind else name

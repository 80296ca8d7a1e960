"""Memory that several processes see: what torch.multiprocessing and files carry, and what they lose."""

from __future__ import annotations

from ._templates import view
from .model import Call, Crash, Graph, Layout, Rejection, RequiresGrad, Subclass, Trait, Version, Wrong

_SEND = (
    "from multiprocessing.reduction import ForkingPickler\nimport torch.multiprocessing\n"
    "received = pickle.loads(ForkingPickler.dumps(x))\n"
)

OPERATIONS = (
    view(
        name="torch.multiprocessing.Queue.put",
        summary="Moves the storage into shared memory, in place, and sends a handle: both processes write it.",
        call=Call(names=("torch.multiprocessing.queue.Queue.put", "torch.multiprocessing.queue.SimpleQueue.put")),
        examples=(_SEND + "received",),
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.SAME,
        layout=Layout.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.SAME,
        changes_object=True,
        whole_storage=False,
        rejects=(
            Rejection(
                given=Trait.NON_LEAF,
                error="RuntimeError",
                text="Cowardly refusing to serialize non-leaf tensor which requires_grad",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="x = torch.tensor([1 + 2j]).conj()\n" + _SEND + "received.tolist()",
                gives="[1 + 2j]",
                wanted="[1 - 2j]",
                why="the conjugate bit is not sent",
            ),
            Wrong(
                code="x = torch.tensor([1 + 2j]).conj().imag\n" + _SEND + "received.tolist()",
                gives="[2.0]",
                wanted="[-2.0]",
                why="the negative bit is not sent",
            ),
        ),
        crashes=(
            Crash(
                code="x = torch.full((4096,), 1.5); a = x.numpy()\n"
                + _SEND
                + "x.fill_(7.0)\nassert (a == 7.0).all(), 'the array was left behind in freed memory'",
                ends=("AssertionError", "SIGSEGV", "SIGBUS", "SIGABRT"),
                why="an array made before looks at memory that was given back",
            ),
        ),
    ),
)

"""Look into files of tensors and arrays without loading their data and without running their code.

Checkpoints of torch (both formats), safetensors, ``.npz`` and ``.npy``, told apart by their bytes. Loads no array
library.
"""

from __future__ import annotations

from .compacting import Compacted as Compacted
from .compacting import compact_file as compact_file
from .contents import Contents as Contents
from .looking import inspect_file as inspect_file

__all__ = ["Compacted", "Contents", "compact_file", "inspect_file"]

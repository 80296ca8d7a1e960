"""Operations of torch that may alias by their schema and have no entry of their own, by the reason why."""

from __future__ import annotations

NOT_IN_EVERY_RELEASE = "named tensors and views of nested ones, which not every supported release has"
REVIEWED: dict[str, tuple[str, ...]] = {
    NOT_IN_EVERY_RELEASE: (
        "align_to",
        "refine_names",
        "rename",
        "_ncf_unsqueeze",
        "_ncf_view",
        "_nested_get_values",
        "_nested_view_from_jagged",
        "slice_inverse",
    ),
    "containers and optionals of TorchScript, which hold tensors and are none": (
        "_unwrap_optional",
        "get",
        "keys",
        "pop",
        "setdefault",
    ),
    "references to objects in other processes": ("local_value", "to_here"),
    "parts of sparse tensors, whose layouts the catalogue does not cover": (
        "_indices",
        "_sparse_broadcast_to",
        "_values",
        "ccol_indices",
        "coalesce",
        "col_indices",
        "crow_indices",
        "indices",
        "row_indices",
        "values",
    ),
    "buffers of nested tensors, whose layout the catalogue does not cover": ("_nested_view_from_buffer",),
    "duals of forward-mode differentiation": ("_fw_primal", "_make_dual", "_unpack_dual"),
    "casts of autocast, called by it alone": ("_autocast_to_full_precision", "_autocast_to_reduced_precision"),
    "names inside torch of operations that have an entry": (
        "_conj",
        "_grad_sum_to_size",
        "_reshape_alias",
        "lift_fresh",
        "linalg_diagonal",
    ),
    "an operation for torch's own tests": ("_test_autograd_multiple_dispatch_view",),
    "page-locked memory, which needs an accelerator to be had": ("pin_memory",),
}

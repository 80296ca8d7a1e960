"""Refusals that many calls share, each with the error class and the fixed part of its text."""

from __future__ import annotations

from .model import Rejection, Trait

# tensors and arrays without the dimension asked for
INDEX_OF_ZERO_D = Rejection(given=Trait.ZERO_D, error="IndexError", text="0-dim tensor")
DIMENSION_OF_ZERO_D = Rejection(given=Trait.ZERO_D, error="IndexError", text="Dimension specified as")
SLICE_OF_ZERO_D = Rejection(given=Trait.ZERO_D, error="RuntimeError", text="cannot be applied to a 0-dim tensor")
ARRAY_INDEX_OF_ZERO_D = Rejection(given=Trait.ZERO_D, error="IndexError", text="too many indices for array")
AXIS_OF_ZERO_D = Rejection(given=Trait.ZERO_D, error="AxisError", text="out of bounds for array of dimension 0")

# graph
IN_PLACE_ON_LEAF = Rejection(
    given=Trait.LEAF_REQUIRING_GRAD,
    error="RuntimeError",
    text="a leaf Variable that requires grad is being used in an in-place operation",
)
NUMPY_OF_GRAPH = Rejection(
    given=Trait.REQUIRES_GRAD, error="RuntimeError", text="Can't call numpy() on Tensor that requires grad"
)
EXPORT_OF_GRAPH = Rejection(
    given=Trait.REQUIRES_GRAD, error="BufferError", text="Can't export tensors that require gradient"
)

# overlapping memory
WRITE_INTO_EXPANDED = Rejection(
    given=Trait.EXPANDED, error="RuntimeError", text="more than one element of the written-to tensor refers to a single"
)

# lazy bits
NUMPY_OF_CONJ = Rejection(
    given=Trait.CONJ_BIT, error="RuntimeError", text="Can't call numpy() on Tensor that has conjugate bit set"
)
NUMPY_OF_NEG = Rejection(
    given=Trait.NEG_BIT, error="RuntimeError", text="Can't call numpy() on Tensor that has negative bit set"
)
EXPORT_OF_CONJ = Rejection(
    given=Trait.CONJ_BIT, error="BufferError", text="Can't export tensors with the conjugate bit set"
)

# dtypes and strides that one of the two libraries does not have
NUMPY_DTYPE = Rejection(given=Trait.NO_NUMPY_DTYPE, error="TypeError", text="Got unsupported ScalarType BFloat16")
TORCH_DTYPE = Rejection(given=Trait.NO_TORCH_DTYPE, error="TypeError", text="can't convert np.ndarray of type numpy.")
TORCH_ORDER = Rejection(
    given=Trait.BIG_ENDIAN,
    error="ValueError",
    text="given numpy array has byte order different from the native byte order",
)
TORCH_NEGATIVE = Rejection(
    given=Trait.NEGATIVE_STRIDE, error="ValueError", text="At least one stride in the given numpy array is negative"
)
TORCH_UNSIGNED = Rejection(
    given=Trait.UNSIGNED_WIDE,
    error="TypeError",
    text="can't convert np.ndarray of type numpy.uint",
    until="torch 2.3",
)
FROM_ARRAY = (TORCH_DTYPE, TORCH_ORDER, TORCH_NEGATIVE, TORCH_UNSIGNED)
TO_ARRAY = (NUMPY_OF_GRAPH, NUMPY_OF_CONJ, NUMPY_OF_NEG, NUMPY_DTYPE)
INTEGER_GRADIENT = Rejection(
    given=Trait.NOT_FLOATING,
    error="RuntimeError",
    text="Only Tensors of floating point and complex dtype can require gradients",
)
COMPLEX_GRADIENT = Rejection(
    given=Trait.COMPLEX_ON_GRAPH,
    error="RuntimeError",
    text="does not support automatic differentiation for outputs with complex dtype",
)

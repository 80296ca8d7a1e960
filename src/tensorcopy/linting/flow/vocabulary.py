"""Names of torch and NumPy that neither copy nor share by intent: what kind of value they give.

What copies, shares, cuts or writes is in the catalogue; these are the computations around it. A test compares them with
torch's own schemas.
"""

# ruff: noqa: SIM905 (a word list reads best as words)
from __future__ import annotations

# torch functions that make a tensor from sizes and numbers.
FACTORIES = frozenset(
    """
    arange bartlett_window blackman_window empty empty_strided eye full hamming_window hann_window kaiser_window
    linspace logspace normal ones rand randint randn randperm range scalar_tensor sparse_coo_tensor tril_indices
    triu_indices zeros
    """.split()
)
# torch functions that compute one new tensor.
COMPUTED = frozenset(
    """
    abs absolute acos acosh adaptive_avg_pool1d add addbmm addcdiv addcmul addmm addmv addr affine_grid_generator
    alias_copy all alpha_dropout amax amin angle any arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
    argmin argsort argwhere as_strided_copy as_strided_scatter asin asinh atan atan2 atanh avg_pool1d baddbmm
    batch_norm bernoulli bilinear binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor block_diag bmm bucketize cartesian_prod cat
    ccol_indices_copy cdist ceil celu chain_matmul channel_shuffle cholesky cholesky_inverse cholesky_solve clamp
    clamp_max clamp_min clip clone col_indices_copy column_stack combinations complex concat concatenate
    conj_physical constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
    convolution copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity count_nonzero cov cross
    crow_indices_copy ctc_loss cumprod cumsum cumulative_trapezoid deg2rad det detach_copy diag diag_embed diagflat
    diagonal_copy diagonal_scatter diff digamma dist div divide dot dropout dstack einsum embedding empty_like
    empty_permuted empty_quantized eq erf erfc erfinv exp exp2 expand_copy expm1 feature_alpha_dropout
    feature_dropout fill fix flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac frobenius_norm
    from_file full_like gather gcd ge ger greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d
    group_norm gru_cell gt hardshrink hash_tensor heaviside hinge_embedding_loss histc hspmm hstack hypot i0 igamma
    igammac index_add index_copy index_fill index_put index_reduce index_select indices_copy inner instance_norm
    int_repr inverse isclose isfinite isin isinf isnan isneginf isposinf isreal istft kl_div kron layer_norm lcm
    ldexp le lerp less less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet
    logical_and logical_not logical_or logical_xor logit logsumexp lt lu_solve margin_ranking_loss masked_fill
    masked_scatter masked_select matmul matrix_exp matrix_power max_pool1d max_pool2d max_pool3d maximum mean
    minimum mm msort mul multinomial multiply mv mvlgamma nan_to_num nanmean nanquantile nansum narrow_copy ne neg
    negative nextafter nonzero nonzero_static norm norm_except_dim not_equal nuclear_norm ones_like orgqr ormqr
    outer pairwise_distance pdist permute_copy pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar
    polygamma pow prelu prod put quantile quantize_per_channel quantize_per_tensor_dynamic rad2deg rand_like
    randint_like randn_like reciprocal relu remainder renorm repeat_interleave rms_norm rnn_relu_cell rnn_tanh_cell
    roll rot90 round row_indices_copy row_stack rrelu rsqrt rsub scatter scatter_add scatter_reduce searchsorted
    segment_reduce select_copy select_scatter selu sgn sigmoid sign signbit sin sinc sinh slice_copy slice_scatter
    smm softmax sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor
    sqrt square squeeze_copy sspaddmm stack std stft sub subtract sum t_copy take take_along_dim tan tanh tensordot
    threshold tile trace transpose_copy trapezoid trapz tril triplet_margin_loss triu true_divide trunc unfold_copy
    unsqueeze_copy values_copy vander var vdot view_as_complex_copy view_as_real_copy view_copy vstack xlogy
    zeros_like
    """.split()
)
# torch functions that, in some form, compute several new tensors.
COMPUTED_MANY = frozenset(
    """
    adaptive_max_pool1d aminmax atleast_1d atleast_2d atleast_3d broadcast_tensors cummax cummin dequantize
    embedding_bag frexp geqrf gradient gru histogram histogramdd kthvalue lstm lstm_cell lu_unpack max
    max_pool1d_with_indices median meshgrid min mode nanmedian qr quantize_per_tensor rnn_relu rnn_tanh slogdet sort
    split_copy split_with_sizes_copy std_mean svd topk triangular_solve unbind_copy unique_consecutive unsafe_chunk
    unsafe_split unsafe_split_with_sizes var_mean where
    """.split()
)
# Tensor methods that compute one new tensor.
METHODS = frozenset(
    """
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin angle any arccos arccosh
    arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere as_strided_scatter asin asinh atan atan2
    atanh baddbmm bernoulli bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor bmm ceil chalf cholesky cholesky_inverse cholesky_solve clamp clamp_max clamp_min clip clone
    conj_physical copysign corrcoef cos cosh count_nonzero cov cross cumprod cumsum deg2rad det diag diag_embed
    diagflat diagonal_scatter diff digamma dist div divide dot eq erf erfc erfinv exp exp2 expm1 fix flip fliplr
    flipud float_power floor floor_divide fmax fmin fmod frac gather gcd ge ger greater greater_equal gt hardshrink
    hash_tensor heaviside histc hypot i0 igamma igammac index index_add index_copy index_fill index_put index_reduce
    index_select inner int_repr inverse isclose isfinite isinf isnan isneginf isposinf isreal istft kron lcm ldexp
    le lerp less less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet
    logical_and logical_not logical_or logical_xor logit logsumexp lt lu_solve masked_fill masked_scatter
    masked_select matmul matrix_exp matrix_power maximum mean minimum mm msort mul multinomial multiply mv mvlgamma
    nan_to_num nanmean nanquantile nansum narrow_copy ne neg negative new_empty new_empty_strided new_full new_ones
    new_zeros nextafter nonzero nonzero_static norm not_equal orgqr ormqr outer pinverse polygamma pow prelu prod
    put q_per_channel_scales q_per_channel_zero_points quantile rad2deg reciprocal relu remainder renorm repeat
    repeat_interleave resize resize_as roll rot90 round rsqrt scatter scatter_add scatter_reduce select_scatter sgn
    sigmoid sign signbit sin sinc sinh slice_scatter smm softmax sparse_mask sqrt square sspaddmm std stft sub
    subtract sum sum_to_size take take_along_dim tan tanh tile to_dense to_mkldnn to_padded_tensor to_sparse
    to_sparse_bsc to_sparse_bsr to_sparse_csc to_sparse_csr trace tril triu true_divide trunc type_as var vdot xlogy
    """.split()
)
# Those of them that have a twin with an underscore, which writes the receiver instead.
IN_PLACE_TWINS = frozenset(
    """
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr arccos arccosh arcsin arcsinh arctan arctan2
    arctanh asin asinh atan atan2 atanh baddbmm bernoulli bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip conj_physical copysign cos cosh cumprod
    cumsum deg2rad digamma div divide eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide fmod frac
    gcd ge greater greater_equal gt heaviside hypot i0 igamma igammac index_add index_copy index_fill index_put
    index_reduce lcm ldexp le lerp less less_equal lgamma log log10 log1p log2 logical_and logical_not logical_or
    logical_xor logit lt masked_fill masked_scatter mul multiply mvlgamma nan_to_num ne neg negative nextafter
    not_equal polygamma pow put rad2deg reciprocal relu remainder renorm resize resize_as round rsqrt scatter
    scatter_add scatter_reduce sgn sigmoid sign sin sinc sinh sqrt square sub subtract tan tanh tril triu
    true_divide trunc xlogy
    """.split()
)
# Tensor methods that, in some form, compute several new tensors.
METHODS_MANY = frozenset(
    """
    aminmax cummax cummin dequantize frexp geqrf grad histogram kthvalue max median min mode nanmedian qr slogdet
    sort svd topk triangular_solve unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes where
    """.split()
)

# Tensor methods and attributes that give Python numbers, sizes or flags.
METHODS_INT = frozenset(
    """
    dim ndimension numel nelement element_size get_device stride storage_offset data_ptr size q_scale q_zero_point
    """.split()
)
METHODS_BOOL = frozenset(
    """
    is_contiguous is_floating_point is_complex is_conj is_neg is_nonzero is_pinned is_shared is_signed equal allclose
    """.split()
)
ATTRIBUTES_INT = frozenset("ndim nbytes itemsize size output_nr".split())
ATTRIBUTES_BOOL = frozenset("requires_grad is_leaf is_cuda is_sparse is_quantized retains_grad".split())

# Methods that only tensors have, so that a receiver of unknown kind is one.
ONLY_TENSORS = frozenset(
    """
    detach unsqueeze squeeze_ unsqueeze_ expand_as type_as masked_fill masked_fill_ index_select requires_grad_
    backward contiguous permute view_as scatter_ scatter_add_ index_add_ index_copy_ clamp clamp_ masked_select bmm
    mul_ add_ sub_ div_ copy_ zero_ fill_ normal_ uniform_ new_zeros new_ones new_full new_empty new_tensor
    resolve_conj resolve_neg share_memory_ untyped_storage retain_grad log_softmax softmax addmm logsumexp relu_
    sigmoid_ exp_ sqrt_ neg_ bernoulli_
    """.split()
) - frozenset("requires_grad_ softmax clamp".split())
# Methods that only arrays have (as far as array-like values go).
ONLY_ARRAYS = frozenset("astype tofile tostring setflags newbyteorder byteswap".split())

# NumPy functions that make or compute a new array.
NUMPY_FACTORIES = frozenset(
    """
    zeros ones empty full arange linspace logspace eye identity tri zeros_like ones_like empty_like full_like
    fromfile fromfunction fromstring loadtxt genfromtxt indices geomspace
    """.split()
)
NUMPY_COMPUTED = frozenset(
    """
    abs absolute add all any append arccos arcsin arctan arctan2 argmax argmin argsort argwhere around bincount ceil
    clip concatenate convolve cos cosh cross cumprod cumsum delete deg2rad diff digitize divide dot einsum exp expm1
    floor floor_divide fmax fmin hstack hypot inner insert interp invert isfinite isinf isnan kron log log10 log1p
    log2 logical_and logical_not logical_or logical_xor matmul max maximum mean median min minimum mod multiply
    negative nonzero outer pad percentile power prod quantile rad2deg random reciprocal remainder repeat roll round
    searchsorted select sign sin sinh sort sqrt square stack std subtract sum take tan tanh tensordot tile trace
    tril triu trunc unique vstack var where column_stack dstack fft linalg nanmax nanmean nanmin nansum nanstd
    """.split()
)
# NumPy methods that compute a new array (or a scalar).
ARRAY_METHODS = frozenset(
    """
    all any argmax argmin argsort clip cumprod cumsum dot max mean min prod ptp repeat round std sum take trace var
    nonzero searchsorted choose compress conj conjugate
    """.split()
)
# NumPy functions that write their result into an argument, ``out``, which may also stand at this position.
NUMPY_OUT = {
    **dict.fromkeys(
        """
        abs absolute arccos arcsin arctan ceil cos cosh deg2rad exp expm1 floor invert isfinite isinf isnan log log10
        log1p log2 logical_not negative rad2deg reciprocal sign sin sinh sqrt square tan tanh trunc
        """.split(),
        1,
    ),
    **dict.fromkeys(
        """
        add arctan2 divide dot floor_divide fmax fmin hypot logical_and logical_or logical_xor matmul maximum minimum
        mod multiply power remainder round subtract
        """.split(),
        2,
    ),
    **dict.fromkeys("clip cumprod cumsum mean prod sum take".split(), 3),
}

"""Operators of torch.library on the dense parts of a block-sparse matrix: crow, col, values. They can be compiled,
exported, differentiated and captured into CUDA graphs.

    tilewright::bsr_linear(crow, col, values, x, bias, out_features, activation): act(x A^T + bias), x [..., in]
    tilewright::bsr_mm(crow, col, values, b, rows): A b, b [in, n]

A is out x in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.compiler import is_compiling

from ..._errors import InvalidArgument, NotSupported
from ..._operation import TensorCalls, repeat
from .matrix import activation_name
from .patterns import KeptPattern, Launch, block_rows, kinds, pattern_of


def run_linear(
    kept: KeptPattern,
    values: Tensor,
    x: Tensor,
    bias: Tensor | None,
    activation: str,
    calls: TensorCalls | None = None,
    parts: tuple[Tensor, ...] = (),
) -> Tensor:
    """act(x A^T + bias), row-major, for x [..., in]. `calls` learn it, for the index tensors `parts`."""
    shape = x.shape
    width = kept.columns
    dtype, device = x.dtype, x.get_device()
    if (
        shape[-1] != width
        or values.dtype is not dtype
        or values.get_device() != device
        or values.numel() != kept.elements
        or not values.is_contiguous()
    ):
        _refuse_linear(kept, values, x)
    if bias is not None and (
        bias.dtype is not dtype or bias.get_device() != device or bias.shape != (kept.rows,) or not bias.is_contiguous()
    ):
        raise InvalidArgument(
            f"bias is {bias.dtype} on {bias.device}, of shape {list(bias.shape)}, x {dtype} on {x.device}: "
            f"bias must be like x, contiguous, of {kept.rows} elements"
        )
    given = x
    if x.is_contiguous():
        pitch = width
    elif x.dim() == 2 and x.stride(1) == 1 and x.stride(0) >= width:
        pitch = x.stride(0)
    else:
        x, pitch = x.contiguous(), width
    y = x.new_empty(shape[0], kept.rows) if len(shape) == 2 else x.new_empty((*shape[:-1], kept.rows))
    count = x.numel() // width if width else shape[:-1].numel()
    key = (count, pitch, dtype, device, bias is None, activation)
    launch = kept.launches.get(key)
    if launch is None:
        launch = kept.launches[key] = _prepare_linear(kept, values, x, count, pitch, bias, activation)
    launch(x.data_ptr(), values.data_ptr(), None if bias is None else bias.data_ptr(), y.data_ptr())
    if calls is not None and x is given:
        calls.learn(launch.ready, launch, _maker_of(y), parts, kept.version, (x, values, bias))
    return y


# What compiled code allocates with, in half the time.
_allocators = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
_makers = {name: getattr(_allocators, f"_empty_strided_{name}", None) for name in ("cpu", "cuda")}


def _maker_of(like: Tensor) -> Callable[[], Tensor]:
    """Gives memory for another such tensor, on the current device."""
    shape, strides, dtype, device = tuple(like.shape), like.stride(), like.dtype, like.device
    maker = _makers.get(device.type)
    if maker is None:
        return partial(torch.empty_strided, shape, strides, dtype=dtype, device=device)
    return partial(maker, shape, strides, dtype)


def _refuse_linear(kept: KeptPattern, values: Tensor, x: Tensor) -> None:
    if x.shape[-1] != kept.columns:
        raise InvalidArgument(f"x has rows of {x.shape[-1]} elements, and A has {kept.columns} columns")
    kept.check_values(values, x)


def _prepare_linear(
    kept: KeptPattern, values: Tensor, x: Tensor, count: int, pitch: int, bias: Tensor | None, activation: str
) -> Launch:
    kept.check_values(values, x)
    if bias is not None and bias.device != x.device:
        raise InvalidArgument(f"bias is on {bias.device}, x on {x.device}: move one")
    kind = kinds[x.dtype]
    key = (count, kind, kind, pitch, kept.rows, "column", "column", bias is not None, activation, False)
    return kept.launch(key, x.get_device())


def run_matmul(
    kept: KeptPattern,
    values: Tensor,
    b: Tensor,
    out: Tensor | None = None,
    bias: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> Tensor:
    """alpha A b + beta out + bias, for b [in, n] in either order; bias: an element per row of A. Made row-major where there is no `out`."""
    if b.dim() != 2 or b.shape[0] != kept.columns:
        raise InvalidArgument(f"b has the shape {list(b.shape)}: it must have {kept.columns} rows, as A has columns")
    kept.check_values(values, b)
    layout, pitch = _order(b)
    if layout is None:
        b = b.contiguous()
        layout, pitch = _order(b)
    c = b.new_empty((kept.rows, b.shape[1])) if out is None else out
    layout_c, pitch_c = _order(c)
    if layout_c is None:
        raise InvalidArgument(f"out has the strides {list(c.stride())}: neither its rows nor its columns are contiguous")
    types = (kinds[b.dtype], kinds[c.dtype])
    key = (b.shape[1], *types, pitch, pitch_c, layout, layout_c, bias is not None, "none", beta != 0)
    launch = kept.launch(key, b.get_device())
    addresses = (b.data_ptr(), values.data_ptr(), None if bias is None else bias.data_ptr(), c.data_ptr())
    if alpha == 1 and beta == 0:
        launch(*addresses)
    else:
        launch.scaled(*addresses, alpha, beta)
    return c


def _order(matrix: Tensor) -> tuple[str | None, int]:
    """Layout and elements from one line to the next; row-major where both are true."""
    (rows, columns), (down, across) = matrix.shape, matrix.stride()
    if (across == 1 or columns <= 1) and (down >= columns or rows <= 1):
        return "row", down if rows > 1 else max(columns, 1)
    if (down == 1 or rows <= 1) and across >= rows:
        return "column", across
    return None, 0


_library = torch.library.Library("tilewright", "DEF")
_library.define(
    "bsr_linear(Tensor crow, Tensor col, Tensor values, Tensor x, Tensor? bias, SymInt out_features, str activation) -> Tensor"
)
_library.define("bsr_mm(Tensor crow, Tensor col, Tensor values, Tensor b, SymInt rows) -> Tensor")
_library.define("bsr_linear_inference(Tensor crow, Tensor col, Tensor values, Tensor x, Tensor? bias, SymInt out_features, str activation) -> Tensor")
_library.define("bsr_linear_input_grad(Tensor crow, Tensor col, Tensor values, Tensor grad, SymInt in_features) -> Tensor")
_library.define("bsr_linear_values_grad(Tensor crow, Tensor col, Tensor grad, Tensor x, SymInt block) -> Tensor")


def _linear(crow: Tensor, col: Tensor, values: Tensor, x: Tensor, bias: Tensor | None, out_features: int, activation: str) -> Tensor:
    kept = pattern_of(crow, col, out_features, x.shape[-1], values.shape[1])
    return run_linear(kept, values, x, bias, activation)


def _mm(crow: Tensor, col: Tensor, values: Tensor, b: Tensor, rows: int) -> Tensor:
    return run_matmul(pattern_of(crow, col, rows, b.shape[0], values.shape[1]), values, b)


def _input_grad(crow: Tensor, col: Tensor, values: Tensor, grad: Tensor, in_features: int) -> Tensor:
    """grad A, by the transposed pattern: the kernels for it are those of the forward product."""
    kept, order = pattern_of(crow, col, grad.shape[-1], in_features, values.shape[1]).transposed()
    return run_linear(kept, values[order].mT.contiguous(), grad.contiguous(), None, "none")


def _values_grad(crow: Tensor, col: Tensor, grad: Tensor, x: Tensor, block: int) -> Tensor:
    """The blocks of grad^T x that A has: a sampled product, where the library has one for it, else dense products in PyTorch."""
    grad, x = grad.reshape(-1, grad.shape[-1]), x.reshape(-1, x.shape[-1])
    if grad.shape[0] == 0:
        return grad.new_zeros((col.numel(), block, block))
    try:
        sampled = pattern_of(crow, col, grad.shape[1], x.shape[1], block).sampled()
        if sampled is not None:
            blocks: Tensor = sampled(grad.t(), x.t())
            return blocks
    except NotSupported:
        pass
    return _gathered_product(crow, col, grad, x, block)


_gathered_elements = 1 << 27


def _gathered_product(crow: Tensor, col: Tensor, grad: Tensor, x: Tensor, block: int) -> Tensor:
    """The same by dense products of gathered panels, so many at a time as fit into 256 MB."""
    tokens, rows = grad.shape[0], block_rows(crow, col)
    left, right = (one.unflatten(1, (-1, block)) for one in (grad, x))
    result = grad.new_empty((col.numel(), block, block))
    step = max(1, _gathered_elements // max(1, 2 * tokens * block))
    for start in range(0, col.numel(), step):
        some = slice(start, start + step)
        a = left[:, rows[some]].permute(1, 2, 0)
        b = right[:, col[some].long()].transpose(0, 1)
        result[some] = torch.bmm(a, b)
    return result


for _name, _function in (
    ("bsr_linear", _linear),
    ("bsr_linear_inference", _linear),
    ("bsr_mm", _mm),
    ("bsr_linear_input_grad", _input_grad),
    ("bsr_linear_values_grad", _values_grad),
):
    for _key in ("CPU", "CUDA"):
        _library.impl(_name, _function, _key)


@torch.library.register_fake("tilewright::bsr_linear_inference", lib=_library)
@torch.library.register_fake("tilewright::bsr_linear", lib=_library)
def _fake_linear(crow, col, values, x, bias, out_features, activation):  # type: ignore[no-untyped-def]
    return x.new_empty((*x.shape[:-1], out_features))


@torch.library.register_fake("tilewright::bsr_mm", lib=_library)
def _fake_mm(crow, col, values, b, rows):  # type: ignore[no-untyped-def]
    return b.new_empty((rows, b.shape[1]))


@torch.library.register_fake("tilewright::bsr_linear_input_grad", lib=_library)
def _fake_input_grad(crow, col, values, grad, in_features):  # type: ignore[no-untyped-def]
    return grad.new_empty((*grad.shape[:-1], in_features))


@torch.library.register_fake("tilewright::bsr_linear_values_grad", lib=_library)
def _fake_values_grad(crow, col, grad, x, block):  # type: ignore[no-untyped-def]
    return grad.new_empty((col.shape[0], block, block))


_operators = torch.ops.tilewright


def _save_linear(ctx, inputs, output):  # type: ignore[no-untyped-def]
    crow, col, values, x, bias, _, activation = inputs
    if activation != "none":
        raise NotImplementedError("bsr_linear has a gradient without activation only: apply it to the result")
    ctx.save_for_backward(crow, col, values, x)
    ctx.has_bias = bias is not None


def _linear_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    return *_gradients(ctx, grad, _operators.bsr_linear_values_grad, _operators.bsr_linear_input_grad), None, None


def _gradients(
    ctx: Any, grad: Tensor, values_grad: Callable[..., Tensor], input_grad: Callable[..., Tensor]
) -> tuple[Tensor | None, ...]:
    """Those by crow, col, values, x and bias."""
    crow, col, values, x = ctx.saved_tensors
    grad = grad.contiguous()
    needs = ctx.needs_input_grad
    of_values = values_grad(crow, col, grad, x, values.shape[1]) if needs[2] else None
    of_x = input_grad(crow, col, values, grad, x.shape[-1]) if needs[3] else None
    of_bias = grad.reshape(-1, grad.shape[-1]).sum(0) if ctx.has_bias and needs[4] else None
    return None, None, of_values, of_x, of_bias


def _save_mm(ctx, inputs, output):  # type: ignore[no-untyped-def]
    ctx.save_for_backward(*inputs[:4])


def _mm_backward(ctx, grad):  # type: ignore[no-untyped-def]
    """Those of the linear layer: b is x transposed."""
    crow, col, values, b = ctx.saved_tensors
    by_row = grad.t().contiguous()
    needs = ctx.needs_input_grad
    of_values = _operators.bsr_linear_values_grad(crow, col, by_row, b.t().contiguous(), values.shape[1]) if needs[2] else None
    of_b = _operators.bsr_linear_input_grad(crow, col, values, by_row, b.shape[0]).t() if needs[3] else None
    return None, None, of_values, of_b, None


torch.library.register_autograd("tilewright::bsr_linear", _linear_backward, setup_context=_save_linear, lib=_library)
torch.library.register_autograd("tilewright::bsr_mm", _mm_backward, setup_context=_save_mm, lib=_library)


class _Linear(torch.autograd.Function):
    """bsr_linear with its gradients for a plain call: without operators a training step takes two thirds of the CPU's time."""

    @staticmethod
    def forward(ctx, crow, col, values, x, bias, out_features):  # type: ignore[no-untyped-def]
        ctx.save_for_backward(crow, col, values, x)
        ctx.has_bias = bias is not None
        return _linear(crow, col, values, x, bias, out_features, "none")

    @staticmethod
    def backward(ctx, grad):  # type: ignore[no-untyped-def]
        if torch.is_grad_enabled():  # gradients of gradients are PyTorch's to refuse
            return _linear_backward(ctx, grad)[:-1]
        return *_gradients(ctx, grad, _values_grad, _input_grad), None


_activations = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu-erf": torch.nn.functional.gelu,
    "gelu-tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


_modes: Callable[[], Any]
_trace: Callable[[], Any]
_transforms: Callable[[], Any]
try:
    _modes, _trace = torch._C._len_torch_dispatch_stack, torch._C._is_tracing
    _transforms = torch._C._functorch.peek_interpreter_stack
except AttributeError:  # another release: each call goes through the operator
    _modes = _trace = _transforms = lambda: 1


def _is_plain_call(x: Tensor, values: Tensor) -> bool:
    """Whether no compiler, trace, mode or transform has to see the operator; leaving it out saves a third of the time of a call."""
    return (
        not is_compiling()
        and type(x) is Tensor
        and type(values) in (torch.nn.Parameter, Tensor)
        and _modes() == 0
        and _transforms() is None
        and not _trace()
    )


_exchange = getattr(Tensor, "__dlpack_c_exchange_api__", None)


def tensor_calls() -> TensorCalls | None:
    """Memory for the calls of one layer, which are repeated without a look from Python; None where PyTorch or the wheel has no way to."""
    if _exchange is None or not hasattr(torch._C, "_cuda_getDevice"):
        return None
    try:
        plain = (Tensor, torch.nn.Parameter)
        return TensorCalls(_exchange, plain, (_modes, _transforms, _trace), torch.is_grad_enabled, torch._C._cuda_getDevice)
    except NotImplementedError:
        return None


def linear_of_parts(
    crow: Tensor,
    col: Tensor,
    values: Tensor,
    x: Tensor,
    bias: Tensor | None,
    shape: tuple[int, int],
    activation: str,
    calls: TensorCalls | None = None,
) -> Tensor:
    """act(x A^T + bias) for A of `shape`; the activation by the library's name. Where a gradient is asked for, it is PyTorch's own,
    after the product.

    `calls` learn a call that is served without the operator.
    """
    out_features, in_features = shape
    if x.shape[-1] != in_features:  # the operators take A to have as many columns as x
        raise InvalidArgument(f"x has the shape {list(x.shape)}: its last dimension must be {in_features}, as A has columns")
    if x.dtype is not values.dtype and torch.is_autocast_enabled(x.device.type):
        x = x.to(values.dtype)  # a layer's type stays as it is: what autocast has rounded before it comes back
    if torch.is_grad_enabled() and (
        values.requires_grad or x.requires_grad or (bias is not None and bias.requires_grad)
    ):
        arguments = (crow, col, values, x, bias, out_features)
        y: Tensor = _Linear.apply(*arguments) if _is_plain_call(x, values) else _operators.bsr_linear.default(*arguments, "none")
        activated: Tensor = _activations[activation](y)
        return activated
    if _is_plain_call(x, values):
        kept = pattern_of(crow, col, out_features, x.shape[-1], values.shape[1])
        return run_linear(kept, values, x, bias, activation, calls, (crow, col))
    result: Tensor = _operators.bsr_linear_inference.default(crow, col, values, x, bias, out_features, activation)
    return result


def _parts_of(a: Any) -> tuple[Tensor, Tensor, Tensor]:
    """crow, col and values of a BsrMatrix, or of a torch.sparse_bsr tensor."""
    if isinstance(a, Tensor):
        # A view of a sparse tensor cannot enter compiled code; detached it can.
        values = a.values()
        return a.crow_indices(), a.col_indices(), values if values.requires_grad else values.detach()
    return a.pattern.row_ptr, a.pattern.col_idx, a.values


def linear(x: Tensor, a: Any, bias: Tensor | None = None, activation: str | None = None) -> Tensor:
    """act(x A^T + bias) for x [..., in]; A, out x in: a BsrMatrix of tensors, or a torch.sparse_bsr tensor. Differentiable."""
    crow, col, values = _parts_of(a)
    name = activation_name(activation)
    if is_compiling() or isinstance(a, Tensor):
        return linear_of_parts(crow, col, values, x, bias, tuple(a.shape), name)
    calls = a.calls.get(name)
    y: Tensor | None = repeat(calls, crow, col, x, values, bias)
    if y is not None:
        return y
    if calls is None:
        calls = a.calls[name] = tensor_calls()
    return linear_of_parts(crow, col, values, x, bias, a.shape, name, calls)


def matmul(a: Any, b: Tensor) -> Tensor:
    """A b for b [in, n], row-major, or of in elements; A: a BsrMatrix of tensors, or a torch.sparse_bsr tensor. Differentiable."""
    if b.dim() == 1:
        return matmul(a, b[:, None])[:, 0]
    if b.dim() != 2 or b.shape[0] != a.shape[1]:
        raise InvalidArgument(f"b has the shape {list(b.shape)}: it must have {a.shape[1]} rows, as A has columns")
    crow, col, values = _parts_of(a)
    product: Tensor = _operators.bsr_mm.default(crow, col, values, b, a.shape[0])
    return product

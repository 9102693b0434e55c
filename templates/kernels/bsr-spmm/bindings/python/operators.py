"""Operators of torch.library on the dense parts of a block-sparse matrix: crow, col, values. They can be compiled,
exported, differentiated and captured into CUDA graphs.

    tilewright::bsr_linear(crow, col, values, x, bias, out_features, activation): act(x A^T + bias), x [..., in]
    tilewright::bsr_mm(crow, col, values, b, rows): A b, b [in, n]

A is out x in. What a pattern takes to prepare (host copies, plans, the transposed pattern) is kept by the addresses of crow and
col, which stay alive with it; a change in place is noticed by their version.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..._arrays import View
from ..._errors import Error, InvalidArgument
from ..._operation import Plan
from .matrix import Pattern, activation_name

_kinds = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_patterns_kept = 4096


class KeptPattern:
    """A pattern of tensors, the tensors that it was made of, and the plans for it."""

    def __init__(self, crow: Tensor, col: Tensor, rows: int, columns: int, block: int) -> None:
        self._source = (crow.detach(), col.detach())
        self._versions = _versions(crow, col)
        self.crow, self.col = (_as_int32(one) for one in self._source)
        self.pattern = Pattern(self.crow, self.col, rows, columns, block)
        self.launches: dict[tuple[Any, ...], Plan | Error] = {}
        self._transposed: tuple[KeptPattern, Tensor] | None = None

    def is_current(self, crow: Tensor, col: Tensor) -> bool:
        """Whether the tensors are as they were when this was made of their memory."""
        return _versions(crow, col) == self._versions

    def transposed(self) -> tuple[KeptPattern, Tensor]:
        """The pattern of the transpose, and the place in `values` of each of its blocks."""
        if self._transposed is None:
            pattern, block = self.pattern, self.pattern.block
            height, width = pattern.rows // block, pattern.columns // block
            rows = _block_rows(self.crow, self.col)
            order = torch.argsort(self.col.long() * max(height, 1) + rows)
            lengths = torch.bincount(self.col, minlength=width)
            crow = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).int()
            kept = KeptPattern(crow, rows[order].int(), pattern.columns, pattern.rows, block)
            self._transposed = (kept, order)
        return self._transposed

    def run(self, key: tuple[Any, ...], like: Tensor, b: int, values: Tensor, bias: Tensor | None, c: int, alpha: float, beta: float) -> None:
        """Enqueues a product on the current stream. `key` as in Pattern.fields; `b` and `c`: addresses. Raises an Error where no kernel takes it."""
        device = key[0]
        plan = self.launches.get(key)
        if plan is None:
            plan = self._prepare(key, like)
        if isinstance(plan, Error):
            raise plan
        if like.is_cuda:
            assert _stream_of is not None
            stream = _stream_of(device)
            if torch.cuda.current_device() != device:
                with torch.cuda.device(device):
                    return self._enqueue(plan, stream, like, b, values, bias, c, alpha, beta)
        else:
            stream = 0
        return self._enqueue(plan, stream, like, b, values, bias, c, alpha, beta)

    def _enqueue(self, plan: Plan, stream: int, like: Tensor, b: int, values: Tensor, bias: Tensor | None, c: int, alpha: float, beta: float) -> None:
        pattern = self.pattern
        workspace = pattern.workspace(plan, like, stream) if plan.workspace_bytes else None
        address = None if bias is None else bias.data_ptr()
        plan.run([pattern.row_address, pattern.col_address, values.data_ptr(), b, address, None, c, alpha, beta], workspace, stream)

    def _prepare(self, key: tuple[Any, ...], like: Tensor) -> Plan | Error:
        _must_not_capture(like)
        place = View(0, (), (), "", "cuda" if like.is_cuda else "emulated", key[0])
        try:
            plan: Plan | Error = self.pattern.plan(key, like, place)
        except Error as error:
            plan = error
        self.launches[key] = plan
        return plan


_patterns: OrderedDict[tuple[int, ...], KeptPattern] = OrderedDict()


def pattern_of(crow: Tensor, col: Tensor, rows: int, columns: int, block: int) -> KeptPattern:
    """The pattern of index tensors. The first call with them copies them to the host, and so waits for the device."""
    key = (crow.data_ptr(), col.data_ptr(), rows, columns, block, col.numel())
    found = _patterns.get(key)
    if found is not None and found.is_current(crow, col):
        return found
    _must_not_capture(crow)
    made = KeptPattern(crow, col, rows, columns, block)
    _patterns[key] = made
    if len(_patterns) > _patterns_kept:
        _patterns.popitem(last=False)
    return made


def _versions(crow: Tensor, col: Tensor) -> tuple[int, int]:
    """Count changes in place; tensors of the inference mode do not count, and must not be changed."""
    return (0 if crow.is_inference() else crow._version, 0 if col.is_inference() else col._version)


def _as_int32(indices: Tensor) -> Tensor:
    """The kernels' own index type; equal to the original where that has it already."""
    return indices.to(torch.int32).contiguous()


def _must_not_capture(like: Tensor) -> None:
    if like.is_cuda and torch.cuda.is_current_stream_capturing():
        raise Error("a plan cannot be made while a CUDA graph is captured: run the same product once before the capture")


def _block_rows(crow: Tensor, col: Tensor) -> Tensor:
    """Block row of each stored block."""
    rows = torch.arange(crow.numel() - 1, device=crow.device)
    return torch.repeat_interleave(rows, crow.diff(), output_size=col.numel())


def _check_values(values: Tensor, x: Tensor) -> None:
    if values.dtype != x.dtype or values.device != x.device:
        raise InvalidArgument(f"values are {values.dtype} on {values.device}, the operand is {x.dtype} on {x.device}: they must agree")
    if values.dtype not in _kinds:
        raise InvalidArgument(f"values are {values.dtype}: float16 and bfloat16 are served")
    if not values.is_contiguous():
        raise InvalidArgument("values must be contiguous")


def run_linear(kept: KeptPattern, values: Tensor, x: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    """act(x A^T + bias), row-major, for x [..., in]."""
    pattern = kept.pattern
    width = x.shape[-1]
    if width != pattern.columns:
        raise InvalidArgument(f"x has rows of {width} elements, and A has {pattern.columns} columns")
    _check_values(values, x)
    if bias is not None and (bias.dtype != x.dtype or bias.device != x.device or bias.shape != (pattern.rows,) or not bias.is_contiguous()):
        raise InvalidArgument(f"bias is {bias.dtype} of shape {list(bias.shape)}: it must be like x, contiguous, of {pattern.rows} elements")
    if not x.is_contiguous() and not (x.dim() == 2 and x.stride(1) == 1 and x.stride(0) >= width):
        x = x.contiguous()
    count = x.numel() // width if width else x.shape[:-1].numel()
    pitch = x.stride(0) if x.dim() == 2 and count > 1 else width
    kind = _kinds[x.dtype]
    y = x.new_empty((*x.shape[:-1], pattern.rows))
    key = (x.get_device() if x.is_cuda else 0, count, kind, kind, pitch, pattern.rows, "column", "column", bias is not None, activation, False)
    kept.run(key, x, x.data_ptr(), values, bias, y.data_ptr(), 1.0, 0.0)
    return y


def run_matmul(kept: KeptPattern, values: Tensor, b: Tensor, out: Tensor | None = None, bias: Tensor | None = None, alpha: float = 1.0, beta: float = 0.0) -> Tensor:
    """alpha A b + beta out + bias, for b [in, n] in either order; bias: an element per row of A. Made row-major where there is no `out`."""
    pattern = kept.pattern
    if b.dim() != 2 or b.shape[0] != pattern.columns:
        raise InvalidArgument(f"b has the shape {list(b.shape)}: it must have {pattern.columns} rows, as A has columns")
    _check_values(values, b)
    layout, pitch = _order(b)
    if layout is None:
        b = b.contiguous()
        layout, pitch = _order(b)
    c = b.new_empty((pattern.rows, b.shape[1])) if out is None else out
    layout_c, pitch_c = _order(c)
    if layout_c is None:
        raise InvalidArgument(f"out has the strides {list(c.stride())}: neither its rows nor its columns are contiguous")
    kind = _kinds[b.dtype]
    device = b.get_device() if b.is_cuda else 0
    key = (device, b.shape[1], kind, _kinds[c.dtype], pitch, pitch_c, layout, layout_c, bias is not None, "none", beta != 0)
    kept.run(key, b, b.data_ptr(), values, bias, c.data_ptr(), alpha, beta)
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


_gathered_elements = 1 << 27


def _values_grad(crow: Tensor, col: Tensor, grad: Tensor, x: Tensor, block: int) -> Tensor:
    """The blocks of grad^T x that A has: dense products of gathered panels, so many at a time as fit into 256 MB."""
    grad, x = grad.reshape(-1, grad.shape[-1]), x.reshape(-1, x.shape[-1])
    tokens, rows = grad.shape[0], _block_rows(crow, col)
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


def _linear_backward(ctx, grad):  # type: ignore[no-untyped-def]
    crow, col, values, x = ctx.saved_tensors
    grad = grad.contiguous()
    needs = ctx.needs_input_grad
    of_values = _operators.bsr_linear_values_grad(crow, col, grad, x, values.shape[1]) if needs[2] else None
    of_x = _operators.bsr_linear_input_grad(crow, col, values, grad, x.shape[-1]) if needs[3] else None
    of_bias = grad.reshape(-1, grad.shape[-1]).sum(0) if ctx.has_bias and needs[4] else None
    return None, None, of_values, of_x, of_bias, None, None


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

_activations = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu-erf": torch.nn.functional.gelu,
    "gelu-tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


@dataclass(frozen=True)
class Parts:
    """The dense parts of a block-sparse matrix: what the operators take."""

    crow: Tensor
    col: Tensor
    values: Tensor
    rows: int


def linear_of_parts(parts: Parts, x: Tensor, bias: Tensor | None, activation: str | None) -> Tensor:
    """act(x A^T + bias). Where a gradient is asked for, the activation is PyTorch's own, after the product."""
    act = activation_name(activation)
    crow, col, values = parts.crow, parts.col, parts.values
    if torch.is_grad_enabled() and (values.requires_grad or x.requires_grad or (bias is not None and bias.requires_grad)):
        return _activations[act](_operators.bsr_linear(crow, col, values, x, bias, parts.rows, "none"))
    return _operators.bsr_linear_inference.default(crow, col, values, x, bias, parts.rows, act)


def parts_of(a: Any) -> Parts:
    """Parts of a BsrMatrix, or of a torch.sparse_bsr tensor."""
    if isinstance(a, Tensor):
        # A view of a sparse tensor cannot enter compiled code; detached it can.
        values = a.values()
        return Parts(a.crow_indices(), a.col_indices(), values if values.requires_grad else values.detach(), a.shape[0])
    return Parts(a.pattern.row_ptr, a.pattern.col_idx, a.values, a.shape[0])


def linear(x: Tensor, a: Any, bias: Tensor | None = None, activation: str | None = None) -> Tensor:
    """act(x A^T + bias) for x [..., in]; A, out x in: a BsrMatrix of tensors, or a torch.sparse_bsr tensor. Differentiable."""
    return linear_of_parts(parts_of(a), x, bias, activation)


def matmul(a: Any, b: Tensor) -> Tensor:
    """A b for b [in, n], row-major; A: a BsrMatrix of tensors, or a torch.sparse_bsr tensor. Differentiable."""
    parts = parts_of(a)
    return _operators.bsr_mm(parts.crow, parts.col, parts.values, b, parts.rows)

"""Linear layers with block-sparse weights."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.compiler import is_compiling

from ..._errors import InvalidArgument
from ..._operation import TensorCalls, repeat
from .matrix import activation_name
from .operators import linear_of_parts, tensor_calls
from .patterns import served_types


class SparseLinear(nn.Module):
    """y = act(x W^T + bias), W in block sparse rows: buffers `crow` and `col` (int32), parameter `values`.

    The pattern is fixed; values and bias are trained. A state_dict with another number of blocks is taken, pattern and all.
    """

    crow: Tensor
    col: Tensor
    values: nn.Parameter
    bias: nn.Parameter | None

    def __init__(
        self,
        crow: Tensor,
        col: Tensor,
        values: Tensor,
        out_features: int,
        in_features: int,
        bias: Tensor | None = None,
        activation: str | None = None,
    ) -> None:
        """Of the parts of W, out_features x in_features: block rows' starts, block columns, blocks x block x block."""
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.block = values.shape[-1]
        self.activation = activation
        self.register_buffer("crow", crow.to(torch.int32))
        self.register_buffer("col", col.to(torch.int32))
        self.values = nn.Parameter(values)
        self.register_parameter("bias", None if bias is None else nn.Parameter(bias))
        self._activation = activation_name(activation)
        self._calls: TensorCalls | None = tensor_calls()
        self._register_load_state_dict_pre_hook(self._fit)

    @classmethod
    def from_linear(cls, linear: nn.Linear, block: int = 64, density: float = 0.1, activation: str | None = None) -> SparseLinear:
        """Keeps that share of a dense layer's blocks, those of the largest norm; each block row at least one where the share allows it."""
        weight = linear.weight.detach()
        rows, columns = weight.shape
        if rows % block or columns % block:
            raise InvalidArgument(f"a layer of {rows} x {columns} has no whole blocks of {block}")
        if not 0 < density <= 1:
            raise InvalidArgument(f"density is {density}: it must be above 0 and at most 1")
        grid = weight.reshape(rows // block, block, columns // block, block).transpose(1, 2)
        kept = _largest(torch.linalg.vector_norm(grid.float(), dim=(2, 3)), density)
        crow = torch.cat([kept.new_zeros(1, dtype=torch.int32), kept.sum(1).cumsum(0).int()])
        col = kept.nonzero()[:, 1].int()
        bias = None if linear.bias is None else linear.bias.detach().clone()
        return cls(crow, col, grid[kept].contiguous(), rows, columns, bias, activation)

    def forward(self, x: Tensor) -> Tensor:
        # Module's own look-up of attributes takes longer than the launch of a kernel.
        buffers: dict[str, Any] = self._buffers
        parameters: dict[str, Any] = self._parameters
        crow, col, values, bias = buffers["crow"], buffers["col"], parameters["values"], parameters["bias"]
        if is_compiling():
            return linear_of_parts(crow, col, values, x, bias, (self.out_features, self.in_features), self._activation)
        y: Tensor | None = repeat(self._calls, crow, col, x, values, bias)
        if y is not None:
            return y
        return linear_of_parts(crow, col, values, x, bias, (self.out_features, self.in_features), self._activation, self._calls)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_calls": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_calls": tensor_calls()})

    def dense_weight(self) -> Tensor:
        """W with its zeros, out_features x in_features."""
        rows = torch.repeat_interleave(
            torch.arange(self.crow.numel() - 1, device=self.crow.device), self.crow.diff(), output_size=self.col.numel()
        )
        grid = self.values.new_zeros(self.out_features // self.block, self.in_features // self.block, self.block, self.block)
        grid[rows, self.col.long()] = self.values.detach()
        return grid.transpose(1, 2).reshape(self.out_features, self.in_features)

    def extra_repr(self) -> str:
        share = self.col.numel() * self.block**2 / (self.in_features * self.out_features)
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, block={self.block}, density={share:.3f}, "
            f"bias={self.bias is not None}, activation={self.activation}"
        )

    def _fit(self, state: dict[str, Any], prefix: str, *_: Any) -> None:
        """Makes room for a pattern of another number of blocks."""
        values = state.get(f"{prefix}values")
        if values is not None and values.shape[0] != self.values.shape[0] and values.shape[1:] == self.values.shape[1:]:
            self.col = self.col.new_empty(values.shape[0])
            self.values = nn.Parameter(self.values.new_empty(values.shape), requires_grad=self.values.requires_grad)


def _largest(norms: Tensor, density: float) -> Tensor:
    """Mask of the largest: their share of all, rounded, and of each row the largest one first."""
    count = min(norms.numel(), max(1, round(density * norms.numel())))
    ranked = norms.clone()
    if count >= norms.shape[0] and norms.shape[1] > 0:
        ranked[torch.arange(norms.shape[0]), norms.argmax(1)] = math.inf
    kept = torch.zeros_like(norms, dtype=torch.bool)
    kept.view(-1)[ranked.view(-1).topk(count).indices] = True
    return kept


def sparsify_(
    model: nn.Module,
    block: int = 64,
    density: float = 0.1,
    filter_fn: Callable[[nn.Module, str], bool] | None = None,
) -> nn.Module:
    """Replaces linear layers by block-sparse ones that keep the blocks of the largest norm, in place.

    Args:
        model: its layers of type nn.Linear are replaced, of types that the library has kernels for, with sizes in multiples of `block`.
        block: rows, and columns, of a block.
        density: share of the blocks that stay.
        filter_fn: told a linear layer and its name; one for which it is false stays as it is.

    Returns:
        The model. Warns once where layers stay dense that were to be replaced, with the reason of each, or where no layer was replaced.
    """
    replaced: dict[nn.Module, SparseLinear] = {}  # a layer under two names stays one
    dense = ["the model itself is a layer, which nothing holds: put it into an nn.Sequential"] if isinstance(model, nn.Linear) else []
    for name, module in list(model.named_modules()):
        for child_name, child in list(module._modules.items()):  # named_children() leaves out a layer's second name
            path = f"{name}.{child_name}".lstrip(".")
            if not isinstance(child, nn.Linear) or (filter_fn is not None and not filter_fn(child, path)):
                continue
            why = _why_dense(child, block)
            if why is not None:
                dense.append(f"{path}: {why}")
                continue
            if child not in replaced:
                replaced[child] = SparseLinear.from_linear(child, block, density)
            setattr(module, child_name, replaced[child])
    if not replaced and not dense:
        warnings.warn("no layer was replaced: the model has no nn.Linear inside that was to be", stacklevel=2)
    elif dense:
        stay = "1 linear layer stays" if len(dense) == 1 else f"{len(dense)} linear layers stay"
        said = f"{stay} dense" if replaced else "no layer was replaced"
        warnings.warn("\n  ".join([f"{said}:", *dense]), stacklevel=2)
    return model


def _why_dense(layer: nn.Linear, block: int) -> str | None:
    """Reason for which a layer cannot be replaced; None if it can."""
    if type(layer) is not nn.Linear:
        return f"a {type(layer).__name__}, which may do more than an nn.Linear"
    rows, columns = layer.weight.shape
    dtype = layer.weight.dtype
    if dtype not in served_types(block):
        served = ", ".join(sorted(str(one).removeprefix("torch.") for one in served_types(block))) or "no type"
        return f"{str(dtype).removeprefix('torch.')}, and in blocks of {block} the library has kernels for {served}"
    if rows % block or columns % block:
        return f"{rows} x {columns} is not in whole blocks of {block}"
    return None

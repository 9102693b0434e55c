"""Patterns of index tensors with their calls: what operators keep from one product to the next.

Kept by the addresses of crow and col, which stay alive with it; a change in place is noticed by their version.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from functools import cache
from typing import Any

import torch
from torch import Tensor

from ..._errors import Error, InvalidArgument
from ..._library import manifest
from ..._operation import Call, run
from .matrix import Pattern

SampledProduct: Any = None
with contextlib.suppress(ImportError):  # a library without that operation
    from ..bsr_sddmm.torch import SampledProduct

kinds = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_current_device = getattr(torch._C, "_cuda_getDevice", None)
_patterns_kept = 4096


def _serves_layers(serves: dict[str, Any], block: int) -> bool:
    """Whether a kernel takes y = x W^T of rows that lie one behind the other, for W in blocks of that size."""
    columns = all("column" in serves.get(name, ["column"]) for name in ("layoutB", "layoutC"))
    return columns and block in serves.get("block", [block])


@cache
def served_types(block: int | None = None) -> frozenset[torch.dtype]:
    """Types of factors for which the library has kernels, in blocks of that size if one is given; of float32, which multiply them unrounded."""
    serves = [variant["serves"] for variant in manifest()["operations"]["bsr_spmm"]["variants"]]
    served = [one for one in serves if "no" in one.get("tf32", ["no"]) and (block is None or _serves_layers(one, block))]
    return frozenset(kind for kind, name in kinds.items() if any(name in one["input"] and name in one["output"] for one in served))


class Launch:
    """Calls of one kind on one device, ready for runs that differ in addresses and scalars alone."""

    def __init__(self, call: Call, device: int) -> None:
        self._call = call
        self._device = device
        self._check = call.library.check
        self.ready = call.ready(("b", "values", "bias", "c"), alpha=1.0, beta=0.0)

    def __call__(self, b: int, values: int, bias: int | None, c: int) -> None:
        """Enqueues a product on the current stream of the device; all are addresses."""
        device = self._device
        if device < 0:
            status = run(self.ready, 0, b, values, bias, c)
        elif device == _current_device():  # type: ignore[misc]
            status = run(self.ready, _stream_of(device), b, values, bias, c)  # type: ignore[misc]
        else:
            with torch.cuda.device(device):
                status = run(self.ready, _stream_of(device), b, values, bias, c)  # type: ignore[misc]
        if status:
            self._check(status)

    def scaled(self, b: int, values: int, bias: int | None, c: int, alpha: float, beta: float) -> None:
        """The same with alpha and beta; slower."""
        operands = self._call.operands()
        operands.b, operands.values, operands.bias, operands.c = b, values, bias, c
        operands.alpha, operands.beta = alpha, beta
        if self._device < 0:
            self._call.run(operands, 0)
        else:
            with torch.cuda.device(self._device):
                self._call.run(operands, _stream_of(self._device))  # type: ignore[misc]


class KeptPattern:
    """A pattern of tensors, the tensors that it was made of, and the launches for it."""

    def __init__(self, crow: Tensor, col: Tensor, rows: int, columns: int, block: int, exhaustive: bool = False) -> None:
        self._source = (crow.detach(), col.detach())
        #: As they were given: what is the same object needs no look at addresses.
        self.objects = (crow, col)
        self.version = version_of(crow, col)
        # The kernels' own index type; the original where it is that.
        self.crow, self.col = (one.to(torch.int32).contiguous() for one in self._source)
        self.pattern = Pattern(self.crow, self.col, rows, columns, block, exhaustive)
        self.rows, self.columns, self.block = rows, columns, block
        self.elements = self.pattern.blocks * block * block
        #: By what a product asks for.
        self.launches: dict[tuple[Any, ...], Launch] = {}
        self._transposed: tuple[KeptPattern, Tensor] | None = None
        self._sampled: Any = None

    def transposed(self) -> tuple[KeptPattern, Tensor]:
        """The pattern of the transpose, and the place in `values` of each of its blocks."""
        if self._transposed is None:
            pattern, block = self.pattern, self.pattern.block
            height, width = pattern.grid
            rows = block_rows(self.crow, self.col)
            order = torch.argsort(self.col.long() * max(height, 1) + rows)
            lengths = torch.bincount(self.col, minlength=width)
            crow = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)]).int()
            kept = KeptPattern(crow, rows[order].int(), pattern.columns, pattern.rows, block)
            self._transposed = (kept, order)
        return self._transposed

    def sampled(self) -> Any:
        """Dense products at the pattern's blocks, by the operation bsr_sddmm; None if the library lacks it."""
        if SampledProduct is not None and self._sampled is None:
            self._sampled = SampledProduct(self.crow, self.col, self.rows, self.columns, self.block)
        return self._sampled

    def launch(self, key: tuple[Any, ...], device: int) -> Launch:
        """Launch of the products of a key of Pattern.call, on a GPU or, with -1, on the CPU."""
        found = self.launches.get(key)
        if found is None:
            found = self.launches[key] = Launch(self.pattern.call(key), device)
        return found

    def check_values(self, values: Tensor, operand: Tensor) -> None:
        """Raises InvalidArgument for values that are not those of the pattern, or unlike the dense operand."""
        if values.dtype != operand.dtype or values.device != operand.device:
            raise InvalidArgument(
                f"values are {values.dtype} on {values.device}, the operand is {operand.dtype} on {operand.device}: they must agree"
            )
        if values.device != self.crow.device:
            raise InvalidArgument(f"values are on {values.device}, the pattern on {self.crow.device}: move one")
        if values.dtype not in kinds:
            raise InvalidArgument(f"values are {values.dtype}: float16, bfloat16 and float32 are served")
        if values.numel() != self.elements or not values.is_contiguous():
            blocks, block = self.pattern.blocks, self.pattern.block
            raise InvalidArgument(f"values has the shape {list(values.shape)}: it must be a contiguous {[blocks, block, block]}")


_patterns: OrderedDict[tuple[int, ...], KeptPattern] = OrderedDict()
#: The same by the identity of the tensors that they were made of, which live as long as their entry.
_near: dict[tuple[int, int], KeptPattern] = {}


def pattern_of(crow: Tensor, col: Tensor, rows: int, columns: int, block: int) -> KeptPattern:
    """The pattern of index tensors. The first call with them copies them to the host, and so waits for the device."""
    near = _near.get((id(crow), id(col)))
    if near is not None and near.columns == columns and near.rows == rows and near.block == block:
        # Of tensors that count no changes there are none to see.
        if near.version < 0 or near.version == crow._version + col._version:
            return near
    key = (crow.data_ptr(), col.data_ptr(), rows, columns, block, col.numel())
    found = _patterns.get(key)
    if found is None or found.version != version_of(crow, col):
        must_not_capture(crow)
        if found is not None:
            _forget(key, found)
        found = _patterns[key] = KeptPattern(crow, col, rows, columns, block)
        _near[id(crow), id(col)] = found
        if len(_patterns) > _patterns_kept:
            _forget(*_patterns.popitem(last=False))
    return found


def _forget(_: tuple[int, ...], kept: KeptPattern) -> None:
    crow, col = kept.objects
    if _near.get((id(crow), id(col))) is kept:
        del _near[id(crow), id(col)]


def version_of(crow: Tensor, col: Tensor) -> int:
    """Grows with changes in place; tensors of the inference mode do not count them, and must not be changed."""
    try:
        return int(crow._version + col._version)
    except RuntimeError:
        return -1


def must_not_capture(like: Tensor) -> None:
    """Raises where a CUDA graph is captured: a new pattern is copied to the host."""
    if like.is_cuda and torch.cuda.is_current_stream_capturing():
        raise Error("a new pattern cannot be read while a CUDA graph is captured: run the same product once before")


def block_rows(crow: Tensor, col: Tensor) -> Tensor:
    """Block row of each stored block."""
    rows = torch.arange(crow.numel() - 1, device=crow.device)
    return torch.repeat_interleave(rows, crow.diff(), output_size=col.numel())

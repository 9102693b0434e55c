"""Dense products at the blocks of a pattern, in PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..._arrays import current_stream, on_device, view
from ..._errors import Error, InvalidArgument
from ..._library import load
from ..._plan import Plan
from ._signature import OPERATION

__all__ = ["SampledProduct"]


_plans_kept = 64


class _Planned:
    """A plan and its workspaces by stream: two runs at once may not share one."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.workspaces: dict[int, Tensor] = {}


class SampledProduct:
    """alpha X Y^T + beta A at the stored blocks of a pattern: gradients of block-sparse weights, scores of block-sparse attention."""

    def __init__(self, crow: Tensor, col: Tensor, rows: int, columns: int, block: int) -> None:
        """Of block rows' starts and block columns (int32); A is rows x columns. Copies crow to the host, which waits for the device."""
        self.crow, self.col = (one.detach().to(torch.int32).contiguous() for one in (crow, col))
        self.rows, self.columns, self.block = rows, columns, block
        self._host = self.crow.cpu()
        self._plans: dict[tuple[Any, ...], _Planned] = {}

    def __call__(self, x: Tensor, y: Tensor, out: Tensor | None = None, *, alpha: float = 1.0, beta: float = 0.0) -> Tensor:
        """The blocks, one after the other.

        Args:
            x: rows x k, y: columns x k, float16 or bfloat16, each row-major or column-major.
            out: blocks x block x block, of their type or float32; read only where beta is not 0. Made where it is not given.

        Raises:
            NotSupported: no kernel of the library takes it.
        """
        if x.dtype != y.dtype or x.device != y.device or x.device != self.crow.device:
            raise InvalidArgument(f"x is {x.dtype} on {x.device}, y {y.dtype} on {y.device}, the pattern on {self.crow.device}: they must agree")
        if x.dim() != 2 or y.dim() != 2 or (x.shape[0], y.shape[0], x.shape[1]) != (self.rows, self.columns, y.shape[1]):
            raise InvalidArgument(f"x has the shape {list(x.shape)} and y {list(y.shape)}: they must be {self.rows} x k and {self.columns} x k")
        size = (self.col.numel(), self.block, self.block)
        if out is None:
            if beta != 0:
                raise InvalidArgument("beta is not 0, and there is no out to read")
            out = x.new_empty(size)
        if out.shape != size or not out.is_contiguous():
            raise InvalidArgument(f"out has the shape {list(out.shape)}: it must be a contiguous {list(size)}")
        if out.device != x.device:
            raise InvalidArgument(f"out is on {out.device}, x on {x.device}: move one")
        x, y = _packed(x), _packed(y)
        place = view(x, "x")
        with on_device(x, place):
            self._run(x, y, out, place.device, alpha, beta)
        return out

    def explain(self, x: Tensor, y: Tensor) -> str:
        """Name of the kernel that serves such a product."""
        with on_device(x, view(x, "x")):
            return self._planned(_packed(x), _packed(y), x.dtype).plan.variant

    def _run(self, x: Tensor, y: Tensor, out: Tensor, device: int, alpha: float, beta: float) -> None:
        planned, stream = self._planned(x, y, out.dtype), current_stream(x, device)
        workspace = planned.workspaces.get(stream)
        if workspace is None:
            if x.is_cuda and torch.cuda.is_current_stream_capturing():
                raise Error("a new product cannot be planned while a CUDA graph is captured: run it once before, on the stream of the capture")
            workspace = torch.empty(planned.plan.workspace_bytes + 256, dtype=torch.uint8, device=x.device)
            planned.workspaces[stream] = workspace
            planned.plan.prepare(_aligned(workspace), stream)
        addresses = {"row_ptr": self.crow, "col_idx": self.col, "x": x, "y": y, "values": out}
        operands = {name: tensor.data_ptr() for name, tensor in addresses.items()}
        planned.plan.run({**operands, "alpha": alpha, "beta": beta}, _aligned(workspace), stream)

    def _planned(self, x: Tensor, y: Tensor, output: torch.dtype) -> _Planned:
        key = (x.shape[1], x.dtype, output, x.stride(), y.stride())
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= _plans_kept:
                del self._plans[next(iter(self._plans))]
            found = self._plans[key] = _Planned(self._plan(x, y, output))
        return found

    def _plan(self, x: Tensor, y: Tensor, output: torch.dtype) -> Plan:
        sizes = {"m": self.rows, "n": self.columns, "k": x.shape[1], "block": self.block, "blocks": self.col.numel()}
        (layout_x, ldx), (layout_y, ldy) = _order(x), _order(y)
        fields = {
            **{"input": _kind(x.dtype), "output": _kind(output), "index": "i32"},
            **{"layout_x": layout_x, "layout_y": layout_y, "ldx": ldx, "ldy": ldy},
            "host_row_ptr": self._host.data_ptr(),
        }
        return Plan(load("cuda" if x.is_cuda else "emulated"), OPERATION, {**sizes, **fields})


def _kind(dtype: torch.dtype) -> str:
    names = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
    if dtype not in names:
        raise InvalidArgument(f"elements of {dtype}: {', '.join(map(str, names))} are known")
    return names[dtype]


def _packed(matrix: Tensor) -> Tensor:
    """The matrix where its rows or its columns are contiguous; else a copy."""
    down, across = matrix.stride()
    rows, columns = matrix.shape
    row = (across == 1 or columns <= 1) and (down >= columns or rows <= 1)
    column = (down == 1 or rows <= 1) and (across >= rows or columns <= 1)
    return matrix if row or column else matrix.contiguous()


def _order(matrix: Tensor) -> tuple[str, int]:
    """Layout and elements from one line to the next."""
    down, across = matrix.stride()
    rows, columns = matrix.shape
    if (across == 1 or columns <= 1) and (down >= columns or rows <= 1):
        return "row", down if rows > 1 else max(columns, 1)
    return "column", across if columns > 1 else max(rows, 1)


def _aligned(workspace: Tensor) -> int:
    return (int(workspace.data_ptr()) + 255) & ~255

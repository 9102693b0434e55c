"""Times of a product: this library beside PyTorch's own ways."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ._table import Row, Table
from .matrix import BsrMatrix, exhaustively, measured_rows
from .operators import linear, run_linear
from .patterns import KeptPattern

_samples = 20


def benchmark(a: BsrMatrix, x: Tensor, *, eager: bool = False, exhaustive: bool = False) -> Table:
    """Times x A^T for x [tokens, in] in each way there is, fastest first: this library, PyTorch's BSR and its dense product.

    On a GPU a CUDA graph of 20 products is timed, where a way can be captured, so that no call costs the CPU's time; with `eager`, calls as
    they are. The library measures first which of its kernels is the fastest; what it measured of the others is in the table, too: at most
    eight, or with `exhaustive` all that take the call, whatever the budget. On the CPU the emulated device stands for this library, and
    times mean nothing.
    """
    dense: Tensor = a.to_dense()
    stock = _stock(a)
    candidates = measured_rows(exhaustively(a) if exhaustive else a, x)
    wanted = x.float() @ dense.float().t()
    flops = 2 * a.values.numel() * x.shape[0]
    ways: dict[str, tuple[Callable[[], Tensor], str]] = {
        "tilewright": (_exhaustive_product(a, x) if exhaustive else lambda: linear(x, a), candidates[0].note),
        "PyTorch BSR": (lambda: torch.nn.functional.linear(x, stock), ""),
        "PyTorch dense": (lambda: torch.nn.functional.linear(x, dense), ""),
    }
    with torch.no_grad():
        rows = [_time(name, call, note, wanted, flops, eager) for name, (call, note) in ways.items()]
    return Table([*rows, *candidates[1:]])


def _exhaustive_product(a: BsrMatrix, x: Tensor) -> Callable[[], Tensor]:
    """x A^T by the kernel that was chosen of all."""
    pattern = a.pattern
    kept = KeptPattern(pattern.row_ptr, pattern.col_idx, pattern.rows, pattern.columns, pattern.block, exhaustive=True)
    return lambda: run_linear(kept, a.values, x, None, "none")


def _stock(a: BsrMatrix) -> Tensor:
    """The matrix as PyTorch's own, without its remark that such tensors are in beta."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        stock: Tensor = torch.sparse_bsr_tensor(a.pattern.row_ptr, a.pattern.col_idx, a.values, a.shape)
    return stock


def _time(name: str, call: Callable[[], Tensor], note: str, wanted: Tensor, flops: int, eager: bool) -> Row:
    try:
        result = call()
        error = float((result.float() - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30))
        seconds = seconds_of(call, eager) if result.is_cuda else _on_cpu(call)
    except Exception as why:
        return Row(name, None, None, None, str(why).partition("\n")[0])
    return Row(name, seconds, flops / seconds / 1e12, error, note)


def _on_cpu(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def seconds_of(call: Callable[[], Any], eager: bool = False, repeat: int = 20) -> float:
    """Median seconds of a call on the current GPU."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    run = None if eager else _captured(call, repeat)
    if run is None:

        def run() -> None:
            for _ in range(repeat):
                call()

    times = []
    for _ in range(_samples):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / repeat)
    return float(statistics.median(times))


def _captured(call: Callable[[], Any], repeat: int) -> Callable[[], None] | None:
    """A CUDA graph of the calls; None where they cannot be captured."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            call()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(repeat):
                call()
        graph.replay()
        torch.cuda.synchronize()
        replay: Callable[[], None] = graph.replay
        return replay
    except RuntimeError:
        return None

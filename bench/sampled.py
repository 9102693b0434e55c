#!/usr/bin/env python3
"""bsr_sddmm of an emitted library beside PyTorch's `sampled_addmm` (its Triton kernel) and dense cuBLAS, in turns in one process.

    python3 bench/sampled.py --library generated/library [--rounds 15] [--seconds 60]

f16, random blocks of another seed each run, launches in CUDA graphs, L2 as the launches before leave it. Prints a JSON line for each case:
medians in microseconds, effective TFLOPS, the clock of the SMs, and the largest error of ours beside the fp32 product, as a share of its
largest element. Needs PyTorch with CUDA and Triton.
"""

import argparse
import ctypes
import json
import secrets
import statistics
import subprocess
import time
from ctypes import byref, c_void_p

import torch
from torch.sparse._triton_ops import sampled_addmm

import tilewright_library as ours
from plans import SampledOperands, SampledProblem, opened

CALLS = 8  # in a graph
# Rows, columns, depth, block, density, order of X and Y.
CASES = [
    (4096, 4096, 4096, 64, 0.125, ours.LAYOUT_ROW),
    (4096, 4096, 4096, 128, 0.125, ours.LAYOUT_ROW),
    (8192, 8192, 8192, 128, 0.125, ours.LAYOUT_ROW),
    (14336, 4096, 8192, 64, 0.1, ours.LAYOUT_COLUMN),
]


def graph_of(call):
    """The call, CALLS times, as a CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call(stream)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(CALLS):
            call(stream)
    return graph


def microseconds(graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return 1e3 * begin.elapsed_time(end) / CALLS


class Sampled:
    """Our product, planned from the indices on the device."""

    def __init__(self, library, sizes, block, layout, crow, col, x, y):
        m, n, k = sizes
        self.library = library
        self.values = torch.full((col.numel(), block, block), float("nan"), dtype=torch.float16, device="cuda")
        problem = SampledProblem(ctypes.sizeof(SampledProblem), m, n, k)
        problem.block, problem.blocks = block, col.numel()
        problem.layout_x = problem.layout_y = layout
        addresses = [one.data_ptr() for one in (crow, col, x, y, self.values)]
        self.operands = SampledOperands(ctypes.sizeof(SampledOperands), *addresses, 1.0, 0.0)
        self.plan = c_void_p()
        c = library.c
        status = c.tw_bsr_sddmm_plan_create_from_device(byref(problem), byref(self.operands), None, byref(self.plan))
        library.check(status, "plan")
        self.room = c.tw_bsr_sddmm_workspace_bytes(self.plan)
        self.workspace = torch.empty(max(self.room, 1), dtype=torch.uint8, device="cuda")
        library.check(c.tw_bsr_sddmm_prepare(self.plan, self.workspace.data_ptr(), self.room, None), "prepare")
        self.variant = c.tw_bsr_sddmm_plan_variant(self.plan).decode()

    def __call__(self, stream):
        run = self.library.c.tw_bsr_sddmm_run
        status = run(self.plan, byref(self.operands), self.workspace.data_ptr(), self.room, stream.cuda_stream)
        self.library.check(status, "run")


def clock(graph):
    """MHz of the SMs while they replay the graph."""
    begin = time.monotonic()
    while time.monotonic() - begin < 0.2:
        for _ in range(20):
            graph.replay()
    command = ["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"]
    command += ["-i", f"GPU-{torch.cuda.get_device_properties(0).uuid}"]
    busy = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while busy.poll() is None:
        graph.replay()
    return int(busy.stdout.read().split()[0])


def compared(library, case, rounds):
    m, n, k, block, density, layout = case
    torch.manual_seed(secrets.randbits(32))
    mask = torch.rand(m // block, n // block, device="cuda") < density
    crow = torch.cat([torch.zeros(1, device="cuda", dtype=torch.int32), mask.sum(1).cumsum(0).int()])
    col = mask.nonzero()[:, 1].int().contiguous()
    by_rows = layout == ours.LAYOUT_ROW
    x, y = (torch.randn(*((rows, k) if by_rows else (k, rows)), dtype=torch.float16, device="cuda") for rows in (m, n))
    left, right = (x, y.T) if by_rows else (x.T, y)
    sampled = Sampled(library, (m, n, k), block, layout, crow, col, x, y)
    former = torch.sparse_bsr_tensor(crow.long(), col.long(), torch.zeros_like(sampled.values), (m, n))
    out = former.clone()
    systems = {
        "ours": sampled,
        "sampled_addmm": lambda stream: sampled_addmm(former, left, right, beta=0.0, out=out, skip_checks=True),
        "dense": lambda stream: left @ right,
    }
    graphs = {name: graph_of(call) for name, call in systems.items()}
    times = {name: [] for name in graphs}
    for _ in range(rounds):
        for name, graph in graphs.items():
            times[name].append(microseconds(graph))
    us = {name: statistics.median(all) for name, all in times.items()}
    rows, columns = mask.nonzero().unbind(1)
    want = (left.float() @ right.float()).reshape(m // block, block, n // block, block).permute(0, 2, 1, 3)[rows, columns]
    flops = 2 * col.numel() * block * block * k
    return {
        "case": {"m": m, "n": n, "k": k, "block": block, "density": density, "order": "row" if by_rows else "column"},
        "variant": sampled.variant,
        "us": {name: round(value, 1) for name, value in us.items()},
        "TFLOPS": {name: round(flops / us[name] / 1e6, 1) for name in ("ours", "sampled_addmm")},
        "times sampled_addmm": round(us["sampled_addmm"] / us["ours"], 1),
        "error": ((sampled.values.float() - want).abs().max() / want.abs().max()).item(),
        "MHz": clock(graphs["ours"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--library", required=True, help="an emitted library's folder, or one built of it")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=60, help="begin no further case after that")
    options = parser.parse_args()
    library = opened(options.library, "bsr_sddmm")
    begin = time.monotonic()
    print(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}))
    for case in CASES:
        if time.monotonic() - begin > options.seconds:
            break
        row = compared(library, case, options.rounds)
        print(json.dumps(row), flush=True)
        if not row["error"] < 1e-2:
            raise SystemExit("a product of ours is wrong")


if __name__ == "__main__":
    main()

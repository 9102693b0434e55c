#!/usr/bin/env python3
"""Milliseconds of plans: from host copies of the indices, from indices that the device alone has, and replans in place, of a plan and by key.

    python3 bench/plans.py --library generated/library [--operation bsr_sddmm] [--blocks 16384 65536 1000000] [--samples 15]

Random matrices of an eighth of their blocks, blocks of 64, 1024 columns of C (bsr_spmm) or of X (bsr_sddmm), f16. Prints a JSON line for each
number of blocks; times are medians, until the workspace's contents have arrived. By key that is tw_bsr_replan, from indices that the device alone has, and
tw_<operation>_explain behind it, which plans the next call without running it; `memory` counts how often the context asked for device memory and
gave it back, for its first plan and while the pattern was replaced. Then runs replanned products and checks them. Needs PyTorch
with CUDA; with a library's emulated half, `--library libtilewright_emulated.so`, nothing but Python, and nothing is run.
"""

import argparse
import array
import ctypes
import json
import math
import pathlib
import random
import statistics
import tempfile
import time
from ctypes import POINTER, byref, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p

import tilewright_library as ours

BLOCK, WIDTH = 64, 1024


class SampledProblem(ctypes.Structure):
    """tw_bsr_sddmm_problem."""

    _fields_ = [
        ("struct_size", c_size_t),
        *[(name, c_int64) for name in ("m", "n", "k", "block", "blocks", "batch")],
        *[(name, c_int) for name in ("input", "output", "index", "layout_x", "layout_y")],
        *[(name, c_int64) for name in ("ldx", "x_stride", "ldy", "y_stride", "values_stride")],
        *[(name, POINTER(c_int32)) for name in ("host_row_ptr", "host_col_idx")],
    ]


class SampledOperands(ctypes.Structure):
    """tw_bsr_sddmm_operands."""

    _fields_ = [
        ("struct_size", c_size_t),
        *[(name, c_void_p) for name in ("row_ptr", "col_idx", "x", "y", "values")],
        ("alpha", c_float),
        ("beta", c_float),
    ]


class Options(ctypes.Structure):
    """tw_context_options."""

    ALLOCATE, RELEASE = ctypes.CFUNCTYPE(c_void_p, c_size_t, c_void_p), ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
    _fields_ = [
        ("struct_size", c_size_t),
        *[(name, c_int) for name in ("policy", "budget_ms", "deterministic", "exhaustive")],
        ("cache", ctypes.c_char_p),
        ("scratch_limit", c_size_t),
        ("allocate", ALLOCATE),
        ("release", RELEASE),
        ("user", c_void_p),
    ]


class Structure(ctypes.Structure):
    """tw_bsr_structure."""

    _fields_ = [
        ("struct_size", c_size_t),
        *[(name, c_int64) for name in ("m", "k", "block", "blocks")],
        ("index", c_int),
        *[(name, c_void_p) for name in ("row_ptr", "col_idx", "host_row_ptr", "host_col_idx")],
    ]


STRUCTS = {"bsr_spmm": (ours.Problem, ours.Operands), "bsr_sddmm": (SampledProblem, SampledOperands)}


class Pattern:
    """Block rows and columns of a square matrix of `side` blocks, a share of `density` of them at random."""

    def __init__(self, side, density, seed):
        draw = random.Random(seed)
        self.side, self.row_ptr, self.columns = side, array.array("i", [0]), array.array("i")
        for _ in range(side):
            count = round(draw.gauss(side * density, math.sqrt(side * density * (1 - density))))
            self.columns.extend(sorted(draw.sample(range(side), min(max(count, 0), side))))
            self.row_ptr.append(len(self.columns))

    def pointer(self, which):
        return (c_int32 * len(which)).from_buffer(which)


class Planner:
    """The plan functions of one operation of a built library."""

    def __init__(self, library, operation):
        self.library, self.operation = library, operation
        self.problem_type, self.operands_type = STRUCTS[operation]

    def function(self, name):
        return getattr(self.library.c, f"tw_{self.operation}_{name}")

    def check(self, name, *arguments):
        self.library.check(self.function(name)(*arguments), name)

    def problem(self, pattern, host):
        size = pattern.side * BLOCK
        problem = self.problem_type(ctypes.sizeof(self.problem_type), block=BLOCK, blocks=len(pattern.columns))
        sizes = (size, WIDTH, size) if self.operation == "bsr_spmm" else (size, size, WIDTH)
        problem.m, problem.n, problem.k = sizes
        if host:
            problem.host_row_ptr = pattern.pointer(pattern.row_ptr)
            problem.host_col_idx = pattern.pointer(pattern.columns)
        return problem

    def operands(self, row_ptr, columns, **others):
        return self.operands_type(ctypes.sizeof(self.operands_type), row_ptr, columns, alpha=1.0, **others)

    def structure(self, pattern, operands):
        size = pattern.side * BLOCK
        sizes = {"m": size, "k": size, "block": BLOCK, "blocks": len(pattern.columns)}
        return Structure(ctypes.sizeof(Structure), row_ptr=operands.row_ptr, col_idx=operands.col_idx, **sizes)


class Keyed:
    """A pattern in a context that measures nothing, and counts its memory."""

    def __init__(self, planner, device, pattern, operands):
        self.planner, self.c = planner, planner.library.c
        self.allocated = self.released = 0
        options = Options(ctypes.sizeof(Options), policy=1, cache=b"")
        options.allocate, options.release = Options.ALLOCATE(self.allocate), Options.RELEASE(self.release)
        self.options, self.device, self.context, self.pattern = options, device, c_void_p(), c_void_p()
        planner.library.check(self.c.tw_context_create(0, byref(options), byref(self.context)), "context")
        structure = planner.structure(pattern, operands)
        planner.library.check(self.c.tw_bsr_create(self.context, byref(structure), None, byref(self.pattern)), "pattern")

    def allocate(self, count, _user):
        self.allocated += 1
        return self.device.allocate(count)

    def release(self, _memory, _user):
        self.released += 1

    def replan(self, pattern, operands):
        structure = self.planner.structure(pattern, operands)
        self.planner.library.check(self.c.tw_bsr_replan(self.pattern, byref(structure), None), "replan")

    def explain(self, problem, operands):
        """The report of a call, which is planned for it."""
        count = c_size_t(1 << 16)
        text = ctypes.create_string_buffer(count.value)
        self.planner.check("explain", self.context, self.pattern, byref(problem), byref(operands), text, byref(count))
        return json.loads(text.value)

    def run(self, problem, operands):
        call = getattr(self.c, f"tw_{self.planner.operation}")
        self.planner.library.check(call(self.context, self.pattern, byref(problem), byref(operands), None), "call")

    def close(self):
        self.c.tw_bsr_destroy(self.pattern), self.c.tw_context_destroy(self.context)


class Emulated:
    """Memory of the emulated device."""

    def __init__(self):
        self.kept = []

    def upload(self, values):
        return ctypes.addressof((c_int32 * len(values)).from_buffer(values))

    def allocate(self, count):
        self.kept.append(ctypes.create_string_buffer(count + 256))
        return (ctypes.addressof(self.kept[-1]) + 255) // 256 * 256

    def wait(self):
        pass


class Gpu:
    """Memory of the GPU, by PyTorch."""

    def __init__(self):
        import torch

        self.torch, self.kept = torch, []

    def upload(self, values):
        self.kept.append(self.torch.tensor(values.tolist(), dtype=self.torch.int32, device="cuda"))
        return self.kept[-1].data_ptr()

    def allocate(self, count):
        self.kept.append(self.torch.empty(max(count, 1), dtype=self.torch.uint8, device="cuda"))
        return self.kept[-1].data_ptr()

    def wait(self):
        self.torch.cuda.synchronize()


def milliseconds(device, call):
    device.wait()
    begin = time.perf_counter()
    call()
    device.wait()
    return 1e3 * (time.perf_counter() - begin)


def timed(planner, device, blocks, samples):
    """Medians for matrices of about `blocks` blocks."""
    side = math.ceil(math.sqrt(8 * blocks))
    patterns = [Pattern(side, 1 / 8, seed) for seed in (1, 2)]
    operands = [planner.operands(device.upload(one.row_ptr), device.upload(one.columns)) for one in patterns]
    times = {"host": [], "device": [], "replan": []}
    names = set()

    def created(name, *arguments):
        plan = c_void_p()
        planner.check(name, *arguments, byref(plan))
        return plan

    def planned(kind, *arguments):
        plans = []
        times[kind].append(milliseconds(device, lambda: plans.append(created(*arguments))))
        names.add(planner.function("plan_variant")(plans[0]).decode())
        planner.function("plan_destroy")(plans[0])

    for _ in range(samples):
        planned("host", "plan_create", byref(planner.problem(patterns[0], True)))
        problem = planner.problem(patterns[0], False)
        planned("device", "plan_create_from_device", byref(problem), byref(operands[0]), None)
    plan = created("plan_create_from_device", byref(planner.problem(patterns[0], False)), byref(operands[0]), None)
    room = 2 * planner.function("workspace_bytes")(plan) + 4096
    workspace = device.allocate(room)
    for sample in range(samples):
        which = (sample + 1) % 2
        problem, now = planner.problem(patterns[which], False), operands[which]
        replan = lambda: planner.check("replan", plan, byref(problem), byref(now), c_void_p(workspace), c_size_t(room), None)
        times["replan"].append(milliseconds(device, replan))
    names.add(planner.function("plan_variant")(plan).decode())
    planner.function("plan_destroy")(plan)
    memory = replanned_by_key(planner, device, patterns, operands, samples, times, names)
    medians = {kind: round(statistics.median(all), 3) for kind, all in times.items()}
    return {
        "operation": planner.operation,
        "blocks": len(patterns[0].columns),
        "ms": medians,
        "variants": sorted(names),
        "memory": memory,
    }


def replanned_by_key(planner, device, patterns, operands, samples, times, names):
    """Adds the times of the keyed path, and counts its requests for memory: [allocated, freed], at first and while the pattern changes."""
    keyed = Keyed(planner, device, patterns[0], operands[0])
    problem = planner.problem(patterns[0], False)
    anywhere = {name: 1 << 30 for name in ("values", "b", "c", "x", "y") if hasattr(operands[0], name)}  # nothing is run
    call = planner.operands(None, None, **anywhere)
    times["by key, first"] = [milliseconds(device, lambda: names.add(keyed.explain(problem, call)["variant"]))]
    at_first = [keyed.allocated, keyed.released]

    def replan(which):
        keyed.replan(patterns[which], operands[which])
        names.add(keyed.explain(problem, call)["variant"])

    every = [(sample + 1) % 2 for sample in range(samples)]
    times["by key, replan"] = [milliseconds(device, lambda: replan(which)) for which in every]
    memory = {"first": at_first, "replans": [keyed.allocated - at_first[0], keyed.released - at_first[1]]}
    keyed.close()
    return memory


def dense(torch, pattern, values):
    """A matrix with all of its zeros."""
    blocks = torch.zeros(pattern.side, pattern.side, BLOCK, BLOCK, dtype=values.dtype, device="cuda")
    rows = [row for row in range(pattern.side) for _ in range(pattern.row_ptr[row], pattern.row_ptr[row + 1])]
    blocks[rows, pattern.columns.tolist()] = values
    return blocks.permute(0, 2, 1, 3).reshape(pattern.side * BLOCK, -1)


def checked(planner, device, by_key):
    """Largest error, as a share of the largest element, of a product whose plan, or pattern in a context, was made for another one."""
    torch = device.torch
    before, now = Pattern(16, 0.25, 3), Pattern(16, 0.375, 4)
    size = 16 * BLOCK
    values = torch.randn(len(now.columns), BLOCK, BLOCK, dtype=torch.float16, device="cuda")
    left, right = (torch.randn(size, WIDTH, dtype=torch.float16, device="cuda") for _ in range(2))
    first = planner.operands(device.upload(before.row_ptr), device.upload(before.columns))
    row_ptr, columns = device.upload(now.row_ptr), device.upload(now.columns)
    if planner.operation == "bsr_spmm":
        want = dense(torch, now, values).float() @ left.float()
        operands = planner.operands(row_ptr, columns, values=values.data_ptr(), b=left.data_ptr(), c=right.data_ptr())
    else:
        want = left.float() @ right.float().T
        operands = planner.operands(row_ptr, columns, x=left.data_ptr(), y=right.data_ptr(), values=values.data_ptr())
    if by_key:
        keyed, problem = Keyed(planner, device, before, first), planner.problem(now, False)
        keyed.explain(problem, operands)
        keyed.replan(now, operands)
        keyed.run(problem, operands)
        device.wait()
        keyed.close()
    else:
        plan = c_void_p()
        planner.check("plan_create_from_device", byref(planner.problem(before, False)), byref(first), None, byref(plan))
        room = 2 * planner.function("workspace_bytes")(plan) + 4096
        workspace = device.allocate(room)
        planner.check("replan", plan, byref(planner.problem(now, False)), byref(operands), c_void_p(workspace), c_size_t(room), None)
        planner.check("run", plan, byref(operands), c_void_p(workspace), c_size_t(room), None)
        device.wait()
        planner.function("plan_destroy")(plan)
    if planner.operation == "bsr_sddmm":
        want = want * dense(torch, now, torch.ones_like(values))
        got = dense(torch, now, values).float()
    else:
        got = right.float()
    return ((got - want).abs().max() / want.abs().max()).item()


def opened(path, operation):
    """The library, built first where the path is an emitted folder."""
    if not pathlib.Path(path).is_dir():
        return ours.Library(path, operation)
    built = pathlib.Path(tempfile.mkdtemp()) / "libtilewright.so"
    ours.build(path, built, operation)
    return ours.Library(built, operation)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--library", required=True, help="an emitted library's folder, or one built of it")
    parser.add_argument("--operation", default="bsr_spmm", choices=sorted(STRUCTS))
    parser.add_argument("--blocks", type=int, nargs="+", default=[16384, 65536, 1000000])
    parser.add_argument("--samples", type=int, default=15)
    options = parser.parse_args()
    library = opened(options.library, options.operation)
    planner, device = Planner(library, options.operation), Gpu() if library.target() == "cuda" else Emulated()
    for blocks in options.blocks:
        print(json.dumps(timed(planner, device, blocks, options.samples)), flush=True)
    if library.target() == "cuda":
        errors = {kind: checked(planner, device, kind == "by key") for kind in ("plan", "by key")}
        print(json.dumps({"operation": options.operation, "replanned run, largest error": errors}), flush=True)
        if not max(errors.values()) < 1e-2:
            raise SystemExit("a replanned product is wrong")


if __name__ == "__main__":
    main()

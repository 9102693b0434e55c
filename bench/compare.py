#!/usr/bin/env python3
"""Times the emitted library against what PyTorch offers, all in one process, in turns, on the same matrix.

    python3 bench/compare.py --library generated/library --out compare.json
    python3 bench/compare.py --library generated/library --workloads shapes --out compare-shapes.json
    python3 bench/compare.py --library generated/library --workloads linear --seconds 4 --compile-seconds 120
    python3 bench/compare.py --workloads linear --configurations 12 --default --compile-only --compiled compiled.json
    python3 bench/compare.py --library generated/library --workloads linear --configurations 12 --default --compiled compiled.json
    python3 bench/compare.py --library generated/library --beside narrow=other/library --workloads 8192.d12.b64
    python3 bench/compare.py --library generated/library --list          (no GPU: what would be timed)

Systems, f16 in and out, on one random block-sparse matrix per workload:

    tilewright                the kernel that the library picks for the product, through its C interface
    tilewright, <label>       the same of another library of ours (--beside): how two variants compare under one power limit
    cuSPARSE BSR              cusparseSpMM on the matrix as it is
    cuSPARSE Blocked-ELL      the same with its rows padded to equal length
    triton bsr_dense_addmm    PyTorch's Triton kernel, each configuration of a grid tried, the best four timed with care
    pytorch default           the same kernel as PyTorch starts it; torch.nn.functional.linear where B and C are column-major (--default)
    cublas per block          one dense product for each stored block, which adds to C in f16; of few blocks (--per-block)
    cublas dense              the same product with the zeros of A multiplied too: what one would run without sparsity. A's zeros
                              draw little power, so that its clocks are higher than with numbers that are all different.
    cublas dense, full matrix a product of the same sizes with no zeros in A: what the tensor cores sustain. Another result.

Every time is of a CUDA graph of many launches; each round replays every graph once, forwards and backwards by turns, cuSPARSE's
in rounds of their own; median and median absolute deviation over rounds. `sustained` is a second of one system alone, with clock
and power read meanwhile. `cold` (--cold): every launch reads the next of many copies of A, which together exceed L2 three times; B is hot.
Results are compared with an fp64 product; a system that is wrong is marked so and makes the exit code 1.

TFLOPS are effective ones, 2 * stored elements * N / time; `ownTflops` of dense products count everything that they multiply.
`node dist/cli.js show bsr-spmm --json` and `gen problem` must work: they say what the workloads are and make their matrices, the
very ones of the gate and of `gen time`. Their values, and B, are drawn here.
"""

import argparse
import concurrent.futures
import datetime
import functools
import itertools
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import cusparse
import per_block
from matrices import structures_of
from tilewright_library import LAYOUT_COLUMN, LAYOUT_ROW, Library, LibraryError, Plan, build

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAIN = [f"{size}.d12.b{block}" for size in (4096, 8192) for block in (32, 64, 128)]
SYSTEMS = {"zeros": "cublas dense", "full": "cublas dense, full matrix", "ours": "tilewright", "triton": "triton bsr_dense_addmm"}
SYSTEMS |= {"default": "pytorch default", "blocks": "cublas per block"}
SYSTEMS |= {"bsr": "cuSPARSE BSR", "ell": "cuSPARSE Blocked-ELL"}
# Time that one replay of a graph should take at least, so that the events' own cost does not count.
REPLAY_US = 2500
# More products than this make graphs that are slow to build.
MOST_PER_BLOCK = 2100
# Copies of A that take more memory than this are too many to be told from one that exceeds L2 by itself.
COLD_BYTES = 8 << 30


def say(text):
    print(text, file=sys.stderr, flush=True)


def command_output(command, pattern=".*", cwd=None):
    """Part of a command's output that the pattern matches; None if it cannot be run or prints something else."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout) if done.returncode == 0 else None
    return found and found.group(0).strip()


def all_workloads():
    """The family's workloads by id."""
    command = ["node", str(ROOT / "dist/cli.js"), "show", "bsr-spmm", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event.get("event") == "family":
            return {one["id"]: one["problem"] for one in event["workloads"]}
    sys.exit(f"`{' '.join(command)}` does not list the workloads: {done.stderr[-500:]}")


def chosen_workloads(names, known):
    """
    Ids and problems. `main`: the six of the results; `shapes`: everything else that is f16 and row-major; `linear`: layers, whose B and
    C are column-major.
    """
    plain = {id for id, problem in known.items() if is_compared(problem)}
    linear = [id for id in known if id in plain and column_major(known[id])]
    rest = [id for id in known if id in plain and not column_major(known[id])]
    shapes = [id for id in rest if not re.match(r"(1024|2048|8192)|4096\.d12\.|row-row", id)]
    groups = {"main": MAIN, "shapes": shapes, "linear": linear}
    ids = [id for name in names for id in groups.get(name, [name])]
    for id in ids:
        if id not in known:
            sys.exit(f"there is no workload '{id}': `node dist/cli.js show bsr-spmm` lists them; groups are main, shapes and linear")
        if id not in plain:
            sys.exit(f"workload '{id}' is not a plain product of f16 with B and C of one layout, which is all that is compared here")
    return {id: known[id] for id in ids}


def column_major(problem):
    return problem.get("layoutB") == "column"


def is_compared(problem):
    """Whether it is a product of f16 matrices and no more, whole blocks, B and C of one layout."""
    sizes = [problem.get(name, 0) % problem.get("block", 1) for name in ("m", "k")]
    others = ("transposeA", "bias", "activation", "residual", "batched", "beta")
    one_layout = problem.get("layoutB") == problem.get("layoutC")
    return problem["input"] == problem["output"] == "f16" and one_layout and not any(sizes) and not any(map(problem.get, others))


def commit():
    told = os.environ.get("TILEWRIGHT_COMMIT")
    if told:
        return told
    head = command_output(["git", "rev-parse", "HEAD"], cwd=ROOT)
    dirty = head and command_output(["git", "status", "--porcelain", "--untracked-files=no"], r"\S[\s\S]*", cwd=ROOT)
    return f"{head}-dirty" if dirty else head


def gpu_query(names):
    """nvidia-smi's numbers, or an empty dict."""
    text = command_output(["nvidia-smi", "-i", "0", f"--query-gpu={','.join(names)}", "--format=csv,noheader,nounits"])
    cells = [cell.strip() for cell in (text or "").split(",")]
    return dict(zip(names, cells)) if len(cells) == len(names) else {}


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def environment(manifest):
    import torch
    import triton

    properties = torch.cuda.get_device_properties(0)
    queried = gpu_query(["driver_version", "power.limit", "clocks.max.sm"])
    provenance = manifest["provenance"]
    provenance.get("gpu", {}).pop("uuid", None)  # evidence is published
    nvcc = command_output(["nvcc", "--version"], r"release [\d.]+, V[\d.]+") or provenance.get("nvcc")
    found = {
        "gpu": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "memoryBytes": properties.total_memory,
        "driver": queried.get("driver_version"),
        "powerLimitWatts": number(queried.get("power.limit")),
        "maxSmClock": number(queried.get("clocks.max.sm")),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda,
        "nvcc": nvcc,
        "python": sys.version.split()[0],
        "library": {name: manifest.get(name) for name in ("hash", "untimed", "wisdom")} | {"provenance": provenance},
    }
    return {name: value for name, value in found.items() if value is not None}


def copy_bandwidth():
    """TB/s, read and written, of a copy on the device that exceeds L2: the better of the driver's and of a kernel's."""
    import torch
    from triton_bsr import Graph

    source = torch.empty(1 << 26, dtype=torch.int64, device="cuda")
    target = torch.empty_like(source)
    copies = lambda: target.copy_(source), lambda: torch.bitwise_not(source, out=target)
    graphs = [Graph(one, 4) for one in copies]
    us = min(statistics.median(graph.microseconds() for _ in range(9)) for graph in graphs)
    return round(2 * source.nbytes / us / 1e6, 3)


class Comparison:
    """One workload: the operands, and each system as a function that enqueues its product. `libraries`: of ours, by system."""

    def __init__(self, id, problem, structure, libraries, options):
        import torch

        self.torch, self.id, self.options = torch, id, options
        self.m, self.n, self.k, self.block = (problem[name] for name in ("m", "n", "k", "block"))
        self.pattern = problem["pattern"]
        row_ptr, columns = structure
        self.blocks = len(columns)
        generator = torch.Generator(device="cuda").manual_seed(options.seed)
        normal = lambda *shape: torch.randn(*shape, generator=generator, device="cuda", dtype=torch.float16)
        self.row_ptr, self.columns = (torch.tensor(one, dtype=torch.int32, device="cuda") for one in (row_ptr, columns))
        self.column_major = column_major(problem)
        self.values = normal(self.blocks, self.block, self.block)
        self.dense = normal(self.n, self.k).t() if self.column_major else normal(self.k, self.n)
        self.matrix = torch.sparse_bsr_tensor(self.row_ptr, self.columns, self.values, size=(self.m, self.k))
        self.expanded, self.full = self.matrix.to_dense(), normal(self.m, self.k)
        self.c, self.dense_out, self.sparse_out = (self.output() for _ in range(3))
        self.plans = self.plans_of(libraries, row_ptr, columns)
        torch.cuda.synchronize()

    def output(self):
        make = functools.partial(self.torch.empty, device="cuda", dtype=self.torch.float16)
        return make(self.n, self.m).t() if self.column_major else make(self.m, self.n)

    def plans_of(self, libraries, row_ptr, columns):
        """By system. A library beside ours may be of a few variants; without ours there is nothing to compare."""
        plans = {}
        for system, library in libraries.items():
            try:
                plans[system] = self.planned(library, row_ptr, columns)
            except LibraryError as error:
                if system == SYSTEMS["ours"]:
                    raise
                say(f"{self.id}: without {system}: {error}")
        return plans

    def planned(self, library, row_ptr, columns):
        """A plan and a workspace that is ready for it."""
        torch, layout = self.torch, LAYOUT_COLUMN if self.column_major else LAYOUT_ROW
        plan = Plan(library, self.m, self.n, self.k, self.block, row_ptr, columns, layout)
        workspace = torch.zeros(max(256, plan.workspace_bytes), dtype=torch.uint8, device="cuda")
        plan.prepare(workspace.data_ptr(), torch.cuda.current_stream().cuda_stream)
        return plan, workspace

    def ours(self, plan, workspace, matrix=None):
        """`matrix`: another copy of A."""
        stream = self.torch.cuda.current_stream().cuda_stream
        parts = (self.row_ptr, self.columns, self.values) if matrix is None else (matrix.crow_indices(), matrix.col_indices(), matrix.values())
        plan.run(*[one.data_ptr() for one in (*parts, self.dense, self.c, workspace)], stream)
        return self.c

    def cold(self, make, systems):
        """
        Times of products that find A in memory alone: each launch takes the next of copies that exceed three times L2. `systems`: as
        functions of a copy.
        """
        size = self.values.numel() * 2
        count = max(2, math.ceil(3 * self.torch.cuda.get_device_properties(0).L2_cache_size / size))
        if count * size > COLD_BYTES:
            return [None for _ in systems]
        copies = [self.matrix, *(self.matrix.clone() for _ in range(count - 1))]

        def graph(product):
            turn = itertools.cycle(copies)
            return make(lambda: product(next(turn)), count * max(1, 24 // count))

        return alternating([graph(one) for one in systems], self.options.samples)

    def zeros(self):
        return self.dense_product(self.expanded)

    def all_full(self):
        return self.dense_product(self.full)

    def dense_product(self, a):
        """By rows of C where it is column-major, as torch.nn.functional.linear has it."""
        if self.column_major:
            self.torch.matmul(self.dense.t(), a.t(), out=self.dense_out.t())
        else:
            self.torch.matmul(a, self.dense, out=self.dense_out)
        return self.dense_out

    def per_block(self):
        if not (self.options.per_block and self.blocks <= MOST_PER_BLOCK):
            return []
        structure = self.row_ptr.tolist(), self.columns.tolist()
        return [per_block.product(structure, self.values, self.dense, self.dense_out, self.column_major)]

    def vendor(self):
        """cuSPARSE's functions for the product, by name; none if it is not installed, or B and C are column-major."""
        if self.column_major:
            return []
        operands = self.row_ptr, self.columns, self.values, self.dense, self.sparse_out
        try:
            api = cusparse.library()
        except OSError as error:
            say(f"{self.id}: without cuSPARSE: {error}")
            return []
        return [("bsr", cusparse.bsr(api, *operands)), ("ell", cusparse.blocked_ell(api, *operands))]

    def worst_error(self, result):
        """
        Largest error over bound, as the gate bounds a dot product of n terms accumulated in fp32 and rounded to f16:
        6 sqrt(n) 2^-23 |A||B| + 1.01 * 2^-11 |c| + 2^-25.
        """
        torch = self.torch
        terms = (self.row_ptr.diff() * self.block).double().repeat_interleave(self.block)[:, None]
        a, b = self.expanded.double(), self.dense.double()
        exact, magnitude = a @ b, a.abs() @ b.abs()
        bound = 6 * terms.sqrt() * 2.0**-23 * magnitude + 1.01 * 2.0**-11 * exact.abs() + 2.0**-25
        ratio = (result.double() - exact).abs() / bound
        return float("inf") if ratio.isnan().any() else float(ratio.max())

    def checked(self, call, target):
        """The error of a fresh result, 4 digits; a number that JSON has even where the result is not finite."""
        target.fill_(float("nan"))
        error = self.worst_error(call())
        return {"errorOverBound": round(error, 4) if math.isfinite(error) else None, "correct": error <= 1}

    def measure(self, left_out):
        """Records of all systems. `left_out`: of Triton's configurations those that cannot run, and those compiled too late."""
        from triton_bsr import Graph, TritonProblem, meta_of

        triton = TritonProblem(self.matrix, self.dense, self.column_major)
        finalists, counts = triton.search(self.options.seconds, *left_out, most=self.options.configurations)
        calls = [
            (system, lambda plan=plan, workspace=workspace: self.ours(plan, workspace), {"variant": plan.variant}, self.c)
            for system, (plan, workspace) in self.plans.items()
        ]
        calls += [
            ("triton", lambda one=one: triton.call(one), {"meta": meta_of(self.n, one), "configurations": counts}, triton.out)
            for one in finalists
        ]
        if self.options.default and self.runs("default", triton.default):
            calls += [("default", triton.default, {}, triton.out)]
        calls += [("blocks", call, {}, self.dense_out) for call in self.per_block()]
        calls += [("zeros", self.zeros, {}, self.dense_out), ("full", self.all_full, {}, None)]
        apart = len(calls)  # cuSPARSE's, from here on
        calls += [(name, product, {}, self.sparse_out) for name, product in self.vendor()]
        checks = [self.checked(call, target) if target is not None else {} for _, call, _, target in calls]
        graphs = [self.graph(Graph, call) for _, call, _, _ in calls]
        # cuSPARSE's BSR product runs for long at the highest clock, which what comes next would inherit: turns of their own.
        asked = WhileRunning(["clocks.sm", "power.draw.instant"])
        times = [time for part in (graphs[:apart], graphs[apart:]) for time in alternating(part, self.options.samples)]
        clocks = power_of(asked.answer())
        records = [
            self.record(name, more | check | {"turns": clocks}, sample) for (name, _, more, _), check, sample in zip(calls, checks, times)
        ]
        for record, graph in zip(records, graphs):
            best = min(one["medianUs"] for one in records if one["system"] == record["system"])
            if record["medianUs"] == best and self.options.sustained > 0:
                record["sustained"] = self.sustained(graph)
        if self.n <= self.options.cold:
            self.add_cold(Graph, triton, finalists, records)
        for plan, _ in self.plans.values():
            plan.close()
        return sorted(records, key=lambda one: (one["system"], one.get("correct") is False, one["medianUs"]))

    def add_cold(self, make, triton, finalists, records):
        """Adds times and bandwidth with A in memory alone: of ours, and of the fastest of Triton's configurations."""
        products = {
            system: lambda copy, plan=plan, workspace=workspace: self.ours(plan, workspace, copy)
            for system, (plan, workspace) in self.plans.items()
        }
        if finalists:
            products[SYSTEMS["triton"]] = lambda copy: triton.call(finalists[0], copy)
        read = 2 * (self.values.numel() + self.dense.numel() + self.c.numel()) + 4 * (self.row_ptr.numel() + self.columns.numel())
        for system, times in zip(products, self.cold(make, products.values())):
            first = next(one for one in records if one["system"] == system)
            if times:
                us = summary(times)["medianUs"]
                first["cold"] = {"medianUs": us, "bytes": read, "tbs": round(read / us / 1e6, 3)}

    def runs(self, name, call):
        try:
            call()
            return True
        except Exception as error:  # PyTorch refuses some widths, with many kinds of exception
            if "illegal memory access" in str(error):
                raise
            say(f"{self.id}: without {SYSTEMS[name]}: {type(error).__name__}: {error}"[:300])
            return False

    def graph(self, make, call):
        """Of so many launches that a replay takes REPLAY_US."""
        once = make(call, 3)
        once.microseconds()
        return make(call, max(5, min(200, math.ceil(REPLAY_US / once.microseconds()))))

    def record(self, name, more, times):
        summed = summary(times)
        system, median = SYSTEMS.get(name, name), summed["medianUs"]
        useful, everything = 2 * self.blocks * self.block**2 * self.n, 2 * self.m * self.k * self.n
        own = {"ownTflops": round(everything / median / 1e6, 2)} if name in ("zeros", "full") else {}
        sizes = {"m": self.m, "n": self.n, "k": self.k, "block": self.block, "blocks": self.blocks}
        density = self.pattern.get("density", self.blocks * self.block**2 / (self.m * self.k))
        case = {"workload": self.id, **sizes, "density": round(density, 6), "pattern": self.pattern}
        return {"system": system, **case, **summed, "tflops": round(useful / median / 1e6, 2), **own, **more}

    def sustained(self, graph):
        """One system alone for a second or so: time of a launch, and nvidia-smi's clock and power meanwhile."""
        seconds = self.options.sustained
        replays = max(1, math.ceil(seconds * 1e6 / (graph.microseconds() * graph.launches)))
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))

        asked = WhileRunning(["clocks.sm", "power.draw.instant"], 0.3 * seconds)
        begin.record()
        for _ in range(replays):
            graph.graph.replay()
        end.record()
        end.synchronize()
        return {"us": round(begin.elapsed_time(end) * 1000 / replays / graph.launches, 3)} | power_of(asked.answer())


class WhileRunning:
    """nvidia-smi's answer of while the GPU runs. In a thread, since enqueuing can block until most of what it runs is done."""

    def __init__(self, names, after=0.0):
        """`after`: seconds."""
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.future = self.pool.submit(lambda: (time.sleep(after), gpu_query(names))[1])

    def answer(self):
        """Empty where there is none yet: the GPU may be idle again when it is asked."""
        in_time = self.future.done()
        self.pool.shutdown()
        return self.future.result() if in_time else {}


def power_of(seen):
    """Clock in MHz and power in W, as far as they are known."""
    found = {"smClock": number(seen.get("clocks.sm")), "watts": number(seen.get("power.draw.instant"))}
    return {name: value for name, value in found.items() if value is not None}


def alternating(graphs, samples):
    """Times of several graphs, one replay of each in turn, in turns of opposite order; the first three rounds warm up."""
    times = [[] for _ in graphs]
    order = list(range(len(graphs)))
    for turn in range(samples + 3):
        for index in order:
            elapsed = graphs[index].microseconds()
            if turn >= 3:
                times[index].append(elapsed)
        order.reverse()
    return times


def summary(times):
    median = statistics.median(times)
    deviation = statistics.median(abs(value - median) for value in times)
    return {"medianUs": round(median, 3), "madUs": round(deviation, 3), "samples": len(times)}


def lines_of(records):
    """The workload in words."""
    best = {}
    for record in records:
        if record.get("correct") is not False:
            best.setdefault(record["system"], record)
    ours = best.get(SYSTEMS["ours"])
    for system, record in best.items():
        own = f", {record['ownTflops']:.0f} with all it multiplies" if "ownTflops" in record else ""
        ratio = f", ours {record['medianUs'] / ours['medianUs']:.3f}x" if ours and record is not ours else ""
        held = record.get("sustained", {})
        if "cold" in record:
            ratio += f", cold {record['cold']['medianUs']:.1f} us at {record['cold']['tbs']:.2f} TB/s"
        power = f", sustained {held['us']:.1f} us at {held.get('smClock')} MHz {held.get('watts')} W" if held else ""
        yield f"  {system}: {record['medianUs']:.1f} us, {record['tflops']:.1f} TFLOPS{own}{ratio}{power}"
        if "configurations" in record:
            yield f"    {record['configurations']}, best {record['meta']}"


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", help="an emitted library's folder (built here with g++), or a built .so")
    parser.add_argument("--beside", nargs="+", default=[], metavar="LABEL=FOLDER", help="more libraries of ours, in the same turns")
    parser.add_argument("--workloads", nargs="+", default=["main"], help="ids, or the groups main and shapes")
    parser.add_argument("--seconds", type=float, default=25, help="of Triton's search per workload, without compiling ahead")
    parser.add_argument("--compile-seconds", type=float, default=150, help="of compiling ahead; 0: not at all")
    parser.add_argument("--compiled", metavar="FILE", help="what is known of Triton's configurations since they were compiled ahead: not again")
    parser.add_argument("--compile-only", action="store_true", help="compile ahead for the workloads, write --compiled, and end")
    parser.add_argument("--configurations", type=int, help="of Triton's, so many of each grid: those with the best prospects")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="compilers at a time")
    parser.add_argument("--default", action="store_true", help="PyTorch as it is, too: what a user gets who tunes nothing")
    parser.add_argument("--per-block", action="store_true", help=f"a dense product per block, too; of up to {MOST_PER_BLOCK} blocks")
    parser.add_argument("--samples", type=int, default=30, help="rounds")
    cold = "ours and Triton's best again with A in memory alone, not in L2; of products up to this width"
    parser.add_argument("--cold", type=int, nargs="?", const=sys.maxsize, default=0, metavar="N", help=cold)
    parser.add_argument("--sustained", type=float, default=1.2, help="seconds of each system alone; 0: not at all")
    parser.add_argument("--seed", type=int, default=1, help="of values and B")
    parser.add_argument("--budget", type=float, default=480, help="seconds after which no further workload is begun")
    parser.add_argument("--out", help="file for the results as JSON")
    parser.add_argument("--list", action="store_true", help="say what would be timed; needs no GPU")
    options = parser.parse_args(arguments)
    if options.compile_only and not options.compiled:
        parser.error("--compile-only needs --compiled FILE, where it writes what it found")
    if not (options.library or options.list or options.compile_only):
        parser.error("--library is missing: the folder of an emitted library, or a built .so")
    return options


def not_timed(manifest, workloads):
    """Ids of the workloads that the library's policy does not know: there it takes what was best on the nearest that it knows."""
    timed = {entry["workload"] for entry in manifest["policy"]}
    return [id for id in workloads if id not in timed]


def triton_case(problem, structure):
    from triton_bsr import kernel_case

    row_ptr, _ = structure
    return kernel_case(problem["block"], problem["n"], row_ptr[-1], column_major(problem))


def compiled_ahead(options, workloads, structures):
    """By `kernel_case`, configurations of Triton's kernel that cannot run, and those compiled too late; nothing where none are compiled."""
    if options.compile_seconds <= 0:
        return {}
    from triton_bsr import compile_ahead

    cases = {triton_case(problem, structures[id]) for id, problem in workloads.items()}
    # What runs by default depends on the width as it is.
    exact = {(problem["block"], problem["n"], *triton_case(problem, structures[id])[2:]) for id, problem in workloads.items()}
    defaults = sorted(exact) if options.default else []
    return compile_ahead(sorted(cases), options.jobs, options.compile_seconds, say, options.configurations, defaults)


def store_left_out(path, left_out):
    rows = [{"case": case, "broken": sorted(broken), "late": sorted(late)} for case, (broken, late) in left_out.items()]
    pathlib.Path(path).write_text(json.dumps(rows), encoding="utf-8")


def stored_left_out(path):
    rows = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    sets = [{tuple(one) for one in row[name]} for row in rows for name in ("broken", "late")]
    return {tuple(row["case"]): pair for row, pair in zip(rows, zip(sets[::2], sets[1::2]))}


def listing(workloads, structures):
    for id, problem in workloads.items():
        row_ptr, columns = structures[id]
        longest = max(after - before for before, after in zip(row_ptr, row_ptr[1:]))
        print(f"{id}: {problem['m']} x {problem['k']} x {problem['n']}, {len(columns)} blocks, longest row {longest}")


def without_place(argument):
    """An argument as it is published: where a machine keeps its files is nobody's business."""
    label, equals, path = argument.rpartition("=")
    return label + equals + (pathlib.PurePath(path).name if pathlib.PurePath(path).is_absolute() else path)


def libraries_of(options):
    """Our libraries by system, the one that counts first."""
    others = dict(one.split("=", 1) if "=" in one else sys.exit(f"--beside takes LABEL=FOLDER, not '{one}'") for one in options.beside)
    paths = {SYSTEMS["ours"]: options.library} | {f"{SYSTEMS['ours']}, {label}": path for label, path in others.items()}
    return {system: library_of(path) for system, path in paths.items()}


def library_of(path):
    folder = pathlib.Path(path)
    return Library(build(folder, folder / "libtilewright.compare.so") if folder.is_dir() else folder)


def main(arguments):
    options, started = options_of(arguments), time.monotonic()
    workloads = chosen_workloads(options.workloads, all_workloads())
    if options.list:
        listing(workloads, structures_of(workloads))
        return 0
    structures = structures_of(workloads)
    import torch

    if not torch.cuda.is_available():
        sys.exit("no CUDA GPU: this script times GPU kernels; --list says what it would time")
    torch.cuda.init()
    if options.compile_only:
        store_left_out(options.compiled, compiled_ahead(options, workloads, structures))
        return 0
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False  # fp32 sums, as everybody else here
    libraries = libraries_of(options)
    whole = json.loads(libraries[SYSTEMS["ours"]].manifest())
    manifest = whole["operations"]["bsr_spmm"] | {"hash": whole["hash"]}
    report = {
        "command": "bench/compare.py " + " ".join(without_place(one) for one in arguments),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        **({"commit": commit()} if commit() else {}),
        "process": "one",
        "environment": environment(manifest),
        "results": [],
    }
    if unknown := not_timed(manifest, workloads):
        report["environment"]["library"]["notTimedOn"] = unknown
        say(f"the library was not tuned for {', '.join(unknown)}: it takes what was best on the nearest workload that it knows")
    if options.cold > 0:
        report["environment"]["copyTbs"] = copy_bandwidth()
    left_out = stored_left_out(options.compiled) if options.compiled else compiled_ahead(options, workloads, structures)
    failed = []
    for id, problem in workloads.items():
        if time.monotonic() - started > options.budget:
            say(f"{id}: left out, {options.budget:.0f} s are over")
            failed.append(id)
            continue
        try:
            known = left_out.get(triton_case(problem, structures[id]), ())
            records = Comparison(id, problem, structures[id], libraries, options).measure(known)
        except Exception as error:  # one workload that does not fit or is not served leaves the others their times
            if "illegal memory access" in str(error):
                raise
            say(f"{id}: {type(error).__name__}: {error}")
            failed.append(id)
            continue
        finally:
            torch.cuda.empty_cache()
        judged = [one for one in records if one["system"] not in (SYSTEMS["triton"], SYSTEMS["blocks"])]  # these round sums on the way
        failed += [f"{id} {one['system']}" for one in judged if one.get("correct") is False]
        report["results"] += records
        report["seconds"] = round(time.monotonic() - started, 1)
        say("\n".join([f"{id} ({report['seconds']:.0f} s)", *lines_of(records)]))
        if options.out:  # after every workload: a run cut short leaves what it has
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
    if failed:
        say(f"not measured, or wrong: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

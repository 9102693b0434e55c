#!/usr/bin/env python3
"""Times the rivals of bsr-spmm that live in PyTorch: its Triton kernel `bsr_dense_addmm`, tuned, and dense cuBLAS.

    python3 bench/triton_bsr.py --out triton.json
    python3 bench/triton_bsr.py --sizes 4096 --blocks 64 --density 0.5 --seconds 120

Needs PyTorch with Triton (2.11 was used) and a CUDA GPU. Random block pattern, N(0,1) data, fp16 in and out. A configuration
of the Triton kernel is (columns per tile, stages, warps, rows per group); the search times all of a grid briefly, then the best
ones with care, and checks every finalist on the full problem against fp64. Times are of CUDA graphs of many launches, median
and median absolute deviation over replays; rivals are timed in turn, so that all see the same clocks.

TFLOPS are effective ones, 2 * stored blocks * block^2 * N / time; of dense cuBLAS 2 * M * N * K / time.
"""

import argparse
import datetime
import itertools
import json
import statistics
import sys
import time

import torch
import torch.sparse._triton_ops as triton_ops

STAGES, WARPS, TILES, GROUPS = (4, 3, 5, 2, 1), (4, 8, 2), (128, 256, 64, 512), (4, 1, 8)
FINALISTS = 4


class Graph:
    """A CUDA graph of `launches` calls of a function."""

    def __init__(self, call, launches):
        self.launches = launches
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                call()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for _ in range(launches):
                call()

    def microseconds(self):
        """Time of one launch in one replay."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000 / self.launches


def random_pattern(size, block, density, generator):
    """Block row pointers and block columns, int32 on the GPU; each block is stored with probability `density`."""
    count = size // block
    mask = torch.rand(count, count, generator=generator, device="cuda") < density
    row_ptr = torch.zeros(count + 1, dtype=torch.int32, device="cuda")
    row_ptr[1:] = mask.sum(1).cumsum(0).int()
    return row_ptr, mask.nonzero()[:, 1].int()


def worst_error(result, matrix, dense):
    """Largest error over bound, as the gate bounds a dot product of n terms accumulated in fp32 and rounded to fp16:
    6 sqrt(n) 2^-23 |A||B| + 1.01 * 2^-11 |c| + 2^-25."""
    block = matrix.values().shape[-1]
    terms = (matrix.crow_indices().diff() * block).double().repeat_interleave(block)[:, None]
    a, b = matrix.to_dense().double(), dense.double()
    exact, magnitude = a @ b, a.abs() @ b.abs()
    bound = 6 * terms.sqrt() * 2.0**-23 * magnitude + 1.01 * 2.0**-11 * exact.abs() + 2.0**-25
    ratio = (result.double() - exact).abs() / bound
    return float("inf") if ratio.isnan().any() else float(ratio.max())


class TritonProblem:
    """One product for the Triton kernel, and its search."""

    def __init__(self, size, block, density, seed):
        generator = torch.Generator(device="cuda").manual_seed(seed)
        row_ptr, columns = random_pattern(size, block, density, generator)
        normal = lambda *shape: torch.randn(*shape, generator=generator, device="cuda", dtype=torch.float16)
        self.size, self.block, self.blocks = size, block, columns.numel()
        self.matrix = torch.sparse_bsr_tensor(row_ptr, columns, normal(self.blocks, block, block), size=(size, size))
        self.dense = normal(size, size)
        self.zero = torch.zeros(size, size, device="cuda", dtype=torch.float16)
        self.out = torch.empty_like(self.zero)

    def call(self, meta):
        return triton_ops.bsr_dense_addmm(self.zero, self.matrix, self.dense, beta=0, out=self.out, meta=meta)

    def meta(self, tile, stages, warps, group):
        return {"SPLIT_N": self.size // tile, "num_stages": stages, "num_warps": warps, "GROUP_SIZE_ROW": group}

    def brief(self, meta):
        """A quick time in microseconds; None where the configuration does not compile or launch."""
        try:
            graph = Graph(lambda: self.call(meta), 5)
            return statistics.median(graph.microseconds() for _ in range(5))
        except Exception as error:  # Triton raises many kinds: out of shared memory, registers, unsupported shapes
            if "illegal memory access" in str(error):
                raise
            return None

    def search(self, seconds):
        """The best configurations by brief times, best first, and how many were tried."""
        deadline = time.monotonic() + seconds
        times = {}

        def attempt(configuration):
            if configuration in times or time.monotonic() > deadline:
                return
            found = self.brief(self.meta(*configuration))
            times[configuration] = found if found is not None else float("inf")

        best = lambda count: sorted(times, key=times.get)[:count]
        tiles = [tile for tile in TILES if tile <= self.size]
        for stages, warps, tile in itertools.product(STAGES, WARPS, tiles):
            attempt((tile, stages, warps, GROUPS[0]))
        for (tile, stages, warps, _), group in itertools.product(best(FINALISTS), GROUPS[1:]):
            attempt((tile, stages, warps, group))
        return best(FINALISTS), sum(value != float("inf") for value in times.values()), len(times)


def alternating(graphs, samples):
    """Times of several graphs, one replay of each in turn; the first two rounds warm up."""
    rounds = [[graph.microseconds() for graph in graphs] for _ in range(samples + 2)]
    return list(zip(*rounds[2:]))


def summary(times):
    median = statistics.median(times)
    deviation = statistics.median(abs(value - median) for value in times)
    return {"medianUs": round(median, 3), "madUs": round(deviation, 3), "samples": len(times)}


def measure(size, block, density, options):
    problem = TritonProblem(size, block, density, options.seed)
    finalists, worked, tried = problem.search(options.seconds)
    left, right = torch.randn_like(problem.dense), problem.dense
    dense_out = torch.empty_like(problem.out)
    graphs = [Graph(lambda meta=problem.meta(*c): problem.call(meta), 20) for c in finalists]
    graphs.append(Graph(lambda: torch.matmul(left, right, out=dense_out), 10))
    times = alternating(graphs, options.samples)
    case = {"m": size, "n": size, "k": size, "block": block, "density": density, "blocks": problem.blocks}
    records = []
    for configuration, sample in zip(finalists, times):
        meta = problem.meta(*configuration)
        problem.out.fill_(float("nan"))
        error = worst_error(problem.call(meta), problem.matrix, problem.dense)
        record = {"system": "triton bsr_dense_addmm", **case, **summary(sample), "errorOverBound": round(error, 4)}
        record["tflops"] = round(2 * problem.blocks * block**2 * size / record["medianUs"] / 1e6, 2)
        record |= {"meta": meta, "configurations": {"tried": tried, "ran": worked}, "correct": error <= 1}
        records.append(record)
    records.sort(key=lambda record: (not record["correct"], record["medianUs"]))
    cublas = {"system": "cublas dense", **case, **summary(times[-1])}
    cublas["tflops"] = round(2 * size**3 / cublas["medianUs"] / 1e6, 2)
    return records, cublas


def environment():
    properties = torch.cuda.get_device_properties(0)
    import triton

    return {
        "gpu": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "memoryBytes": properties.total_memory,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda,
    }


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[4096, 8192], help="M = N = K")
    parser.add_argument("--blocks", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--density", type=float, nargs="+", default=[0.125])
    parser.add_argument("--seconds", type=float, default=60, help="of search per case")
    parser.add_argument("--samples", type=int, default=20, help="replays per finalist")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="file for the results as JSON")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    if not torch.cuda.is_available():
        sys.exit("no CUDA GPU: this script times GPU kernels and has nothing to do")
    report = {
        "command": "bench/triton_bsr.py " + " ".join(arguments),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "environment": environment(),
        "results": [],
    }
    wrong = 0
    for size, block, density in itertools.product(options.sizes, options.blocks, options.density):
        records, cublas = measure(size, block, density, options)
        best = records[0]
        wrong += not best["correct"]
        report["results"] += [*records, cublas]
        print(
            f"{size} block {block} density {density}: triton {best['medianUs']:.1f} us {best['tflops']:.1f} TFLOPS "
            f"(error/bound {best['errorOverBound']:.3f}, {best['configurations']['ran']} configurations, {best['meta']}); "
            f"cublas dense {cublas['medianUs']:.1f} us {cublas['tflops']:.1f} TFLOPS",
            flush=True,
        )
        if options.out:  # after every case: a run cut short leaves what it has
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

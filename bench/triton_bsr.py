"""The Triton kernel of PyTorch for the same product, `bsr_dense_addmm`, tuned: what bench/compare.py measures it by.

A configuration of that kernel is (columns per tile, stages, warps, rows per group). The search times every one of a grid briefly;
processes beside it compile them beforehand, into Triton's cache on disk, and find out which of them do not run at all.
"""

import concurrent.futures
import functools
import itertools
import multiprocessing
import os
import statistics
import time

import torch
import torch.sparse._triton_ops as triton_ops

TILES, STAGES, WARPS, GROUPS = (64, 128, 256, 512), (2, 3, 4, 5), (2, 4, 8), (4, 1)
# (tile, stages, warps) of what was fastest for a workload of docs/results/compare-h200*.json, the most frequent first. Some of
# those searches hardly came to groups of 1, so that which group won says little.
WON = ((256, 5, 2), (128, 5, 4), (256, 3, 8), (128, 2, 4), (512, 5, 8), (64, 5, 4), (128, 5, 2), (256, 4, 8))
WON += ((512, 5, 4), (256, 2, 4), (64, 5, 2))
# (stages, warps) that are tried first for products narrower than any of these tiles.
WON_NARROW = ((5, 2), (5, 4), (4, 4), (4, 2), (3, 4), (4, 8))
FINALISTS = 4
# A configuration whose first replay takes so many times the best is not looked at again.
HOPELESS = 3
# In messages of CUDA errors after which a process can use its GPU no more.
FAULTS = ("illegal", "misaligned", "CUDA error", "AcceleratorError")


class Graph:
    """A CUDA graph of `launches` calls of a function."""

    def __init__(self, call, launches):
        self.launches = launches
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
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


def padded(n):
    """Columns that the kernel is given for a product of `n`: up to 64 a multiple of 16, its smallest tile."""
    return n if n > 64 else (n + 15) // 16 * 16


def configurations(n, most=None):
    """
    Of all tiles that divide N; of products that are narrower than them, of tiles of 16 and 32, and the whole width. `most`: so many,
    those with the best prospects.
    """
    n = padded(n)
    if n < TILES[0]:
        tiles = [one for one in (n, 32, 16) if one <= n and n % one == 0 and one & (one - 1) == 0]
        won = [(tile, *one, group) for tile in tiles for one in WON_NARROW for group in GROUPS]
        return list(dict.fromkeys([*won, *itertools.product(tiles, STAGES, WARPS, GROUPS)]))[:most]
    won = [(*one, group) for one in WON for group in GROUPS]
    rest = [one for one in itertools.product(TILES, STAGES, WARPS, GROUPS) if one not in won]
    # A search, or compiling ahead, can run out of time: what has won comes first, and the rest in steps of five, so that any
    # beginning of it has about its share of every value. Five is odd: the groups, which the product varies fastest, alternate.
    spread = [one for start in range(5) for one in rest[start::5]]
    return [one for one in won + spread if n % one[0] == 0][:most]


def meta_of(n, configuration):
    tile, stages, warps, group = configuration
    return {"SPLIT_N": padded(n) // tile, "num_stages": stages, "num_warps": warps, "GROUP_SIZE_ROW": group}


class TritonProblem:
    """
    A product for the kernel: A as a BSR tensor, B dense, both f16 on the GPU. C has the layout of B. Narrow products are padded with
    zeros beforehand, in no one's time.
    """

    def __init__(self, matrix, dense, column_major=False):
        self.matrix, self.given, self.n, self.column_major = matrix, dense, dense.shape[1], column_major
        self.dense = self.empty(dense.shape[0]).zero_()
        self.dense[:, : self.n] = dense
        self.zero, self.whole = self.empty(matrix.shape[0]).zero_(), self.empty(matrix.shape[0])
        self.out = self.whole[:, : self.n]

    def empty(self, rows):
        n, make = padded(self.n), functools.partial(torch.empty, device=self.given.device, dtype=self.given.dtype)
        return make(n, rows).t() if self.column_major else make(rows, n)

    def call(self, configuration, matrix=None):
        meta, matrix = meta_of(self.n, configuration), self.matrix if matrix is None else matrix
        triton_ops.bsr_dense_addmm(self.zero, matrix, self.dense, beta=0, out=self.whole, meta=meta)
        return self.out

    def default(self):
        """The product of a user who tunes nothing: torch.nn.functional.linear if operands have its layout."""
        if self.column_major:
            return torch.nn.functional.linear(self.given.t(), self.matrix).t()
        triton_ops.bsr_dense_addmm(self.zero, self.matrix, self.dense, beta=0, out=self.whole)
        return self.out

    def brief(self, configuration, best):
        """Microseconds from few launches; from one replay where that takes HOPELESS times the best and more."""
        graph = Graph(lambda: self.call(configuration), 5)
        first = graph.microseconds()
        return first if first > HOPELESS * best else statistics.median(graph.microseconds() for _ in range(5))

    def search(self, seconds, broken=frozenset(), late=frozenset(), most=None):
        """
        `most`: of configurations. The best configurations, best first, and {ran, of, cannotRun, late, seconds}. Stops after so many seconds. Leaves out what
        is known to be broken, and what was late in compiling; what the search does not reach counts as late too.
        """
        started, times = time.monotonic(), {}
        space = configurations(self.n, most)
        failed = {one for one in space if one in broken}
        for configuration in space:
            if time.monotonic() - started > seconds:
                break
            if configuration in failed or configuration in late:
                continue
            try:
                times[configuration] = self.brief(configuration, min(times.values(), default=float("inf")))
            except Exception as error:  # Triton raises many kinds: out of shared memory, of registers, unsupported shapes
                if "illegal memory access" in str(error):
                    raise
                failed.add(configuration)
        ran, cannot = len(times), len(failed)
        counts = {"ran": ran, "of": len(space), "cannotRun": cannot, "late": len(space) - ran - cannot}
        return sorted(times, key=times.get)[:FINALISTS], counts | {"seconds": round(time.monotonic() - started, 1)}


def kernel_case(block, n, blocks, column_major=False):
    """Specialisation key of Triton beside its configuration: it tells multiples of 16 from other numbers, and strides of 1."""
    return block, padded(n), blocks % 16 == 0, column_major


def _compile(case, configuration):
    """
    In a process of its own: runs a configuration, or with None what PyTorch runs by default, on a small problem of the case. Its
    process, and what was wrong or None.
    """
    try:
        if case not in _problems:
            block, n, aligned, column_major = case
            size, per_row = 1024, 512 // block  # 16 blocks or a multiple of it
            count = size // block
            columns = torch.arange(per_row, dtype=torch.int32, device="cuda").repeat(count)
            row_ptr = torch.arange(count + 1, dtype=torch.int32, device="cuda") * per_row
            if not aligned:
                columns, row_ptr[-1] = columns[:-1].contiguous(), row_ptr[-1] - 1
            values = torch.zeros(columns.numel(), block, block, device="cuda", dtype=torch.float16)
            matrix = torch.sparse_bsr_tensor(row_ptr, columns, values, size=(size, size))
            zeros = functools.partial(torch.zeros, device="cuda", dtype=torch.float16)
            _problems[case] = TritonProblem(matrix, zeros(size, n), column_major)
        _problems[case].call(configuration) if configuration else _problems[case].default()
        torch.cuda.synchronize()
    except Exception as error:
        return os.getpid(), f"{type(error).__name__}: {error}"[:300]
    return os.getpid(), None


_problems = {}


def compile_ahead(cases, jobs, seconds, say, most=None, defaults=()):
    """
    Compiles every configuration, `most` of them at most, for every `kernel_case`, and PyTorch's default for the cases `defaults`. Those to leave out, by case, as two sets: those that cannot run, and
    those that were not compiled in time, of which one can take minutes.
    """
    broken, late = ({case: set() for case in cases} for _ in range(2))
    # All cases advance together: what is left where time runs out is the end of each.
    tasks = sorted(
        ((rank, case, one) for case in cases for rank, one in enumerate(configurations(case[1], most))), key=lambda task: task[0]
    )
    tasks = [*((0, case, None) for case in defaults), *tasks]
    started, done, faults, futures = time.monotonic(), 0, {}, {}
    pool = concurrent.futures.ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        futures = {pool.submit(_compile, case, one): (case, one) for _, case, one in tasks}
        for future in concurrent.futures.as_completed(futures, timeout=seconds):
            case, configuration = futures[future]
            process, error = future.result()
            done += 1
            if configuration is None:
                continue
            # A fault spoils its process for those that follow: only the first is its configuration's own.
            if error and any(word in error for word in FAULTS):
                if process not in faults:
                    broken[case].add(configuration)
                faults.setdefault(process, f"{case} {configuration}: {error}")
            elif error:
                broken[case].add(configuration)
    except Exception as error:  # a time-out, or a compiler that took its process down
        say(f"compiling ahead stopped: {type(error).__name__} {error}")
    for future, (case, configuration) in futures.items():
        if not future.done() and configuration:
            late[case].add(configuration)
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:  # nobody may share the GPU with what is timed next
        process.join(20)
    cannot, left = (sum(len(one) for one in sets.values()) for sets in (broken, late))
    took = f"{time.monotonic() - started:.0f} s"
    say(f"compiled {done} of {len(tasks)} configurations in {took}, {cannot} cannot run, {left} late")
    for fault in faults.values():
        say(f"left out, since it faults on the GPU: {fault}")
    return {case: (broken[case], late[case]) for case in cases}

"""The Python package on a GPU: F.linear with block-sparse weights, drop-in and module, beside PyTorch's own ways.

    python3 bench/python_linear.py [--seconds 80] [--parts check,eager] [--policy on-miss] [--json file]

Prints what was checked and JSON lines of times. Layers are those of Llama-3.1-8B's MLP (14336 x 4096 twice, 4096 x 14336), f16, 10 % of the
blocks of 64. Times of layers are medians of CUDA graphs over a stack of MLPs with weights of their own, as a model has them, so that
weights do not stay in L2; microseconds of one MLP. PyTorch's Triton kernel is timed as F.linear calls it and with the best of some
configurations for each product; torchao, where it is installed, by its BlockSparseTensor. These two are given 16 rows of x where T is less.
Needs the package tilewright installed, and PyTorch with CUDA and Triton.
"""

import argparse
import json
import statistics
import time
import warnings
from unittest import mock

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

import tilewright
import tilewright.torch as tt

warnings.filterwarnings("ignore")
HIDDEN, INTER, BLOCK, DENSITY, STACK = 4096, 14336, 64, 0.1, 6
TRITON = [(16, 3, 4), (16, 5, 2), (32, 3, 4), (64, 3, 4), (64, 5, 2), (128, 5, 4), (128, 4, 8), (256, 3, 8)]
started = time.monotonic()


def random_layer(rows, columns):
    mask = torch.rand(rows // BLOCK, columns // BLOCK, device="cuda") < DENSITY
    crow = torch.cat([torch.zeros(1, device="cuda", dtype=torch.int32), mask.sum(1).cumsum(0).int()])
    col = mask.nonzero()[:, 1].int()
    values = torch.randn(col.numel(), BLOCK, BLOCK, device="cuda", dtype=torch.float16) * (columns * DENSITY) ** -0.5
    return tt.SparseLinear(crow, col, values, rows, columns).requires_grad_(False)


def bsr_of(layer):
    shape = (layer.out_features, layer.in_features)
    return torch.sparse_bsr_tensor(layer.crow, layer.col, layer.values.detach(), shape)


class Mlp:
    """down(silu(gate x) * up x) with three products that are given as functions."""

    def __init__(self, gate, up, down):
        self.gate, self.up, self.down = gate, up, down

    def __call__(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


def graph_seconds(calls, samples=15):
    """Median seconds of one of the calls, all in one CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for call in calls:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for call in calls:
            call()
    for _ in range(3):
        graph.replay()
    times = []
    for _ in range(samples):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / len(calls))
    return statistics.median(times)


def host_microseconds(call, calls=400, rounds=7):
    """Microseconds of the CPU for one eager call, the median of rounds."""
    for _ in range(calls):
        call()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    torch.cuda.synchronize()
    return round(statistics.median(times), 2)


def guarded(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"


def microseconds(calls):
    seconds = guarded(lambda: graph_seconds(calls))
    return seconds if isinstance(seconds, str) else round(seconds * 1e6, 2)


def check_correct(layer, bsr, dense):
    """Largest error of each way over the largest element, and how many calls the drop-in took."""
    for tokens in (1, 3, 16, 64, 200, 2048):
        x = torch.randn(tokens, layer.in_features, device="cuda", dtype=torch.float16)
        bias = torch.randn(layer.out_features, device="cuda", dtype=torch.float16)
        wanted = F.linear(x.float(), dense.float())
        error = lambda y, to=wanted: float((y.float() - to).abs().max() / to.abs().max())
        errors = lambda: {
            "linear": error(F.linear(x, bsr)),
            "bias": error(F.linear(x, bsr, bias), wanted + bias),
            "3d": error(F.linear(x[None], bsr, bias)[0], wanted + bias),
            "matmul": error(bsr @ x.t(), wanted.t()),
        }
        with tt.enable() as drop_in:
            drop = errors()
        with tt.enable_triton_hook() as hook:
            by_hook = errors()
        said = guarded(lambda: tilewright.BsrMatrix.from_torch(bsr).explain(x.t(), order="column")["variant"])
        yield {
            "check": tokens,
            "module": guarded(lambda: error(layer(x))),
            "drop_in": drop,
            "taken": drop_in.taken,
            "passed_on": dict(drop_in.passed_on),
            "triton_hook": by_hook,
            "triton_hook_taken": hook.taken,
            "variant": said,
        }


def check_gradients(layer):
    """Gradients of x and of the blocks beside those of the dense layer."""
    x = torch.randn(256, layer.in_features, device="cuda", dtype=torch.float16, requires_grad=True)
    grad = torch.randn(256, layer.out_features, device="cuda", dtype=torch.float16)
    values = layer.values.detach().clone().requires_grad_()
    torch.ops.tilewright.bsr_linear(layer.crow, layer.col, values, x, None, layer.out_features, "none").backward(grad)
    dense = layer.dense_weight().float()
    of_x = grad.float() @ dense
    rows = torch.repeat_interleave(torch.arange(layer.crow.numel() - 1, device="cuda"), layer.crow.diff())
    of_w = (grad.float().t() @ x.detach().float()).unflatten(0, (-1, BLOCK)).unflatten(2, (-1, BLOCK)).transpose(1, 2)
    of_values = of_w[rows, layer.col.long()]
    error = lambda got, wanted: float((got.float() - wanted).abs().max() / wanted.abs().max())
    return {"gradients": {"x": error(x.grad, of_x), "values": error(values.grad, of_values)}}


def check_captured(layer):
    """Largest error of a compiled layer and of a CUDA graph that is replayed with another input, over the largest element."""
    x, other = (torch.randn(16, layer.in_features, device="cuda", dtype=torch.float16) for _ in range(2))
    row = {}
    with torch.no_grad():
        error = lambda y, to: float((y - to).abs().max() / to.abs().max())
        row["compiled"] = guarded(lambda: error(torch.compile(layer, fullgraph=True)(x), layer(x)))
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            layer(x)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            y = layer(x)
        wanted = layer(other)
        x.copy_(other)
        graph.replay()
        torch.cuda.synchronize()
        row["graph"] = error(y, wanted)
    return {"captured": row}


@triton.jit
def twice(x, y, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < count), mask=at < count)


def check_beside_triton(layer):
    """Largest error of a Triton kernel, the layer and that kernel again, over the largest element: eager, and as a CUDA graph."""
    def doubled(x):
        y = torch.empty_like(x)
        twice[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y

    x, other = (torch.randn(64, layer.in_features, device="cuda", dtype=torch.float16) / 4 for _ in range(2))
    error = lambda y, to: float((y.float() - to).abs().max() / to.abs().max())
    with torch.no_grad():
        wanted = lambda x: 4 * F.linear(x.float(), layer.dense_weight().float())
        row = {"eager": error(doubled(layer(doubled(x))), wanted(x))}
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            doubled(layer(doubled(x)))
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            y = doubled(layer(doubled(x)))
        x.copy_(other)
        graph.replay()
        torch.cuda.synchronize()
        row["graph"] = error(y, wanted(other))
    return {"beside_triton": row}


def eager(layer, bsr):
    """Microseconds of the CPU for one call, and of its parts."""
    from tilewright.operations.bsr_spmm import modules, operators, patterns

    x = torch.randn(1, layer.in_features, device="cuda", dtype=torch.float16)
    small = random_layer(256, 256)
    y = torch.randn(1, 256, device="cuda", dtype=torch.float16)
    z = torch.empty_like(y)
    linear = torch.nn.Linear(256, 256, bias=False, device="cuda", dtype=torch.float16)
    small_bsr = bsr_of(small)
    operator = torch.ops.tilewright.bsr_linear_inference.default
    matrix = tilewright.BsrMatrix.from_torch(small_bsr)
    empty = lambda: None
    with torch.inference_mode():
        small(y)
        kept = patterns.pattern_of(small.crow, small.col, 256, 256, BLOCK)
        launch = next(iter(kept.launches.values()))
        addresses = (y.data_ptr(), small.values.data_ptr(), None, z.data_ptr())
        parts, identity, memory = (small.crow, small.col, y, small.values, None), torch.nn.Identity(), operators._maker_of(z)
        calls = {
            "SparseLinear 256 x 256": lambda: small(y),
            "its forward alone": lambda: small.forward(y),
            "its call repeated from C alone": lambda: modules.repeat(small._calls, *parts),
            "memory for its result alone": memory,
            "nn.Identity": lambda: identity(y),
            "tilewright.torch.linear": lambda: tt.linear(y, matrix),
            "its operator alone": lambda: operator(small.crow, small.col, small.values, y, None, 256, "none"),
            "its launch alone": lambda: launch(*addresses),
            "nn.Linear 256 x 256": lambda: linear(y),
            "torch.mm 256 x 256 alone": lambda: torch.mm(y, linear.weight, out=z),
            "z.zero_()": z.zero_,
            "z.new_empty(1, 256)": lambda: z.new_empty(1, 256),
            "nothing": empty,
            "SparseLinear 14336 x 4096": lambda: layer(x),
        }
        row = {name: host_microseconds(call) for name, call in calls.items()}
        repeated = modules.repeat(small._calls, *parts) is not None
    with torch.no_grad():
        row["F.linear on BSR, PyTorch's own"] = host_microseconds(lambda: F.linear(y, small_bsr))
        with tt.enable():
            row["F.linear on BSR, drop-in"] = host_microseconds(lambda: F.linear(y, small_bsr))
    return {"eager_us": row, "extension": "_call_by_ctypes" not in patterns.run.__module__, "repeated": repeated}


def training(stack, dense, tokens):
    """Milliseconds of forward and backward of an MLP, gradients of weights and of x: eager, the median of steps over the stack."""
    from tilewright.operations.bsr_spmm import patterns

    def milliseconds(mlps):
        x = torch.randn(tokens, HIDDEN, device="cuda", dtype=torch.float16, requires_grad=True)
        grad = torch.randn(tokens, HIDDEN, device="cuda", dtype=torch.float16)
        times = []
        for step in range(4):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            begin.record()
            for mlp in mlps:
                mlp(x).backward(grad)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / len(mlps))
        return round(statistics.median(times[1:]), 3)

    layers = [tuple(layer.requires_grad_() for layer in one) for one in stack]
    weights = [tuple(w.detach().requires_grad_() for w in one) for one in dense]
    row = {"training": tokens, "module_ms": guarded(lambda: milliseconds([Mlp(*one) for one in layers]))}
    with mock.patch.object(patterns.KeptPattern, "sampled", lambda _: None):
        row["with_gathered_gradients_ms"] = guarded(lambda: milliseconds([Mlp(*one) for one in layers]))
    linears = [Mlp(*[lambda x, w=w: F.linear(x, w) for w in one]) for one in weights]
    row["dense_ms"] = guarded(lambda: milliseconds(linears))
    for one in layers:
        for layer in one:
            layer.requires_grad_(False).values.grad = None
    return row


def tuned(layers, tokens, deadline):
    """Best microseconds of PyTorch's Triton kernel for one product of 16 rows or more, over a few configurations, weights in turn."""
    import torch.sparse._triton_ops as ops

    wide = torch.randn(layers[0].shape[1], max(16, tokens), device="cuda", dtype=torch.float16)
    best = (float("inf"), {})
    for tile, stages, warps in TRITON:
        if wide.shape[1] % tile or time.monotonic() > deadline:
            continue
        meta = {"SPLIT_N": wide.shape[1] // tile, "num_stages": stages, "num_warps": warps, "GROUP_SIZE_ROW": 4}

        def call(bsr):
            out = torch.empty(bsr.shape[0], wide.shape[1], device="cuda", dtype=wide.dtype)
            return lambda: ops.bsr_dense_addmm(out, bsr, wide, beta=0, out=out, meta=meta)

        seconds = guarded(lambda: graph_seconds([call(bsr) for bsr in layers], 5))
        if not isinstance(seconds, str):
            best = min(best, (seconds, meta), key=lambda one: one[0])
    return best


class Tuned:
    """x W^T by PyTorch's Triton kernel in a configuration of its own."""

    def __init__(self, bsr, meta):
        self.bsr, self.meta = bsr, meta

    def __call__(self, x):
        import torch.sparse._triton_ops as ops

        out = torch.empty(self.bsr.shape[0], x.shape[0], device="cuda", dtype=x.dtype)
        return ops.bsr_dense_addmm(out, self.bsr, x.t(), beta=0, out=out, meta=self.meta).t()


def torchao_stack(stock):
    """The same weights as torchao's BlockSparseTensor; why not, where it cannot be had."""
    try:
        from torchao.sparsity.blocksparse import BlockSparseTensor
    except Exception as error:
        return str(error)
    of = lambda w: BlockSparseTensor(w.shape, BLOCK, w.crow_indices(), w.col_indices(), w.values())
    return [tuple(map(of, layers)) for layers in stock]


def mlp(tokens, stack, stock, dense, torchao, deadline):
    """Microseconds of an MLP in each way, under CUDA graphs."""
    x = torch.randn(tokens, HIDDEN, device="cuda", dtype=torch.float16)
    padded = torch.randn(max(16, tokens), HIDDEN, device="cuda", dtype=torch.float16)
    products = lambda weights: Mlp(*[lambda x, w=w: F.linear(x, w, None) for w in weights])
    of = lambda ways, x: microseconds([lambda m=m: m(x) for m in ways])
    with torch.no_grad():
        row = {"mlp": tokens, "module_us": of([Mlp(*layers) for layers in stack], x)}
        with tt.enable() as drop_in:
            row["drop_in_us"] = of(map(products, stock), x)
        row["taken"] = drop_in.taken
        with tt.enable_triton_hook() as hook:
            row["triton_hook_us"] = of(map(products, stock), x)
        row["triton_hook_taken"] = hook.taken
        row["dense_us"] = of(map(products, dense), x)
        row["pytorch_bsr_us"] = of(map(products, stock), x)
        row["torchao_us"] = torchao if isinstance(torchao, str) else of(map(products, torchao), padded)
        if not isinstance(torchao, str):
            with tt.enable_torchao() as drop_in:
                row["torchao_drop_in_us"] = of(map(products, torchao), x)
            row["torchao_passed_on"] = dict(drop_in.passed_on)
        up, down = (tuned([layers[at] for layers in stock], tokens, deadline)[1] for at in (0, 2))
        if up and down:
            row["pytorch_tuned_us"] = of([Mlp(*map(Tuned, layers, (up, up, down))) for layers in stock], padded)
            row["configurations"] = [up, down]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=80, help="nothing new is begun after so many")
    parser.add_argument("--policy", default="on-miss", help="when the library measures, see tilewright.configure")
    parser.add_argument("--json", help="file that gets the lines, too")
    parser.add_argument("--parts", default="check,eager,mlp,training,captured", help="those to be run, of check,eager,mlp,training,captured")
    options = parser.parse_args()
    tilewright.configure(options.policy, exhaustive=True, cache="")
    torch.manual_seed(1)
    file = open(options.json, "w") if options.json else None

    def say(**row):
        line = json.dumps(row)
        print(line, flush=True)
        if file:
            print(line, file=file, flush=True)

    left = lambda: options.seconds - (time.monotonic() - started)
    say(torch=torch.__version__, gpu=torch.cuda.get_device_name(), devices=[str(one) for one in tilewright.devices()])
    stack = [(random_layer(INTER, HIDDEN), random_layer(INTER, HIDDEN), random_layer(HIDDEN, INTER)) for _ in range(STACK)]
    stock = [tuple(map(bsr_of, layers)) for layers in stack]
    dense = [tuple(layer.dense_weight() for layer in layers) for layers in stack]
    parts = options.parts.split(",")
    if "check" in parts:
        for row in check_correct(stack[0][0], stock[0][0], dense[0][0]):
            say(**row)
        say(**guarded_row(lambda: check_gradients(stack[0][0])))
    if "eager" in parts:
        say(**guarded_row(lambda: eager(stack[0][0], stock[0][0])))
    torchao = torchao_stack(stock)
    for tokens in (1, 16, 64, 2048, 8192):
        if "mlp" in parts and left() > 5:
            say(**mlp(tokens, stack, stock, dense, torchao, started + options.seconds - 15))
    for tokens in (2048, 8192):
        if "training" in parts and left() > 6:
            say(**guarded_row(lambda: training(stack[:2], dense[:2], tokens)))
    if "captured" in parts and left() > 8:
        say(**guarded_row(lambda: check_beside_triton(stack[0][0])))
        say(**guarded_row(lambda: check_captured(stack[0][0])))
    say(statistics={f"{target} {device}": one for (target, device), one in tilewright.statistics().items()})
    say(seconds=round(time.monotonic() - started, 1))


def guarded_row(call):
    row = guarded(call)
    return row if isinstance(row, dict) else {"failed": row}


if __name__ == "__main__":
    main()

"""Speed-up of a block-sparse linear layer over a dense one, by density: a table, and a plot where matplotlib is installed.

    python density.py [out.png]

On a GPU times are those of CUDA graphs. Without one the emulated device computes a small layer, and the times mean nothing.
"""

import sys

import torch

import tilewright
import tilewright.torch as tt

gpu = torch.cuda.is_available()
device, rows, columns, tokens = ("cuda", 14336, 4096, 2048) if gpu else ("cpu", 256, 256, 8)
block = 64


def layer(density):
    """A weight with that share of its blocks."""
    kept = torch.rand(rows // block, columns // block, device=device) < density
    weight = torch.randn(rows, columns, device=device, dtype=torch.float16)
    return weight * kept.repeat_interleave(block, 0).repeat_interleave(block, 1)


def speed_ups(density):
    """Speed-up of each method over the dense product."""
    a = tilewright.BsrMatrix.from_dense(layer(density), block)
    rows = tt.benchmark(a, torch.randn(tokens, columns, device=device, dtype=torch.float16))
    seconds = {row.name: row.seconds for row in rows if row.seconds is not None}
    print(f"density {a.density:.2f}:", *rows, sep="\n  ")
    return {name: seconds["PyTorch dense"] / one for name, one in seconds.items()}


densities = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7] if gpu else [0.25, 0.5]
results = [speed_ups(density) for density in densities]

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("no plot: matplotlib is not installed")
figure, axes = plt.subplots()
for name in sorted({name for result in results for name in result}):
    axes.plot(densities, [result.get(name) for result in results], marker="o", label=name)
axes.set(xlabel="share of blocks that are stored", ylabel="speed-up over the dense product", yscale="log")
axes.set_title(f"{rows} x {columns}, blocks of {block}, {tokens} tokens, {torch.cuda.get_device_name() if gpu else 'emulated'}")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "density.png")

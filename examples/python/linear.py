"""torch.nn.functional.linear with a block-sparse weight: from `pip install` to a number.

    python linear.py

On a GPU the times are those of CUDA graphs. Without one the emulated device computes a small layer: the answer is right, and the time means nothing.
"""

import sys
import warnings

import torch
import torch.nn.functional as F

import tilewright
import tilewright.torch as tt

warnings.filterwarnings("ignore", "Sparse (BSR|invariant)")
gpu = torch.cuda.is_available()
device, rows, columns, tokens = ("cuda", 14336, 4096, 16) if gpu else ("cpu", 256, 256, 8)
torch.manual_seed(1)
kept = torch.rand(rows // 64, columns // 64, device=device) < 0.1
kept[0, 0] = True
dense = torch.randn(rows, columns, device=device, dtype=torch.float16) * kept.repeat_interleave(64, 0).repeat_interleave(64, 1)
weight = dense.to_sparse_bsr((64, 64))
x = torch.randn(tokens, columns, device=device, dtype=torch.float16)

with tt.enable() as drop_in:
    y = F.linear(x, weight)
wanted = F.linear(x.float(), dense.float())
error = ((y.float() - wanted).abs().max() / wanted.abs().max()).item()

times = {row.name: row.seconds for row in tt.benchmark(tilewright.BsrMatrix.from_torch(weight), x) if row.seconds}
ours, stock = times["tilewright"], times["PyTorch dense"]
print(f"F.linear {tokens} x {columns} x {rows}, {kept.float().mean():.0%} of the blocks, {tilewright.devices()[0].name}:")
speed = f"dense {stock * 1e6:.1f} us: {stock / ours:.2f}x" if gpu else "which means nothing here"
print(f"F.linear takes {ours * 1e6:.1f} us, {speed}; largest error {error:.1e}")
right = error < 2e-3 and drop_in.taken == 1
print("PASS" if right else f"FAIL: {drop_in.passed_on}")
sys.exit(not right)

"""A matrix product in Triton, compiled to machine code without a GPU, for `gen import-triton`.

    python matmul.py [folder] [capability]

Writes matmul.cubin and matmul.json, as Triton's cache has them, into the folder, `matmul` by default. The capability is 90 by default: an H100 or H200.
matmul.yaml beside this file says what the kernel is given. Needs Triton 3.4 or later.
"""

import pathlib
import shutil
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

CONSTANTS = {"ROWS": 128, "COLUMNS": 256, "DEPTH": 64, "GROUP": 8}
ALIGNED = {**dict.fromkeys("abc", 16), **dict.fromkeys(["N", "K", "stride_a", "stride_b", "stride_c"], 8)}
"""What divides addresses, in bytes, and sizes, so that Triton moves 16 bytes at once: matmul.yaml has the same under `takes`."""


@triton.jit
def matmul(
    a, b, c, M, N, K, stride_a, stride_b, stride_c,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """C = A B, row-major: a tile of C a program, tiles in groups of GROUP rows that share columns of B in the L2 cache."""
    program = tl.program_id(0)
    in_group = GROUP * tl.cdiv(N, COLUMNS)
    first = program // in_group * GROUP
    height = min(tl.cdiv(M, ROWS) - first, GROUP)
    row = (first + program % in_group % height) * ROWS
    column = program % in_group // height * COLUMNS
    rows, columns, depth = row + tl.arange(0, ROWS), column + tl.arange(0, COLUMNS), tl.arange(0, DEPTH)
    from_a = a + rows[:, None].to(tl.int64) * stride_a + depth[None, :]
    from_b = b + depth[:, None].to(tl.int64) * stride_b + columns[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for done in range(0, K, DEPTH):
        inside = depth < K - done
        left = tl.load(from_a, (rows[:, None] < M) & inside[None, :], 0.0)
        right = tl.load(from_b, inside[:, None] & (columns[None, :] < N), 0.0)
        total = tl.dot(left, right, total)
        from_a += DEPTH
        from_b += DEPTH * stride_b.to(tl.int64)
    to_c = c + rows[:, None].to(tl.int64) * stride_c + columns[None, :]
    tl.store(to_c, total.to(tl.float16), (rows[:, None] < M) & (columns[None, :] < N))


def main(folder="matmul", capability="90"):
    sizes = ["M", "N", "K", "stride_a", "stride_b", "stride_c"]
    types = dict.fromkeys("abc", "*fp16") | dict.fromkeys(sizes, "i32") | dict.fromkeys(CONSTANTS, "constexpr")
    names = list(types)
    aligned = {(names.index(name),): [["tt.divisibility", by]] for name, by in ALIGNED.items()}
    source = ASTSource(fn=matmul, signature=types, constexprs=CONSTANTS, attrs=aligned)
    options = {"num_warps": 8, "num_stages": 3}
    compiled = triton.compile(source, target=GPUTarget("cuda", int(capability), 32), options=options)
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name in ("matmul.cubin", "matmul.json"):
        shutil.copy(compiled.metadata_group[name], target / name)
    print(f"wrote {target / 'matmul.cubin'} by Triton {triton.__version__}")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Block-sparse matrices and their products with dense ones."""

from ._signature import BsrSpmmPlan, bsr_spmm
from .matrix import BsrMatrix, benchmark, bsr_gemm, explain, grouped_matmul, linear, matmul, tune

__all__ = [
    "BsrMatrix",
    "BsrSpmmPlan",
    "benchmark",
    "bsr_gemm",
    "bsr_spmm",
    "explain",
    "grouped_matmul",
    "linear",
    "matmul",
    "tune",
]

"""Block-sparse matrices and their products with dense ones."""

from ._signature import bsr_spmm
from .matrix import BsrMatrix, Explanation, bsr_gemm, linear, matmul

__all__ = ["BsrMatrix", "Explanation", "bsr_gemm", "bsr_spmm", "linear", "matmul"]

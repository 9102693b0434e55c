"""Block-sparse matrices and their products with dense ones."""

from ._signature import bsr_spmm
from .matrix import BsrMatrix, bsr_gemm, linear, matmul

__all__ = ["BsrMatrix", "bsr_gemm", "bsr_spmm", "linear", "matmul"]

"""Block-sparse products in PyTorch: operators, modules, and the override of PyTorch's own on sparse BSR tensors."""

from ._table import Row, Table
from .benchmark import benchmark
from .drop_in import DropIn, disable, enable, enable_torchao, enable_triton_hook
from .modules import SparseLinear, sparsify_
from .operators import linear, matmul

__all__ = [
    "DropIn",
    "Row",
    "SparseLinear",
    "Table",
    "benchmark",
    "disable",
    "enable",
    "enable_torchao",
    "enable_triton_hook",
    "linear",
    "matmul",
    "sparsify_",
]

"""PyTorch's own products with sparse BSR tensors, computed here: F.linear, torch.mm, torch.addmm, @ and torch.sparse.mm.

The kernels of aten::mm and aten::addmm for sparse tensors are overridden. What is not served here goes to PyTorch's own, with the very
arguments, and is counted.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.compiler import is_compiling

from ..._errors import Error
from .operators import linear_of_parts, run_linear, run_matmul
from .patterns import KeptPattern, pattern_of, served_types


class _PassedOn(Exception):
    """A call that is PyTorch's own business; the text says why."""


class DropIn:
    """The override while it is there; a context manager, which takes it away at the end.

    `taken`: calls computed here. `passed_on`: calls that PyTorch computed, by reason.
    """

    def __init__(self, namespace: str, kernels: Mapping[str, Callable[..., Tensor]], keys: Sequence[str]) -> None:
        """`kernels`: ours by the names of the operators; `keys`: of the dispatcher."""
        self.taken = 0
        self.passed_on: Counter[str] = Counter()
        self._namespace, self._kernels, self._keys = namespace, kernels, keys
        self._library: Any = None

    def __repr__(self) -> str:
        return f"DropIn(taken={self.taken}, passed_on={dict(self.passed_on)})"

    def __enter__(self) -> DropIn:
        return self

    def __exit__(self, *_: object) -> None:
        self.disable()

    def enable(self) -> DropIn:
        """Overrides the operators. Raises Error where PyTorch has none of them."""
        if not hasattr(torch.library, "get_kernel"):
            raise Error(f"PyTorch {torch.__version__} has no torch.library.get_kernel: the drop-in needs a newer one")
        if self._library is None:
            self._library = torch.library.Library(self._namespace, "IMPL")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a kernel is overridden, which is what was asked for
                overridden = [self._override(*one, key) for key in self._keys for one in self._kernels.items()]
            if not any(overridden):
                self.disable()
                names = ", ".join(f"{self._namespace}::{name}" for name in self._kernels)
                raise Error(f"PyTorch {torch.__version__} has no kernel of {names} here: there is none to take the place of")
        return self

    @property
    def is_enabled(self) -> bool:
        return self._library is not None

    def disable(self) -> None:
        """PyTorch computes all again."""
        if self._library is not None:
            self._library._destroy()
            self._library = None

    def _override(self, name: str, ours: Callable[..., Tensor], key: str) -> bool:
        """Whether there was a kernel to override."""
        try:
            stock = torch.library.get_kernel(f"{self._namespace}::{name}", key)
        except RuntimeError:  # a build without CUDA has no kernels for it
            return False

        def kernel(keys: Any, *arguments: Any, **scalars: Any) -> Tensor:
            try:
                result = ours(*arguments, **scalars)
                self.taken += 1
                return result
            except (_PassedOn, Error) as why:
                self.passed_on[str(why)] += 1
            return self._stock(stock, keys, *arguments, **scalars)

        self._library.impl(name, kernel, key, with_keyset=True, allow_override=True)
        return True

    def _stock(self, stock: Any, keys: Any, *arguments: Any, **scalars: Any) -> Tensor:
        """The result of PyTorch's own kernel."""
        result: Tensor = stock.call_boxed(keys, *arguments, **scalars)
        return result


_active: dict[str, DropIn] = {}


def _enable(kind: type[DropIn], namespace: str, kernels: Mapping[str, Callable[..., Tensor]], keys: Sequence[str]) -> DropIn:
    drop_in = _active.get(namespace)
    if drop_in is None or not drop_in.is_enabled:
        drop_in = _active[namespace] = kind(namespace, kernels, keys).enable()
    return drop_in


def enable() -> DropIn:
    """Lets PyTorch's products with sparse BSR tensors be computed here, from now on or within a `with` block."""
    return _enable(DropIn, "aten", {"mm": _mm, "addmm": _addmm}, ("SparseCsrCPU", "SparseCsrCUDA"))


def enable_torchao() -> DropIn:
    """Lets F.linear with torchao's BlockSparseTensor, and its operator blocksparse::addmm, be computed here. Imports torchao."""
    import torchao.sparsity.blocksparse  # noqa: F401  defines the operator

    return _enable(_TorchAo, "blocksparse", {"addmm": _torchao_addmm}, ("CPU", "CUDA"))


def enable_triton_hook() -> DropIn:
    """Lets triton::_triton_bsr_dense_addmm_out be computed here, which PyTorch's own products with BSR tensors try first on a GPU.

    Fewer calls come to it than to `enable`, and products of other sparse tensors take no longer for it. Raises Error where PyTorch
    has no such operator, as without Triton.
    """
    register = getattr(torch.cuda, "_register_triton_kernels", None)
    if register is not None:  # else PyTorch's kernel is there with the first use of CUDA, after ours would be
        register()
    return _enable(_TritonHook, "triton", {"_triton_bsr_dense_addmm_out": _triton_addmm}, ("SparseCsrCUDA",))


class _TritonHook(DropIn):
    """PyTorch's operator for kernels of Triton, whose kernel may answer NotImplemented: PyTorch then computes in its general way."""

    def _stock(self, stock: Any, keys: Any, *arguments: Any, **scalars: Any) -> Tensor:
        try:
            return super()._stock(stock, keys, *arguments, **scalars)
        except RuntimeError as error:
            # PyTorch takes the answer itself for one, and not an error of Python with the same text.
            if "Unable to cast NotImplemented" in str(error):
                answer: Tensor = NotImplemented
                return answer
            raise


class _TorchAo(DropIn):
    """torchao's operator, and the function above it: the operator's result is row-major, across the layout of a layer."""

    def enable(self) -> DropIn:
        if not self.is_enabled:
            table = self._table()
            self._former = table[torch.nn.functional.linear]
            table[torch.nn.functional.linear] = self._function
        return super().enable()

    def disable(self) -> None:
        if self.is_enabled:
            self._table()[torch.nn.functional.linear] = self._former
        super().disable()

    @staticmethod
    def _table() -> dict[Any, Any]:
        from torchao.sparsity.blocksparse import BlockSparseTensor

        table: dict[Any, Any] = BlockSparseTensor._TORCH_FN_TABLE[BlockSparseTensor]
        return table

    def _function(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Tensor:
        x, weight, bias = (*arguments, keywords.get("bias"))[:3]
        if is_compiling():
            parts = weight.crow_indices(), weight.col_indices(), weight.values()
            return linear_of_parts(*parts, x, bias, tuple(weight.shape), "none")
        try:
            parts = weight.bsr_crow_indices, weight.bsr_col_indices, weight.bsr_values
            result = linear_of_parts(*parts, x, bias, tuple(weight.shape), "none")
            self.taken += 1
            return result
        except Error as why:
            self.passed_on[str(why)] += 1
        former: Tensor = self._former(function, types, (x, weight, bias), {})
        return former


def disable() -> None:
    """Undoes `enable`, `enable_torchao` and `enable_triton_hook`."""
    for drop_in in _active.values():
        drop_in.disable()


def _torchao_addmm(x: Tensor, crow: Tensor, col: Tensor, values: Tensor, rows: int, columns: int, bias: Tensor | None) -> Tensor:
    """A x, row-major; x is the transpose of what a layer is given."""
    if bias is not None:
        raise _PassedOn("a bias within the product")
    kept, values = _checked_parts(crow, col, values.detach(), (rows, columns))
    _check_dense(x)
    return run_matmul(kept, values, x)


def _triton_addmm(former: Tensor, a: Tensor, b: Tensor, *, beta: Any, alpha: Any, out: Tensor) -> Tensor:
    """out = beta former + alpha a b, with a sparse one as the left factor. A bias comes as a former whose columns are all one."""
    if a.layout is not torch.sparse_bsr:
        raise _PassedOn(f"a sparse factor that is {_named(a)}")
    parts = (a.crow_indices(), a.col_indices(), a.values())
    kept, values = _checked_parts(*parts, (a.shape[0], a.shape[1]))
    _check_dense(b)
    if out.layout is not torch.strided or out.dtype != b.dtype or out.shape != (a.shape[0], b.shape[1]):
        raise _PassedOn(f"an out that is {_named(out)}, {out.dtype}, of shape {list(out.shape)}")
    return _into(out, kept, values, b, former, beta, alpha)


def _mm(a: Tensor, b: Tensor) -> Tensor:
    return _product(a, b, None, 1, 1)


def _addmm(former: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _product(a, b, former, beta, alpha)


def _product(a: Tensor, b: Tensor, former: Tensor | None, beta: Any, alpha: Any) -> Tensor:
    """beta former + alpha a b, one of the two factors block-sparse. Raises _PassedOn for what is not served."""
    if a.layout is torch.strided:
        return _right(*_parts(b, False), a, former, beta, alpha)
    return _left(*_parts(a, True), b, former, beta, alpha)


def _named(factor: Tensor) -> str:
    return str(factor.layout).removeprefix("torch.")


def _parts(factor: Tensor, is_left: bool) -> tuple[KeptPattern, Tensor]:
    """Pattern and values of the matrix A: the factor on the left of a dense one, the transpose of that on the right. The factor is not
    transposed as a tensor, which PyTorch does not do in its inference mode with one that was made outside of it."""
    is_row = factor.layout is torch.sparse_bsr
    if is_row:
        parts, shape = (factor.crow_indices(), factor.col_indices(), factor.values()), (factor.shape[0], factor.shape[1])
    elif factor.layout is torch.sparse_bsc:
        # Parts of the transpose in rows: its blocks are views of the factor's, transposed.
        parts = (factor.ccol_indices(), factor.row_indices(), factor.values().mT)
        shape = (factor.shape[1], factor.shape[0])
    else:
        raise _PassedOn(f"a sparse factor that is {_named(factor)}")
    kept, values = _checked_parts(*parts, shape)
    if is_row == is_left:
        return kept, values
    transposed, order = kept.transposed()
    return transposed, values[order].mT.contiguous()


def _checked_parts(crow: Tensor, col: Tensor, values: Tensor, shape: tuple[int, int]) -> tuple[KeptPattern, Tensor]:
    if values.dim() != 3 or values.shape[1] != values.shape[2]:
        raise _PassedOn(f"blocks of {list(values.shape[1:])}")
    if values.dtype not in served_types():
        raise _PassedOn(f"{values.dtype} values")
    if not values.is_contiguous():
        raise _PassedOn("values that are not contiguous")
    return pattern_of(crow, col, shape[0], shape[1], values.shape[1]), values


def _left(kept: KeptPattern, values: Tensor, b: Tensor, former: Tensor | None, beta: Any, alpha: Any) -> Tensor:
    """A b. The result has the order of b, as x^T of a linear layer has it."""
    _check_dense(b)
    rows = kept.pattern.rows
    column = b.stride(0) == 1 and b.stride(1) >= b.shape[0] and b.shape[1] > 1
    strides = (1, rows) if column else (b.shape[1], 1)
    out = torch.empty_strided((rows, b.shape[1]), strides, dtype=b.dtype, device=b.device)
    return _into(out, kept, values, b, former, beta, alpha)


def _into(out: Tensor, kept: KeptPattern, values: Tensor, b: Tensor, former: Tensor | None, beta: Any, alpha: Any) -> Tensor:
    """out = alpha A b + beta former, where former may be out."""
    if former is None or beta == 0:
        return run_matmul(kept, values, b, out, None, float(alpha))
    _check_former(former, b)
    bias = _bias(former, out) if beta == 1 else None
    if bias is not None:
        return run_matmul(kept, values, b, out, bias, float(alpha))
    if not former.is_set_to(out):
        out.copy_(former.expand(out.shape))
    return run_matmul(kept, values, b, out, None, float(alpha), float(beta))


def _bias(former: Tensor, out: Tensor) -> Tensor | None:
    """The column that all columns of the summand are; none for one that is itself to be written."""
    if former.dim() != 2 or former.shape[0] != out.shape[0] or former.data_ptr() == out.data_ptr():
        return None
    if former.shape[1] != 1 and (former.shape[1] == 0 or former.stride(1) != 0):
        return None
    column = former[:, 0]
    return column if column.is_contiguous() else None


def _right(kept: KeptPattern, values: Tensor, x: Tensor, former: Tensor | None, beta: Any, alpha: Any) -> Tensor:
    """x A^T: a linear layer."""
    _check_dense(x)
    if alpha == 1 and (former is None or beta == 0):
        return run_linear(kept, values, x, None, "none")
    if alpha == 1 and beta == 1 and former is not None and former.dim() == 1 and former.numel() == kept.pattern.rows:
        _check_former(former, x)
        return run_linear(kept, values, x, former.contiguous(), "none")
    transposed = None if former is None else (former.expand(x.shape[0], kept.pattern.rows)).t()
    return _left(kept, values, x.t(), transposed, beta, alpha).t()


def _check_dense(dense: Tensor) -> None:
    if dense.layout is not torch.strided or dense.dim() != 2 or dense.dtype not in served_types():
        raise _PassedOn(f"a dense factor that is {_named(dense)}, {dense.dtype}, of {dense.dim()} dimensions")


def _check_former(former: Tensor, like: Tensor) -> None:
    if former.layout is not torch.strided or former.dtype != like.dtype or former.device != like.device:
        raise _PassedOn(f"a summand that is {_named(former)}, {former.dtype}, on {former.device}")

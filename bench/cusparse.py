"""cuSPARSE's product of a block-sparse and a dense matrix (cusparseSpMM), by ctypes: f16 in and out, accumulated in fp32, all
row-major, A as BSR or as Blocked-ELL. The same calls as in templates/kernels/bsr-spmm/vendor.hpp; enumerators by value."""

import ctypes
import functools
from ctypes import byref, c_float, c_int, c_int64, c_size_t, c_void_p

INDEX_32, BASE_ZERO, ROW_MAJOR, NO_TRANSPOSE, DEFAULT_ALGORITHM = 2, 0, 2, 0, 0
CUDA_R_32F, CUDA_R_16F = 0, 2


def places(row_ptr):
    """Positions of the blocks of BSR in Blocked-ELL: their block rows, their places in these, and the number of places per row."""
    lengths = [after - before for before, after in zip(row_ptr, row_ptr[1:])]
    rows = [row for row, length in enumerate(lengths) for _ in range(length)]
    slots = [slot for length in lengths for slot in range(length)]
    return rows, slots, max(lengths, default=0)


class CuSparseError(Exception):
    """A call that failed, by name and status."""


class CuSparse:
    """The shared library, and a handle of it. Raises OSError where it is not installed."""

    def __init__(self):
        self.c = ctypes.CDLL("libcusparse.so.12")
        self.handle = c_void_p()
        self.call("cusparseCreate", byref(self.handle))

    def call(self, name, *arguments):
        status = getattr(self.c, name)(*arguments)
        if status != 0:
            raise CuSparseError(f"{name} answered status {status}")


@functools.cache
def library():
    """One handle for all products."""
    return CuSparse()


class Product:
    """C = A B on torch tensors, A one of cuSPARSE's sparse matrices. Calling it enqueues the product; it returns C."""

    def __init__(self, api, matrix, dense, out, kept):
        import torch

        self.api, self.torch, self.matrix, self.out, self.kept = api, torch, matrix, out, kept
        self.alpha, self.beta = c_float(1), c_float(0)
        self.b, self.c = (self.descriptor(one) for one in (dense, out))
        size = c_size_t()
        api.call("cusparseSpMM_bufferSize", *self.arguments(), byref(size))
        self.buffer = torch.empty(max(1, size.value), dtype=torch.uint8, device="cuda")

    def descriptor(self, tensor):
        found = c_void_p()
        rows, columns = (c_int64(one) for one in tensor.shape)
        data, stride = c_void_p(tensor.data_ptr()), c_int64(tensor.stride(0))
        self.api.call("cusparseCreateDnMat", byref(found), rows, columns, stride, data, c_int(CUDA_R_16F), c_int(ROW_MAJOR))
        return found

    def arguments(self):
        transposes = c_int(NO_TRANSPOSE), c_int(NO_TRANSPOSE)
        operands = byref(self.alpha), self.matrix, self.b, byref(self.beta), self.c
        return self.api.handle, *transposes, *operands, c_int(CUDA_R_32F), c_int(DEFAULT_ALGORITHM)

    def __call__(self):
        self.api.call("cusparseSetStream", self.api.handle, c_void_p(self.torch.cuda.current_stream().cuda_stream))
        self.api.call("cusparseSpMM", *self.arguments(), c_void_p(self.buffer.data_ptr()))
        return self.out


def bsr(api, row_ptr, columns, values, dense, out):
    """A as it is: `values` is blocks x block x block."""
    blocks, block, _ = values.shape
    matrix = c_void_p()
    sizes = (c_int64(one) for one in (len(row_ptr) - 1, dense.shape[0] // block, blocks, block, block))
    pointers = (c_void_p(one.data_ptr()) for one in (row_ptr, columns, values))
    kinds = (c_int(one) for one in (INDEX_32, INDEX_32, BASE_ZERO, CUDA_R_16F, ROW_MAJOR))
    api.call("cusparseCreateBsr", byref(matrix), *sizes, *pointers, *kinds)
    return Product(api, matrix, dense, out, (row_ptr, columns, values))


def blocked_ell(api, row_ptr, columns, values, dense, out):
    """A with as many blocks in every row as in the longest; the conversion is not timed, the padding is."""
    import torch

    _, block, _ = values.shape
    rows, slots, width = places(row_ptr.tolist())
    height = len(row_ptr) - 1
    padded = torch.zeros(height, block, width, block, dtype=values.dtype, device="cuda")
    padded[rows, :, slots, :] = values
    indices = torch.full((height, width), -1, dtype=torch.int32, device="cuda")
    indices[rows, slots] = columns
    matrix = c_void_p()
    sizes = (c_int64(one) for one in (height * block, dense.shape[0], block, width * block))
    pointers = (c_void_p(one.data_ptr()) for one in (indices, padded))
    kinds = (c_int(one) for one in (INDEX_32, BASE_ZERO, CUDA_R_16F))
    api.call("cusparseCreateBlockedEll", byref(matrix), *sizes, *pointers, *kinds)
    return Product(api, matrix, dense, out, (indices, padded))

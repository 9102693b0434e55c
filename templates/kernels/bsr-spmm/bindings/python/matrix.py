"""Block-sparse matrices over arrays of NumPy, PyTorch or CuPy, and their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._arrays import Array, View, empty, is_torch, on_device, stream_behind, view, writable_view
from ..._context import Context
from ..._errors import Error, InvalidArgument
from ..._explanation import Explanation
from ..._operation import Call
from ._signature import OPERATION
from ._table import Row, Table

#: Activations by their usual names.
_activations: dict[str | None, str] = {None: "none", "gelu": "gelu-erf"}


def activation_name(activation: str | None) -> str:
    """The library's name of an activation."""
    return _activations.get(activation) or str(activation)


class Pattern:
    """The blocks that a matrix has: index arrays on its device, and what the library knows of them."""

    def __init__(self, row_ptr: Array, col_idx: Array, rows: int, columns: int, block: int, exhaustive: bool = False) -> None:
        """Reads the arrays to the host, which waits for the current stream. `exhaustive`: products that are tuned have every kernel measured."""
        self.rows, self.columns, self.block = rows, columns, block
        if min(rows, columns) < 0 or block < 1:
            raise InvalidArgument(f"a matrix of {rows} x {columns} in blocks of {block}: sizes must not be negative, and block at least 1")
        #: Block rows and block columns; the last ones may end behind the matrix.
        self.grid = (-(-rows // block), -(-columns // block))
        views = self._read(row_ptr, col_idx)
        place = views[0]
        with on_device(row_ptr, place):
            self.context = Context.of(place.target, place.device, exhaustive)
            stream = stream_behind(row_ptr, place.device, views)
            self._descriptor = OPERATION.describe(self.context, self._structure(*views), stream)
        self._keep(row_ptr, col_idx)
        self.calls: dict[tuple[Any, ...], Call] = {}

    def replan(self, row_ptr: Array, col_idx: Array) -> None:
        """Takes other index arrays in place. Waits for the current stream, behind which no call with the former ones may be pending."""
        views = self._read(row_ptr, col_idx)
        place = views[0]
        self.check_place(place, "row_ptr")
        with on_device(row_ptr, place):
            stream = stream_behind(row_ptr, place.device, views)
            self._descriptor.replan(OPERATION.make_structure(self._structure(*views)), stream)
        self._keep(row_ptr, col_idx)

    def check_place(self, seen: View, name: str) -> None:
        """Raises InvalidArgument for an array that is not on the pattern's device."""
        own = (self.context.library.target, self.context.device)
        if (seen.target, seen.device) != own:
            raise InvalidArgument(f"{name} is on {seen.target} {seen.device} and the pattern on {own[0]} {own[1]}: move one")

    def _keep(self, row_ptr: Array, col_idx: Array) -> None:
        self.row_ptr, self.col_idx = row_ptr, col_idx
        self.blocks = view(col_idx, "col_idx").shape[0]

    def call(self, key: tuple[Any, ...]) -> Call:
        """Calls of one kind: columns of B; types of B and C; leading dimensions and layouts of both; bias; activation; whether C is read."""
        found = self.calls.get(key)
        if found is None:
            n, kind, output, ldb, ldc, layout_b, layout_c, bias, activation, reads_c = key
            fields = {
                **{"n": n, "input": kind, "output": output, "ldb": ldb, "ldc": ldc},
                **{"layout_b": layout_b, "layout_c": layout_c},
                **{"bias": bias, "activation": activation, "reads_c": reads_c},
            }
            problem = OPERATION.make_problem(fields)
            found = self.calls[key] = Call(OPERATION, self.context, self._descriptor, problem, {})
        return found

    def _structure(self, row_ptr: View, col_idx: View) -> dict[str, Any]:
        sizes = {"m": self.rows, "k": self.columns, "block": self.block, "blocks": col_idx.shape[0]}
        return {**sizes, "index": row_ptr.type, "row_ptr": row_ptr.address, "col_idx": col_idx.address}

    def _read(self, *arrays: Array) -> tuple[View, View]:
        row_ptr, col_idx = view(arrays[0], "row_ptr"), view(arrays[1], "col_idx")
        wanted = self.grid[0] + 1
        if row_ptr.shape != (wanted,):
            raise InvalidArgument(f"row_ptr has the shape {list(row_ptr.shape)}: {wanted} entries are one more than block rows")
        if row_ptr.type != col_idx.type or row_ptr.type not in ("i32", "i64"):
            raise InvalidArgument(f"row_ptr is of {row_ptr.type} and col_idx of {col_idx.type}: both must be int32, or int64")
        if any(length > 1 and stride != 1 for one in (row_ptr, col_idx) for length, stride in zip(one.shape, one.strides)):
            raise InvalidArgument("row_ptr and col_idx must be contiguous")
        if (row_ptr.target, row_ptr.device) != (col_idx.target, col_idx.device):
            said = f"row_ptr is on {row_ptr.target} {row_ptr.device} and col_idx on {col_idx.target} {col_idx.device}"
            raise InvalidArgument(f"{said}: move one")
        return row_ptr, col_idx


class BsrMatrix:
    """A matrix in block sparse rows: the stored blocks, each `block` x `block`, row-major, one after the other.

    row_ptr (block rows + 1 entries) and col_idx (one a stored block) count blocks. Where `block` does not divide rows or columns,
    the last blocks are stored whole; what they hold behind the matrix counts for nothing. Elements are float16, bfloat16
    or float32, as the library has kernels for; all three arrays lie on one device. Columns of a block row may come in any order,
    each once. The index arrays must not change afterwards, other ones are for `replan`; values may.
    """

    def __init__(self, values: Array, pattern: Pattern) -> None:
        self.values = values
        self.pattern = pattern
        #: Of tilewright.torch.linear, by activation.
        self.calls: dict[str, Any] = {}
        self._values = _blocks_view(values, pattern.blocks, pattern.block)
        pattern.check_place(self._values, "values")

    @classmethod
    def from_parts(cls, row_ptr: Array, col_idx: Array, values: Array, shape: tuple[int, int]) -> BsrMatrix:
        """A matrix of `shape` (rows, columns) from its parts. Index arrays are used as they are, int32 or int64."""
        dense = view(values, "values")
        if len(dense.shape) != 3 or dense.shape[1] != dense.shape[2]:
            raise InvalidArgument(f"values has the shape {list(dense.shape)}: it must be blocks x block x block")
        return cls(values, Pattern(row_ptr, col_idx, shape[0], shape[1], dense.shape[1]))

    @classmethod
    def from_dense(cls, x: Array, block: int, threshold: float = 0.0) -> BsrMatrix:
        """The blocks of a dense matrix that have an element whose absolute value exceeds the threshold."""
        shape = view(x, "x").shape
        if len(shape) != 2:
            raise InvalidArgument(f"x has the shape {list(shape)}: it must be a matrix")
        if block < 1:
            raise InvalidArgument(f"block is {block}: it must be at least 1")
        rows, columns = shape
        height, width = -(-rows // block), -(-columns // block)
        grid = _padded(x, height * block, width * block).reshape(height, block, width, block).swapaxes(1, 2)
        kept = (abs(grid) > threshold).any(-1).any(-1)
        lengths = kept.sum(1)
        row_ptr = _integers(x, height + 1)
        row_ptr[1:] = lengths.cumsum(0)
        where = kept.nonzero()
        columns_of = where[:, 1] if is_torch(x) else where[1]
        col_idx = _integers(x, columns_of.shape[0])
        col_idx[:] = columns_of
        values = grid[kept]
        values = values.contiguous() if is_torch(values) else values
        return cls.from_parts(row_ptr, col_idx, values, (rows, columns))

    @classmethod
    def from_torch(cls, bsr: Any) -> BsrMatrix:
        """A matrix of a torch.sparse_bsr tensor with square blocks. Values are shared, indices become int32."""
        layout = str(getattr(bsr, "layout", type(bsr).__name__))
        if layout != "torch.sparse_bsr":
            raise InvalidArgument(f"bsr is {layout}, not torch.sparse_bsr: dense.to_sparse_bsr((64, 64)) makes such a tensor")
        rows, columns = bsr.shape
        crow, col = (one.int().contiguous() for one in (bsr.crow_indices(), bsr.col_indices()))
        # A view of a sparse tensor cannot enter compiled code; detached it can.
        return cls.from_parts(crow, col, bsr.values().detach().contiguous(), (rows, columns))

    @classmethod
    def block_diagonal(cls, matrices: Sequence[BsrMatrix]) -> BsrMatrix:
        """The matrices along a diagonal: its product with their operands B, one below the other, is their products, one below the
        other, in one launch, with no work for what is not stored. Values are copied. All have one block size, which divides
        the rows and columns of all but the last."""
        if not matrices:
            raise InvalidArgument("there is no matrix to put on a diagonal")
        blocks, whole = {one.block for one in matrices}, matrices[:-1]
        if len(blocks) > 1 or any(size % one.block for one in whole for size in one.shape):
            raise InvalidArgument(f"matrices in blocks of {sorted(blocks)}: one block size must divide the rows and columns of all but the last")
        first = matrices[0]
        kinds = [one.pattern.grid for one in matrices]
        row_ptr = _integers(first.values, sum(height for height, _ in kinds) + 1)
        col_idx = _integers(first.values, sum(one.pattern.blocks for one in matrices))
        values = empty((col_idx.shape[0], first.block, first.block), first._values.type, first.values)
        row = column = at = 0
        for one, (height, width) in zip(matrices, kinds, strict=True):
            stored = slice(at, at + one.pattern.blocks)
            row_ptr[row + 1 : row + height + 1] = one.pattern.row_ptr[1:] + at
            col_idx[stored] = one.pattern.col_idx + column
            values[stored] = one.values
            row, column, at = row + height, column + width, stored.stop
        rows, columns = (sum(one.shape[i] for one in matrices) for i in (0, 1))
        return cls.from_parts(row_ptr, col_idx, values, (rows, columns))

    def replan(self, row_ptr: Array, col_idx: Array, values: Array) -> None:
        """Takes other parts in place, of a matrix of the same size, in blocks of the same size, on the same device; any number of
        blocks may be stored. What was measured for a kind of product still serves products of that kind, in the memory that they had.

        Waits for the current stream. Products that were enqueued on other streams must have finished, and CUDA graphs of
        products with the matrix must be captured again. A call that is refused leaves the matrix as it was.

        Raises:
            InvalidArgument: the parts contradict each other or the size; or a CUDA graph is being captured.
        """
        seen = _blocks_view(values, view(col_idx, "col_idx").shape[0], self.block)
        self.pattern.check_place(seen, "values")
        self.pattern.replan(row_ptr, col_idx)
        self.values, self._values = values, seen
        self.calls.clear()

    def to_dense(self) -> Array:
        """The matrix with its zeros, of the same package and type."""
        pattern, size = self.pattern, self.pattern.block
        height, width = pattern.grid
        dense = empty((height, size, width, size), self._values.type, self.values)
        dense[...] = 0
        starts, columns = pattern.row_ptr.tolist(), pattern.col_idx.tolist()
        for row in range(height):
            for at in range(starts[row], starts[row + 1]):
                dense[row, :, columns[at], :] = self.values[at]
        return dense.reshape(height * size, width * size)[: pattern.rows, : pattern.columns]

    @property
    def shape(self) -> tuple[int, int]:
        return (self.pattern.rows, self.pattern.columns)

    @property
    def block(self) -> int:
        """Rows, and columns, of a block."""
        return self.pattern.block

    @property
    def density(self) -> float:
        """Share of the blocks that are stored."""
        height, width = self.pattern.grid
        return self.pattern.blocks / (height * width) if height * width else 0.0

    def __matmul__(self, other: Array) -> Array:
        return matmul(self, other)

    # NumPy asks its own operand first, unless that says no.
    __array_ufunc__ = None

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"BsrMatrix({rows} x {columns}, blocks of {self.block}, {self.pattern.blocks} stored ({self.density:.1%}), {self._values.type})"

    def explain(
        self, b: Array, *, activation: str | None = None, bias: Array | None = None, order: str = "row"
    ) -> Explanation:
        """Explanation of `matmul` with such an operand: `key`, `variant` (its name in the manifest), `origin` (tuned, cache, wisdom,
        neighbour, heuristic or fallback) and `measured` times; it prints as text. `order`: that of the result.

        For `linear` with x, b is x transposed and the order "column".
        """
        b = _as_matrix(b)
        asked = self._asked(b, activation, bias, order)
        with on_device(b, asked.place):
            return asked.call.explain(asked.operands)

    def tune(self, b: Array, *, activation: str | None = None, bias: Array | None = None, order: str = "row") -> Explanation:
        """Measures which kernel is the fastest for `matmul` with such an operand, remembers it in the cache, and explains it.

        For `linear` with x, b is x transposed and the order "column".
        """
        b = _as_matrix(b)
        asked = self._asked(b, activation, bias, order)
        with on_device(b, asked.place):
            asked.call.tune(asked.operands, stream_behind(b, asked.place.device, asked.views))
            return asked.call.explain(asked.operands)

    def _asked(self, b: Array, activation: str | None, bias: Array | None, order: str) -> _Asked:
        dense = _lines(_dense_view(b, self), "b", order)
        size = (self.shape[0], dense.seen.shape[1])
        made = empty(size if order == "row" else size[::-1], dense.seen.type, b)
        out = made if order == "row" else made.swapaxes(0, 1)
        lines = _lines(view(out, "out"), "out", order)
        then = _Epilogue(1.0, 0.0, bias, activation)
        return _Asked(*_call(self, dense, lines, then), made)


@dataclass(frozen=True)
class _Asked:
    """A product that is not to be computed."""

    call: Call
    operands: Any
    views: Sequence[View]
    #: What `operands` has the address of.
    result: Array

    @property
    def place(self) -> View:
        """An array of the product: all are on its device."""
        return self.views[0]


def matmul(
    a: BsrMatrix,
    b: Array,
    *,
    out: Array | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    bias: Array | None = None,
    activation: str | None = None,
) -> Array:
    """act(alpha * A * B + beta * out + bias).

    Args:
        a: m x k.
        b: k x n, row-major or column-major, on the device of A and of its type; or a vector of k elements.
        out: m x n, or m elements for a vector b, of the same type; made, row-major, where it is not given. Read only where beta is not 0.
        bias: m elements, one per row of the result.
        activation: None, "relu", "gelu", "gelu-tanh" or "silu".

    Raises:
        InvalidArgument, NotSupported, NoDevice.
    """
    _must_be_matrix(a)
    if out is None and beta != 0:
        raise InvalidArgument("beta is not 0, and there is no out to read")
    if _is_vector(b):
        column = None if out is None else _as_matrix(out)
        result = matmul(a, b[:, None], out=column, alpha=alpha, beta=beta, bias=bias, activation=activation)
        return result[:, 0] if out is None else out
    dense = _lines(_dense_view(b, a), "b", "row")
    result = empty((a.shape[0], dense.seen.shape[1]), dense.seen.type, b) if out is None else out
    lines = _lines(writable_view(result, "out"), "out", "row")
    _multiply(a, b, dense, lines, _Epilogue(alpha, beta, bias, activation))
    return result


def grouped_matmul(
    a: Sequence[BsrMatrix],
    b: Sequence[Array],
    *,
    bias: Sequence[Array | None] | None = None,
    activation: str | None = None,
) -> list[Array]:
    """act(A * B + bias) of each pair, as one call: the experts of a layer, each with a pattern and sizes of its own.

    All are looked at before the first is enqueued; each is a launch of the kernel that suits it. Experts with as many columns
    each are one product, and one launch, by BsrMatrix.block_diagonal.

    Args:
        a: matrices on one device.
        b: of each a matrix of as many rows as A has columns, row-major or column-major.
        bias: of each a row's element or None.
        activation: None, "relu", "gelu", "gelu-tanh" or "silu".

    Raises:
        InvalidArgument, NotSupported, NoDevice: nothing was computed then.
    """
    biases = [None] * len(a) if bias is None else bias
    if not len(a) == len(b) == len(biases):
        raise InvalidArgument(f"{len(a)} matrices, {len(b)} operands b and {len(biases)} biases: there must be as many of each")
    if not a:
        return []
    dense = [_lines(_dense_view(one, matrix), "b", "row") for matrix, one in zip(a, b, strict=True)]
    results = [
        empty((matrix.shape[0], lines.seen.shape[1]), lines.seen.type, one) for matrix, lines, one in zip(a, dense, b, strict=True)
    ]
    outs = [_lines(view(result, "out"), "out", "row") for result in results]
    thens = [_Epilogue(1.0, 0.0, one, activation) for one in biases]
    made = [_call(*parts) for parts in zip(a, dense, outs, thens, strict=True)]
    with on_device(b[0], dense[0].seen):
        stream = stream_behind(b[0], dense[0].seen.device, (seen for _, _, views in made for seen in views))
        Call.run_grouped([call for call, _, _ in made], [operands for _, operands, _ in made], stream)
    return results


def bsr_gemm(a: BsrMatrix, b: Array) -> Array:
    """A * B."""
    return matmul(a, b)


def tune(a: BsrMatrix, b: Array, **product: Any) -> Explanation:
    """a.tune(b)."""
    return a.tune(b, **product)


def explain(a: BsrMatrix, b: Array, **product: Any) -> Explanation:
    """a.explain(b)."""
    return a.explain(b, **product)


def benchmark(a: BsrMatrix, x: Array, *, eager: bool = False, exhaustive: bool = False) -> Table:
    """Times of x A^T for x [tokens, in], fastest first: the kernel that is chosen by measuring, and the others that were measured.

    Beside tensors of PyTorch its BSR and dense products are timed, on a GPU in CUDA graphs, with `eager` as calls: see
    tilewright.torch.benchmark. Print the table, or read its rows.

    Args:
        eager: times calls as they are.
        exhaustive: measures every kernel that takes the call, whatever the budget, as `configure(exhaustive=True)` does; otherwise at most
            eight, the most promising. The choice is kept in the cache, for later processes.
    """
    if is_torch(x):
        from .benchmark import benchmark

        return benchmark(a, _tokens(x, a), eager=eager, exhaustive=exhaustive)
    x = _tokens(x, a)
    return Table(measured_rows(exhaustively(a) if exhaustive else a, x))


def exhaustively(a: BsrMatrix) -> BsrMatrix:
    """The same matrix; to tune a product with it measures every kernel."""
    pattern = a.pattern
    return BsrMatrix(a.values, Pattern(pattern.row_ptr, pattern.col_idx, pattern.rows, pattern.columns, pattern.block, exhaustive=True))


def measured_rows(a: BsrMatrix, x: Array) -> list[Row]:
    """Of x A^T, the kernel that measuring chooses, or why there is none, and the others that were measured."""
    try:
        said = a.tune(x.swapaxes(0, 1), order="column")
    except Error as why:
        return [Row("tilewright", None, None, None, str(why))]
    flops = 2 * a.pattern.blocks * a.block**2 * x.shape[0]
    times = {name: us / 1e6 for name, us in said["measured"]}
    order = sorted(times, key=lambda name: name != said["variant"])
    names = ["tilewright", *["tilewright, not chosen"] * len(order)]
    return [Row(name, times[one], flops / times[one] / 1e12, None, one) for name, one in zip(names, order)]


def linear(x: Array, a: BsrMatrix, bias: Array | None = None, activation: str | None = None) -> Array:
    """act(x * A^T + bias), as torch.nn.functional.linear has it.

    Args:
        x: [..., in], its last dimension contiguous.
        a: the weight, out x in.
        bias: out elements.
        activation: None, "relu", "gelu", "gelu-tanh" or "silu".

    Returns:
        [..., out], row-major.
    """
    flat = _tokens(x, a)
    dense = _lines(_dense_view(flat.swapaxes(0, 1), a, "x"), "x", "column")
    result = empty((flat.shape[0], a.shape[0]), dense.seen.type, x)
    lines = _lines(view(result.swapaxes(0, 1), "out"), "out", "column")
    _multiply(a, flat, dense, lines, _Epilogue(1.0, 0.0, bias, activation))
    return result.reshape(*x.shape[:-1], a.shape[0])


@dataclass(frozen=True)
class _Lines:
    """Layout of a dense matrix, and the elements from one line to the next."""

    seen: View
    layout: str
    leading: int


@dataclass(frozen=True)
class _Epilogue:
    """Epilogue of a product."""

    alpha: float
    beta: float
    bias: Array | None
    activation: str | None


def _multiply(a: BsrMatrix, like: Array, b: _Lines, out: _Lines, then: _Epilogue) -> None:
    """Enqueues a product of A with B, k x n, into `out`, m x n. `like`: an array of B's package and device."""
    wanted = (a.shape[0], b.seen.shape[1])
    if out.seen.shape != wanted:
        raise InvalidArgument(f"out has the shape {list(out.seen.shape)}, not {list(wanted)}")
    call, operands, views = _call(a, b, out, then)
    with on_device(like, b.seen):
        call.run(operands, stream_behind(like, b.seen.device, views))


def _call(a: BsrMatrix, b: _Lines, out: _Lines, then: _Epilogue) -> tuple[Call, Any, Sequence[View]]:
    """The call of a product, its operands, and the arrays that they are of."""
    if a._values.shape[0] != a.pattern.blocks:
        raise InvalidArgument(f"A has {a._values.shape[0]} blocks, and its pattern, which another matrix replaced, {a.pattern.blocks}")
    bias = None if then.bias is None else _bias_view(then.bias, a, out.seen)
    shape = (b.seen.shape[1], b.seen.type, out.seen.type, b.leading, out.leading, b.layout, out.layout)
    call = a.pattern.call((*shape, bias is not None, activation_name(then.activation), then.beta != 0))
    operands = call.operands()
    operands.values, operands.b, operands.c = a._values.address, b.seen.address, out.seen.address
    operands.bias = None if bias is None else bias.address
    operands.alpha, operands.beta = then.alpha, then.beta
    views = (b.seen, out.seen, a._values)
    return call, operands, views if bias is None else (*views, bias)


def _must_be_matrix(a: object) -> None:
    if not isinstance(a, BsrMatrix):
        raise InvalidArgument(f"a is a {type(a).__name__}, not a BsrMatrix: BsrMatrix.from_dense, from_torch and from_parts make one")


def _tokens(x: Array, a: BsrMatrix) -> Array:
    """x, [..., in], as a matrix of rows."""
    _must_be_matrix(a)
    inner = a.shape[1]
    if tuple(getattr(x, "shape", ()))[-1:] != (inner,) and (shape := view(x, "x").shape)[-1:] != (inner,):
        raise InvalidArgument(f"x has the shape {list(shape)}: its last dimension must be {inner}, as A has columns")
    if not hasattr(x, "reshape"):
        raise InvalidArgument(f"x is a {type(x).__name__}, which has no reshape: matmul takes it, transposed")
    return x.reshape(-1, inner)


def _blocks_view(values: Array, blocks: int, block: int) -> View:
    seen, wanted = view(values, "values"), (blocks, block, block)
    if seen.shape != wanted or not _is_packed(seen):
        raise InvalidArgument(f"values has the shape {list(seen.shape)}: it must be a contiguous {list(wanted)}")
    return seen


def _is_vector(b: Array) -> bool:
    return len(getattr(b, "shape", ())) == 1


def _as_matrix(b: Array) -> Array:
    """A vector as a matrix of one column, in the same memory."""
    return b[:, None] if _is_vector(b) else b


def _dense_view(b: Array, a: BsrMatrix, name: str = "b") -> View:
    dense = view(b, name)
    if len(dense.shape) != 2 or dense.shape[0] != a.shape[1]:
        raise InvalidArgument(f"{name} has the shape {list(dense.shape)}: it must have {a.shape[1]} rows, as A has columns")
    own = a._values
    if (dense.target, dense.device) != (own.target, own.device):
        raise InvalidArgument(f"{name} is on {dense.target} {dense.device} and A on {own.target} {own.device}: move one")
    if dense.type != own.type:
        raise InvalidArgument(f"{name} is of {dense.type} and A of {own.type}: convert one")
    return dense


def _lines(seen: View, name: str, preferred: str) -> _Lines:
    """Row-major where that is true; a matrix of one line is both, and is taken as `preferred`."""
    rows, columns = seen.shape
    row = seen.strides[1] == 1 or columns <= 1
    column = seen.strides[0] == 1 or rows <= 1
    if not (row or column):
        raise InvalidArgument(f"{name} has the strides {list(seen.strides)}: neither its rows nor its columns are contiguous")
    layout = preferred if row and column else ("row" if row else "column")
    length, lines, stride = (columns, rows, seen.strides[0]) if layout == "row" else (rows, columns, seen.strides[1])
    if lines > 1 and stride < length:
        raise InvalidArgument(f"{name} has the strides {list(seen.strides)}, and its lines overlap: make it contiguous first")
    return _Lines(seen, layout, stride if lines > 1 else length)


def _bias_view(bias: Array, a: BsrMatrix, out: View) -> View:
    seen = view(bias, "bias")
    if seen.shape != (a.shape[0],) or not _is_packed(seen):
        raise InvalidArgument(f"bias has the shape {list(seen.shape)}: it must be contiguous, one element per row of A, {a.shape[0]}")
    if (seen.type, seen.target, seen.device) != (out.type, out.target, out.device):
        raise InvalidArgument(f"bias is of {seen.type} on {seen.target} {seen.device}, the result of {out.type} on {out.target} {out.device}")
    return seen


def _is_packed(seen: View) -> bool:
    expected = 1
    for length, stride in zip(reversed(seen.shape), reversed(seen.strides), strict=True):
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True


def _padded(x: Array, rows: int, columns: int) -> Array:
    """The matrix with zeros behind its rows and columns."""
    if tuple(x.shape) == (rows, columns):
        return x
    padded = empty((rows, columns), view(x, "x").type, x)
    padded[...] = 0
    padded[: x.shape[0], : x.shape[1]] = x
    return padded


def _integers(like: Array, length: int) -> Array:
    made = empty((length,), "i32", like)
    made[:] = 0
    return made

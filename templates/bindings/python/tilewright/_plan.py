"""Plans: kernels that the library's ranking chooses for one problem, once, by sizes, types and index arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ._arrays import Array, memory, on_device, record_current_stream, stream_behind
from ._errors import InvalidArgument
from ._library import Library, load
from ._operation import Operation, addresses_of
from ._reading import Reading


class Plan:
    """A kernel for one problem on the device that was current when it was made. Any number of threads may run it, each with a workspace of its own."""

    def __init__(
        self,
        library: Library,
        operation: Operation,
        fields: Mapping[str, Any],
        indices: Mapping[str, Any] | None = None,
        stream: int = 0,
    ) -> None:
        """Chooses a kernel.

        Args:
            fields: of the problem, by name.
            indices: addresses of index arrays by name. Those without a host copy among the fields are read there, which waits for the stream.

        Raises:
            NotSupported: no kernel serves it.
        """
        self._library, self._operation = library, operation
        self._c = _functions(library, operation)
        self.handle = ctypes.c_void_p()
        problem, made = operation.make_problem(fields), ctypes.byref(self.handle)
        if indices is None:
            library.check(self._c["plan_create"](ctypes.byref(problem), made))
        else:
            operands = ctypes.byref(self._operands(indices))
            library.check(self._c["plan_create_from_device"](ctypes.byref(problem), operands, stream, made))

    @property
    def workspace_bytes(self) -> int:
        """Bytes of device memory that a run needs, aligned to 256."""
        return int(self._c["workspace_bytes"](self.handle))

    @property
    def variant(self) -> str:
        """Name of the kernel, as in the manifest."""
        return str(self._c["plan_variant"](self.handle).decode())

    def prepare(self, workspace: int, stream: int, size: int | None = None) -> None:
        """Fills a fresh workspace, before its first run on this stream. `size`: its bytes, where it has more than are needed."""
        self._library.check(self._c["prepare"](self.handle, workspace, self._or_needed(size), stream))

    def run(self, values: Mapping[str, Any], workspace: int, stream: int, size: int | None = None) -> None:
        """Enqueues the operation. `values`: addresses of the operands and scalars, by name."""
        operands = ctypes.byref(self._operands(values))
        self._library.check(self._c["run"](self.handle, operands, workspace, self._or_needed(size), stream))

    @staticmethod
    def run_grouped(runs: Sequence[tuple[Plan, Mapping[str, Any], int, int]], stream: int) -> None:
        """Enqueues runs of plans of one operation, each with values, workspace and its bytes; where one is refused, none."""
        operands = [plan._operands(values) for plan, values, *_ in runs]
        first, sizes = runs[0][0], (ctypes.c_size_t * len(runs))(*(size for *_, size in runs))
        columns = [addresses_of(plan.handle for plan, *_ in runs), addresses_of(map(ctypes.addressof, operands))]
        columns.append(addresses_of(workspace for _, _, workspace, _ in runs))
        first._library.check(first._c["run_grouped"](*columns, sizes, len(runs), stream))

    def replan(self, fields: Mapping[str, Any], indices: Mapping[str, Any], workspace: int, stream: int, size: int) -> None:
        """Gives the plan another problem in place, and this workspace what belongs to it. Raises WorkspaceTooSmall."""
        problem, operands = self._operation.make_problem(fields), self._operands(indices)
        self._library.check(
            self._c["replan"](self.handle, ctypes.byref(problem), ctypes.byref(operands), workspace, size, stream)
        )

    def _operands(self, values: Mapping[str, Any]) -> ctypes.Structure:
        struct = self._operation.operands
        return struct(struct_size=ctypes.sizeof(struct), **values)

    def _or_needed(self, size: int | None) -> int:
        return self.workspace_bytes if size is None else size

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._c["plan_destroy"](self.handle)


def _functions(library: Library, operation: Operation) -> dict[str, Any]:
    """The C functions of plans of an operation."""
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    kinds: dict[str, tuple[Any, ...]] = {
        "plan_create": (ctypes.c_int, pointer, pointer),
        "plan_destroy": (None, pointer),
        "plan_variant": (ctypes.c_char_p, pointer),
        "workspace_bytes": (size, pointer),
        "prepare": (ctypes.c_int, pointer, pointer, size, pointer),
        "run": (ctypes.c_int, pointer, pointer, pointer, size, pointer),
        "run_grouped": (ctypes.c_int, pointer, pointer, pointer, pointer, size, pointer),
    }
    if operation.indices:
        kinds["plan_create_from_device"] = (ctypes.c_int, pointer, pointer, pointer, pointer)
        kinds["replan"] = (ctypes.c_int, pointer, pointer, pointer, pointer, size, pointer)
    made = {}
    for name, (result, *arguments) in kinds.items():
        function = getattr(library.c, f"tw_{operation.name}_{name}")
        function.restype, function.argtypes = result, arguments
        made[name] = function
    return made


@dataclass(frozen=True)
class PlannedCall:
    """A call of a plan: the plan, and the arrays and scalars of the call. It may run any number of times: where it has no array for
    the result, each run makes one."""

    plan: OperationPlan
    read: Reading
    scalars: Mapping[str, float]

    def run(self, addresses: Mapping[str, int]) -> tuple[Plan, Mapping[str, Any], int, int]:
        """A run with the operands at these addresses: plan, addresses and scalars, workspace and its bytes."""
        plan = self.plan
        return plan._plan, {**addresses, **self.scalars}, plan._workspace, plan._bytes


class OperationPlan:
    """A plan of an operation for arrays of one kind, and the workspace of its runs, which follow each other on one stream."""

    operation: ClassVar[Operation]

    def __init__(
        self,
        arrays: Mapping[str, Array | None],
        choices: Mapping[str, Any],
        sizes: Mapping[str, int | None],
        workspace_bytes: int,
    ) -> None:
        """Fields of the problem are None where they follow from the arrays. `workspace_bytes`: the least size of the workspace."""
        self._choices, self._sizes = choices, sizes
        read = self._read(arrays)
        self._place = read.place
        with on_device(read.like, read.place):
            stream = stream_behind(read.like, read.place.device, read.views.values())
            self._plan = Plan(load(self._place.target), self.operation, read.fields, self._indices(read), stream)
            self._bytes = max(self._plan.workspace_bytes, workspace_bytes)
            self._memory: Array | None = None
            self._workspace = 0
            if self._bytes > 0:
                self._memory, self._workspace = memory(self._bytes, read.like)
            self._plan.prepare(self._workspace, stream, self._bytes)
        self._streams = {stream}
        self._problem = read.fields

    @property
    def variant(self) -> str:
        """Name of the chosen kernel, as in the manifest."""
        return self._plan.variant

    @property
    def workspace_bytes(self) -> int:
        """Bytes of the workspace; 0 where the kernel needs none."""
        return self._bytes

    def _run(self, arrays: Mapping[str, Array | None], scalars: Mapping[str, float]) -> Array:
        read = self._read(arrays)
        self._check(read)
        with on_device(read.like, read.place):
            result, addresses = read.result()
            stream = self._stream(read)
            self._plan.run({**addresses, **scalars}, self._workspace, stream, self._bytes)
        return result

    def _stream(self, read: Reading, like: Array | None = None) -> int:
        """The current stream of `like`, else of the arrays, behind what is pending on these. The workspace belongs to it then, too: it may
        have been made on another one."""
        stream = stream_behind(read.like if like is None else like, read.place.device, read.views.values())
        if stream not in self._streams:
            record_current_stream(self._memory)
            self._streams.add(stream)
        return stream

    def _bind(self, arrays: Mapping[str, Array | None], scalars: Mapping[str, float]) -> PlannedCall:
        return PlannedCall(self, self._read(arrays), scalars)

    @classmethod
    def run_grouped(cls, calls: Iterable[PlannedCall]) -> list[Array]:
        """Runs calls of plans of this operation, in their order, on the current stream: of each a launch of its plan's kernel.

        All are looked at before the first is enqueued: where one is refused, none runs, and the text begins with its number, from
        0. No call may read what another one writes.

        Args:
            calls: of `bind`; their arrays are on one device. Patterns and sizes may differ, and several may be of one plan.

        Returns:
            Their results.

        Raises:
            InvalidArgument, NotSupported: nothing was computed then.
        """
        runs = list(calls)
        if not runs:
            return []
        for number, call in enumerate(runs):
            cls._accept(call, runs[0], number)
        like = runs[0].read.like
        with on_device(like, runs[0].read.place):
            made = [call.read.result() for call in runs]
            stream = [call.plan._stream(call.read, like) for call in runs][0]
            Plan.run_grouped([call.run(addresses) for call, (_, addresses) in zip(runs, made, strict=True)], stream)
        return [result for result, _ in made]

    @classmethod
    def _accept(cls, call: PlannedCall, first: PlannedCall, number: int) -> None:
        try:
            if not isinstance(call.plan, cls):
                raise InvalidArgument(f"of a {type(call.plan).__name__}, in a group of {cls.__name__}")
            call.plan._check(call.read)
            first.plan._check_place(call.read)
        except InvalidArgument as error:
            raise InvalidArgument(f"call {number}: {error}") from None

    def _replan(self, arrays: Mapping[str, Array | None], sizes: Mapping[str, int | None]) -> None:
        before, self._sizes = self._sizes, sizes
        try:
            read = self._read(arrays)
            self._check_place(read)
            with on_device(read.like, read.place):
                stream = self._stream(read)
                self._plan.replan(read.fields, self._indices(read) or {}, self._workspace, stream, self._bytes)
        except BaseException:
            self._sizes = before
            raise
        self._problem = read.fields

    def _read(self, arrays: Mapping[str, Array | None]) -> Reading:
        given = {name: array for name, array in arrays.items() if array is not None}
        read = Reading(self.operation, given, {**self._choices, **self._sizes})
        read.complete()
        return read

    def _indices(self, read: Reading) -> dict[str, int] | None:
        return {name: read.addresses[name] for name in self.operation.indices} or None

    def _check(self, read: Reading) -> None:
        self._check_place(read)
        for name in sorted({*read.fields, *self._problem}):
            own, planned = read.fields.get(name), self._problem.get(name)
            if own != planned:
                raise InvalidArgument(f"the arrays have {name} = {own}, the plan was made for {planned}")

    def _check_place(self, read: Reading) -> None:
        own, planned = (f"{one.target} {one.device}" for one in (read.place, self._place))
        if own != planned:
            raise InvalidArgument(f"the arrays are on {own}, the plan was made for {planned}")

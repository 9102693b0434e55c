"""Calls of an operation from Python by its signature: sizes, types and layouts are read off the arrays."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ._arrays import Array, View, current_stream, empty, is_torch, on_device, packed, view
from ._context import Context, Descriptor
from ._errors import InvalidArgument
from ._library import Library

try:
    from ._call import Ready, TensorCalls, repeat, run
except ImportError:
    from ._call_by_ctypes import Ready, TensorCalls, repeat, run  # type: ignore[assignment]  # the same, slower

__all__ = ["Call", "Choice", "Operand", "Operation", "Ready", "TensorCalls", "repeat", "run"]

#: Sizes by name.
Sizes = Mapping[str, int]
#: An extent: a size by name, or a function of the sizes.
Extent = str | Callable[[Sizes], int]


@dataclass(frozen=True)
class Choice:
    """A semantic choice of an operation. A value's number is its place in `kind`; `allowed` has the default first."""

    kind: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class Operand:
    """A tensor of an operation. Names are those of fields of the problem; None if there is no such field."""

    name: str
    role: str
    #: Choice of the element type.
    type: str
    #: Extents by the value of the choice `by`; by "" where none decides them.
    shapes: Mapping[str, tuple[Extent, ...]]
    by: str | None = None
    layout: str | None = None
    leading: str | None = None
    #: Switch with which the operand is there at all.
    only: str | None = None
    batch_stride: str | None = None


@dataclass(frozen=True)
class Operation:
    """An operation of the libraries: its C structs and what their fields mean."""

    name: str
    problem: type[ctypes.Structure]
    operands: type[ctypes.Structure]
    #: Those without a default.
    sizes: tuple[str, ...]
    choices: Mapping[str, Choice]
    tensors: tuple[Operand, ...]
    scalars: tuple[str, ...]
    #: Name and C struct of the descriptor of its sparse pattern, where it has one.
    pattern: tuple[str, type[ctypes.Structure]] | None = None

    def make_problem(self, fields: Mapping[str, Any]) -> ctypes.Structure:
        """The C struct of the given fields: numbers, and names of choices' values. Raises InvalidArgument for a wrong value."""
        problem = self.problem(struct_size=ctypes.sizeof(self.problem))
        for name, value in fields.items():
            choice = self.choices.get(name)
            setattr(problem, name, value if choice is None else _number(name, choice, value))
        return problem

    def describe(self, context: Context, fields: Mapping[str, Any], stream: int) -> Descriptor:
        """The library's descriptor of a pattern. Index arrays are read where they lie, which waits for the stream."""
        assert self.pattern is not None
        name, structure = self.pattern
        numbers = {
            field: _number(field, self.choices[field], value) if field in self.choices else value
            for field, value in fields.items()
        }
        return Descriptor(context, name, structure(struct_size=ctypes.sizeof(structure), **numbers), stream)

    def __call__(
        self,
        arrays: Mapping[str, Array | None],
        fields: Mapping[str, Any],
        scalars: Mapping[str, float],
    ) -> Array:
        """Computes on arrays by name. `fields`: of the problem, None where they follow from the arrays. Gives the result."""
        read = _Reading(self, {name: array for name, array in arrays.items() if array is not None}, fields)
        result = read.result()
        place = read.views[read.first]
        addresses = {name: one.address for name, one in read.views.items()}
        with on_device(read.like, place):
            context = Context.of(place.target, place.device)
            stream = current_stream(read.like, place.device)
            pattern = None
            if self.pattern is not None:
                known = {**read.fields, **addresses}
                names = [name for name, *_ in self.pattern[1]._fields_]
                pattern = self.describe(context, {name: known[name] for name in names if name in known}, stream)
            call = Call(self, context, pattern, self.make_problem(read.fields), {})
            operands = call.operands()
            for name, value in {**addresses, **scalars}.items():
                setattr(operands, name, value)
            call.run(operands, stream)
            if pattern is not None and place.target == "cuda":
                _wait(read.like)  # what the descriptor holds goes with it
        return result


def _number(name: str, choice: Choice, value: str | bool) -> int:
    text = ("no", "yes")[value] if isinstance(value, bool) else value
    if text not in choice.allowed:
        raise InvalidArgument(f"{name} = {value!r} is none of {', '.join(choice.allowed)}")
    return choice.kind.index(text)


class Call:
    """Calls that differ in the addresses of their operands alone. Any number of threads may run them."""

    def __init__(
        self,
        operation: Operation,
        context: Context,
        pattern: Descriptor | None,
        problem: ctypes.Structure,
        fixed: Mapping[str, Any],
    ) -> None:
        self.library = context.library
        self._held = (context, pattern, problem)
        self._struct = operation.operands
        self._fixed = {"struct_size": ctypes.sizeof(operation.operands), **fixed}
        self._idle: list[Any] = []
        self._handles = [context.handle] if pattern is None else [context.handle, pattern.handle]
        self._first = (*self._handles, ctypes.byref(problem))
        self._functions = _Functions.of(context.library, operation)
        self._run = self._functions.run

    def operands(self) -> Any:
        """A C struct for the operands of one run, which no other thread has, with the fixed fields filled in."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._struct(**self._fixed)

    def run(self, operands: Any, stream: int) -> None:
        """Enqueues the call on a stream, and takes the struct back."""
        status = self._run(*self._first, ctypes.byref(operands), stream)
        if status:
            self.library.check(status)
        self._idle.append(operands)

    def ready(self, places: Sequence[str], **fixed: float) -> Ready:
        """The call without the stream and the addresses of these operands, for `run` of the same module. It lives no longer than this."""
        operands = self._struct(**self._fixed, **fixed)
        handles = (*(handle.value or 0 for handle in self._handles), ctypes.addressof(self._held[2]))
        offsets = tuple(getattr(self._struct, name).offset for name in places)
        return Ready(ctypes.cast(self._run, ctypes.c_void_p).value or 0, handles, bytes(operands), offsets)

    def tune(self, operands: Any, stream: int) -> None:
        """Measures which kernel is the fastest for such calls, and keeps the answer. Waits for the stream."""
        self.library.check(self._functions.tune(*self._first, ctypes.byref(operands), stream))

    def explain(self, operands: Any) -> dict[str, Any]:
        """Explanation of such a call: its key, kernel, origin, and measured times."""
        size = ctypes.c_size_t(0)
        reference = ctypes.byref(operands)
        self.library.check(self._functions.explain(*self._first, reference, None, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self.library.check(self._functions.explain(*self._first, reference, text, ctypes.byref(size)))
        said: dict[str, Any] = json.loads(text.value.decode())
        return said


class _Functions:
    """The C functions of one operation in one library."""

    _made: dict[tuple[str, str], _Functions] = {}

    def __init__(self, library: Library, operation: Operation) -> None:
        pointer = ctypes.c_void_p
        first = (pointer,) * (4 if operation.pattern is not None else 3)

        def of(name: str, *rest: Any) -> Any:
            function = getattr(library.c, f"tw_{operation.name}{name}")
            function.restype = ctypes.c_int
            function.argtypes = (*first, *rest)
            return function

        self.run = of("", pointer)
        self.tune = of("_tune", pointer)
        self.explain = of("_explain", pointer, pointer)

    @classmethod
    def of(cls, library: Library, operation: Operation) -> _Functions:
        key = (library.target, operation.name)
        if key not in cls._made:
            cls._made[key] = cls(library, operation)
        return cls._made[key]


def _wait(like: Array) -> None:
    """Waits for the device."""
    package = type(like).__module__.partition(".")[0]
    if is_torch(like):
        sys.modules["torch"].cuda.synchronize(like.device)
    elif package == "cupy":
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


@dataclass
class _Reading:
    """Arrays of one call, and the fields of the problem that follow from them."""

    operation: Operation
    arrays: dict[str, Array]
    given: Mapping[str, Any]
    fields: dict[str, Any] = field(init=False)
    views: dict[str, View] = field(init=False)

    def __post_init__(self) -> None:
        self.views = {name: view(array, name) for name, array in self.arrays.items()}
        self.fields = {name: value for name, value in self.given.items() if value is not None}
        self._check_places()
        present = [one for one in self.operation.tensors if one.name in self.views]
        for operand in present:
            self._set(operand.type, self.views[operand.name].type, operand.name)
        for operand in self.operation.tensors:
            if operand.only is not None:
                self.fields[operand.only] = operand.name in self.views
        self._complete_types()
        for operand in present:
            self._read_sizes(operand)
        missing = [name for name in self.operation.sizes if name not in self.fields]
        if missing:
            raise InvalidArgument(f"{' and '.join(missing)} cannot be read off the arrays: pass {missing[0]}=")
        for operand in present:
            self._read_strides(operand)

    @cached_property
    def first(self) -> str:
        return next(one.name for one in self.operation.tensors if one.name in self.views)

    @property
    def like(self) -> Array:
        return self.arrays[self.first]

    def result(self) -> Array:
        """The output operand, allocated if it was not given."""
        operand = next(one for one in self.operation.tensors if one.role != "input")
        if operand.name not in self.views:
            shape = self._extents(operand)
            column = operand.layout is not None and self.fields.get(operand.layout) == "column"
            made = empty(_swapped(shape) if column else shape, self.fields[operand.type], self.like)
            if operand.role == "inout":
                made[...] = 0
            self.arrays[operand.name] = made.swapaxes(-1, -2) if column else made
            self.views[operand.name] = view(self.arrays[operand.name], operand.name)
            self._read_strides(operand)
        return self.arrays[operand.name]

    def _check_places(self) -> None:
        places = {(one.target, one.device) for one in self.views.values()}
        if len(places) > 1:
            said = ", ".join(f"{name} on {one.target} {one.device}" for name, one in self.views.items())
            raise InvalidArgument(f"all arrays must be on one device: {said}")

    def _set(self, name: str, value: Any, source: str) -> None:
        known = self.fields.setdefault(name, value)
        if known != value:
            raise InvalidArgument(f"{source} says {name} = {value}, but it is {known} already: they must agree")

    def _complete_types(self) -> None:
        """The type of an absent result, which no array gives: the first one that is known and allowed."""
        known = [self.fields[one.type] for one in self.operation.tensors if one.type in self.fields]
        for operand in self.operation.tensors:
            allowed = self.operation.choices[operand.type].allowed
            same = [kind for kind in known if kind in allowed]
            if same:
                self.fields.setdefault(operand.type, same[0])

    def _shape(self, operand: Operand) -> tuple[Extent, ...]:
        if operand.by is None:
            return operand.shapes[""]
        value = self.fields.get(operand.by, False)
        return operand.shapes[("no", "yes")[value] if isinstance(value, bool) else value]

    def _read_sizes(self, operand: Operand) -> None:
        shape, extents = self.views[operand.name].shape, self._shape(operand)
        batched = operand.batch_stride is not None and len(shape) == len(extents) + 1
        if batched:
            self._set("batch", shape[0], operand.name)
        if len(shape) != len(extents) + batched:
            raise InvalidArgument(f"{operand.name} has {len(shape)} dimensions, not {len(extents)}")
        for length, extent in zip(shape[batched:], extents, strict=True):
            if isinstance(extent, str):
                self._set(extent, length, operand.name)

    def _extents(self, operand: Operand) -> tuple[int, ...]:
        extents = self._shape(operand)
        own = tuple(self.fields[one] if isinstance(one, str) else one(self.fields) for one in extents)
        batch = self.fields.get("batch", 1) if operand.batch_stride is not None else 1
        return (batch, *own) if batch > 1 else own

    def _read_strides(self, operand: Operand) -> None:
        """Layout, leading dimension and batch stride; refuses strides that the library cannot describe."""
        seen, name = self.views[operand.name], operand.name
        extents = self._extents(operand)
        if seen.shape != extents:
            raise InvalidArgument(f"{name} has the shape {list(seen.shape)}, not {list(extents)}")
        shape, strides = list(seen.shape), list(seen.strides)
        batch = None
        if operand.batch_stride is not None and len(extents) > len(self._shape(operand)):
            batch, shape, strides = strides[0], shape[1:], strides[1:]
        column = operand.layout is not None and self._is_column(operand.layout, shape, strides)
        if column:
            shape[-1], shape[-2], strides[-1], strides[-2] = shape[-2], shape[-1], strides[-2], strides[-1]
        if operand.layout is not None:
            self._set(operand.layout, "column" if column else "row", name)
        dense = list(packed(tuple(shape)))
        if operand.leading is not None and len(shape) > 1 and shape[-2] > 1:
            dense[-2] = strides[-2]
            self.fields[operand.leading] = strides[-2]
        if batch is not None and operand.batch_stride is not None:
            self.fields[operand.batch_stride] = batch
        if any(length > 1 and has != wanted for length, has, wanted in zip(shape, strides, dense, strict=True)):
            raise InvalidArgument(f"{name} has the strides {list(seen.strides)}: make it contiguous first")

    def _is_column(self, layout: str, shape: list[int], strides: list[int]) -> bool:
        """Whether a matrix is column-major. A matrix of one line may be either: it has the known layout, or else row-major."""
        row = strides[-1] == 1 or shape[-1] <= 1
        column = strides[-2] == 1 or shape[-2] <= 1
        return column and (not row or self.fields.get(layout) == "column")


def _swapped(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])

"""What an operation's signature means for a call from Python: sizes, types and layouts are read off the arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ._arrays import Array, Memory, View, current_stream, empty, on_device, packed, view
from ._errors import InvalidArgument
from ._library import Library, load

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
    """A tensor of an operation. Names are those of fields of the problem; None where there is no such field."""

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

    def make_problem(self, fields: Mapping[str, Any]) -> ctypes.Structure:
        """The C struct of the given fields: numbers, and names of choices' values. Raises InvalidArgument for a wrong value."""
        problem = self.problem(struct_size=ctypes.sizeof(self.problem))
        for name, value in fields.items():
            choice = self.choices.get(name)
            setattr(problem, name, value if choice is None else _number(name, choice, value))
        return problem

    def plan(self, target: str, problem: ctypes.Structure) -> Plan:
        """The kernel for a problem on the current device of `cuda` or `emulated`. Raises an Error with the reason where none takes it."""
        return Plan(self, load(target), problem)

    def __call__(
        self,
        arrays: Mapping[str, Array | None],
        fields: Mapping[str, Any],
        scalars: Mapping[str, float],
    ) -> Array:
        """Computes on arrays by name. `fields`: of the problem, None where they follow from the arrays. Gives the result."""
        call = _Call(self, {name: array for name, array in arrays.items() if array is not None}, fields)
        result = call.result()
        with on_device(call.like, call.views[call.first]):
            plan = self.plan(call.target, self.make_problem(call.fields))
            stream = current_stream(call.like, call.views[call.first].device)
            workspace = plan.workspace(call.like, stream)
            addresses = {name: one.address for name, one in call.views.items()}
            plan.enqueue(plan.operands(**addresses, **scalars), workspace, stream)
        return result


def _number(name: str, choice: Choice, value: str | bool) -> int:
    text = ("no", "yes")[value] if isinstance(value, bool) else value
    if text not in choice.allowed:
        raise InvalidArgument(f"{name} = {value!r} is none of {', '.join(choice.allowed)}")
    return choice.kind.index(text)


class Plan:
    """A problem with the kernel chosen for it on one device. Any number of threads may run it, each with its workspace."""

    def __init__(self, operation: Operation, library: Library, problem: ctypes.Structure) -> None:
        self._library = library
        functions = _Functions.of(library, operation)
        self._functions = functions
        self._operands = operation.operands
        self._run = functions.run
        self._handle = ctypes.c_void_p()
        library.check(functions.create(ctypes.byref(problem), ctypes.byref(self._handle)))
        self.workspace_bytes: int = functions.workspace_bytes(self._handle)
        #: Name of the chosen kernel, as in the manifest.
        self.variant: str = functions.variant(self._handle).decode()

    def workspace(self, like: Array, stream: int) -> Memory | None:
        """A fresh workspace on the device of an array, filled for runs on a stream; None where none is needed."""
        if self.workspace_bytes == 0:
            return None
        memory = Memory(self.workspace_bytes, like)
        self._library.check(self._functions.prepare(self._handle, memory.address, memory.size, stream))
        return memory

    def operands(self, **fields: Any) -> ctypes.Structure:
        """The C struct of a run: addresses, None for operands that are absent, and scalars."""
        return self._operands(struct_size=ctypes.sizeof(self._operands), **fields)

    def enqueue(self, operands: ctypes.Structure, workspace: Memory | None, stream: int) -> None:
        """Enqueues the operation on a stream."""
        if workspace is None:
            status = self._run(self._handle, ctypes.byref(operands), None, 0, stream)
        else:
            status = self._run(self._handle, ctypes.byref(operands), workspace.address, workspace.size, stream)
        if status:
            self._library.check(status)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._functions.destroy(self._handle)


class _Functions:
    """The C functions of one operation in one library."""

    _made: dict[tuple[str, str], _Functions] = {}

    def __init__(self, library: Library, operation: Operation) -> None:
        def of(name: str, result: Any, *arguments: Any) -> Any:
            function = getattr(library.c, f"tw_{operation.name}_{name}")
            function.restype = result
            function.argtypes = arguments
            return function

        pointer, size, status = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        self.create = of("plan_create", status, pointer, pointer)
        self.destroy = of("plan_destroy", None, pointer)
        self.workspace_bytes = of("workspace_bytes", size, pointer)
        self.variant = of("plan_variant", ctypes.c_char_p, pointer)
        self.prepare = of("prepare", status, pointer, pointer, size, pointer)
        self.run = of("run", status, pointer, pointer, pointer, size, pointer)

    @classmethod
    def of(cls, library: Library, operation: Operation) -> _Functions:
        key = (library.target, operation.name)
        if key not in cls._made:
            cls._made[key] = cls(library, operation)
        return cls._made[key]


@dataclass
class _Call:
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

    @property
    def target(self) -> str:
        return self.views[self.first].target

    def result(self) -> Array:
        """The operand that is written, made where it was not given."""
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
        """A type that no array says, that of an absent result, is the first one that is known and allowed."""
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
        """Layout, leading dimension and batch stride; refuses what the library would read otherwise than it lies there."""
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
        """Whether columns lie one after the other. A matrix of one line may be either, and is what is known or row-major."""
        row = strides[-1] == 1 or shape[-1] <= 1
        column = strides[-2] == 1 or shape[-2] <= 1
        return column and (not row or self.fields.get(layout) == "column")


def _swapped(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])

"""Calls of an operation from Python by its signature: sizes, types and layouts are read off the arrays."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _streams
from ._arrays import Array, is_torch, on_device, stream_behind
from ._context import Context, Descriptor
from ._errors import InvalidArgument
from ._explanation import Explanation
from ._library import Library
from ._reading import Reading

try:
    from ._call import Ready, TensorCalls, repeat, run
except ImportError:
    from ._call_by_ctypes import Ready, TensorCalls, repeat, run  # type: ignore[assignment]  # the same, slower

__all__ = ["Call", "Choice", "Operand", "Operation", "Pattern", "Ready", "TensorCalls", "addresses_of", "repeat", "run"]

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
class Pattern:
    """The descriptor of an operation's sparse pattern."""

    name: str
    structure: type[ctypes.Structure]
    #: Sizes of the operation by other names that the descriptor has for them.
    sizes: Mapping[str, str]

    def fields(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Members of the C struct, from the fields of a problem and the addresses of its operands."""
        names = {name: self.sizes.get(name, name) for name, *_ in self.structure._fields_}
        return {name: known[own] for name, own in names.items() if own in known}


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
    #: Index arrays, which a plan reads.
    indices: tuple[str, ...] = ()
    pattern: Pattern | None = None

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
        return Descriptor(context, self.pattern.name, self.make_structure(fields), stream)

    def make_structure(self, fields: Mapping[str, Any]) -> ctypes.Structure:
        """The C struct of a pattern's fields. Raises InvalidArgument for a wrong value."""
        assert self.pattern is not None
        structure = self.pattern.structure
        numbers = {
            field: _number(field, self.choices[field], value) if field in self.choices else value
            for field, value in fields.items()
        }
        return structure(struct_size=ctypes.sizeof(structure), **numbers)

    def __call__(
        self,
        arrays: Mapping[str, Array | None],
        fields: Mapping[str, Any],
        scalars: Mapping[str, float],
    ) -> Array:
        """Computes on arrays by name. `fields`: of the problem, None where they follow from the arrays. Gives the result."""
        read = Reading(self, {name: array for name, array in arrays.items() if array is not None}, fields)
        read.complete()
        place = read.place
        with on_device(read.like, place):
            result, addresses = read.result()
            context = Context.of(place.target, place.device)
            stream = stream_behind(read.like, place.device, read.views.values())
            pattern = None
            if self.pattern is not None:
                pattern = self.describe(context, self.pattern.fields({**read.fields, **addresses}), stream)
            call = Call(self, context, pattern, self.make_problem(read.fields), {})
            operands = call.operands()
            for name, value in {**addresses, **scalars}.items():
                setattr(operands, name, value)
            call.run(operands, stream)
            if pattern is not None and place.target == "cuda":
                _wait(read.like, stream, place.device)  # what the descriptor holds goes with it
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

    @staticmethod
    def run_grouped(calls: Sequence[Call], operands: Sequence[Any], stream: int) -> None:
        """Enqueues calls of one operation and context, in order; where one is refused, none."""
        if not calls:
            return
        columns = [addresses_of(call._handles[1] for call in calls)] if len(calls[0]._handles) > 1 else []
        columns += [addresses_of(ctypes.addressof(call._held[2]) for call in calls), addresses_of(map(ctypes.addressof, operands))]
        first = calls[0]
        first.library.check(first._functions.grouped(first._handles[0], *columns, len(calls), stream))
        for call, idle in zip(calls, operands, strict=True):
            call._idle.append(idle)

    def ready(self, places: Sequence[str], **fixed: float) -> Ready:
        """The call without the stream and the addresses of these operands, for `run` of the same module. It lives no longer than this."""
        operands = self._struct(**self._fixed, **fixed)
        handles = (*(handle.value or 0 for handle in self._handles), ctypes.addressof(self._held[2]))
        offsets = tuple(getattr(self._struct, name).offset for name in places)
        return Ready(ctypes.cast(self._run, ctypes.c_void_p).value or 0, handles, bytes(operands), offsets)

    def tune(self, operands: Any, stream: int) -> None:
        """Measures which kernel is the fastest for such calls, and keeps the answer. Waits for the stream."""
        self.library.check(self._functions.tune(*self._first, ctypes.byref(operands), stream))

    def explain(self, operands: Any) -> Explanation:
        """Explanation of such a call: its key, kernel, origin, and measured times."""
        size = ctypes.c_size_t(0)
        reference = ctypes.byref(operands)
        self.library.check(self._functions.explain(*self._first, reference, None, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self.library.check(self._functions.explain(*self._first, reference, text, ctypes.byref(size)))
        return Explanation(json.loads(text.value.decode()))


def addresses_of(all_of_them: Iterable[Any]) -> Any:
    """A C array of pointers."""
    listed = [one.value if isinstance(one, ctypes.c_void_p) else one for one in all_of_them]
    return (ctypes.c_void_p * len(listed))(*listed)


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
        self.grouped = of("_grouped", ctypes.c_size_t, pointer)

    @classmethod
    def of(cls, library: Library, operation: Operation) -> _Functions:
        key = (library.target, operation.name)
        if key not in cls._made:
            cls._made[key] = cls(library, operation)
        return cls._made[key]


def _wait(like: Array, stream: int, device: int) -> None:
    """Waits for a stream of an array's device."""
    if is_torch(like):
        sys.modules["torch"].cuda.synchronize(like.device)
    else:
        _streams.synchronize(stream, device)

"""Arrays of one call of an operation: sizes, types, layouts and strides are read off them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._arrays import Array, View, empty, packed, view, writable_view
from ._errors import InvalidArgument

if TYPE_CHECKING:
    from ._operation import Extent, Operand, Operation


@dataclass
class Reading:
    """Arrays of one call, and the fields of the problem that follow from them."""

    operation: Operation
    arrays: dict[str, Array]
    given: Mapping[str, Any]
    fields: dict[str, Any] = field(init=False)
    views: dict[str, View] = field(init=False)

    def __post_init__(self) -> None:
        written = {one.name for one in self.operation.tensors if one.role != "input"}
        self.views = {name: (writable_view if name in written else view)(array, name) for name, array in self.arrays.items()}
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

    def result(self) -> tuple[Array, dict[str, int]]:
        """The output operand, a fresh one if it was not given, and the addresses of all operands. Comes after `complete`."""
        operand = self._output
        if operand.name in self.arrays:
            return self.arrays[operand.name], self.addresses
        shape, column = self._made_as(operand)
        made = empty(_swapped(shape) if column else shape, self.fields[operand.type], self.like)
        if operand.role == "inout":
            made[...] = 0
        address = view(made, operand.name).address
        return made.swapaxes(-1, -2) if column else made, {**self.addresses, operand.name: address}

    def complete(self) -> None:
        """Sets the fields that follow from the result, as if it were allocated."""
        operand, place = self._output, self.place
        if operand.name not in self.views:
            shape, column = self._made_as(operand)
            strides = _swapped(packed(_swapped(shape))) if column else packed(shape)
            self.views[operand.name] = View(0, shape, strides, self.fields[operand.type], place.target, place.device)
            self._read_strides(operand)

    @property
    def place(self) -> View:
        """An array of the call: all are on its device."""
        return self.views[self.first]

    @property
    def addresses(self) -> dict[str, int]:
        return {name: one.address for name, one in self.views.items()}

    @property
    def _output(self) -> Operand:
        return next(one for one in self.operation.tensors if one.role != "input")

    def _made_as(self, operand: Operand) -> tuple[tuple[int, ...], bool]:
        """Shape of a result that is made here, and whether it is column-major."""
        column = operand.layout is not None and self.fields.get(operand.layout) == "column"
        batched = any(self._is_batched(one) for one in self.operation.tensors if one.name in self.views)
        return self._extents(operand, batched), column

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
        batched = self._is_batched(operand)
        if batched:
            self._set("batch", shape[0], operand.name)
            if shape[0] < 1:
                raise InvalidArgument(f"{operand.name} has the shape {list(shape)}: a batch must have at least one product")
        if len(shape) != len(extents) + batched:
            raise InvalidArgument(f"{operand.name} has {len(shape)} dimensions, not {len(extents)}")
        for length, extent in zip(shape[batched:], extents, strict=True):
            if isinstance(extent, str):
                self._set(extent, length, operand.name)

    def _is_batched(self, operand: Operand) -> bool:
        """Whether an array has a dimension for the products of a batch; of a batch of one it may."""
        return operand.batch_stride is not None and len(self.views[operand.name].shape) == len(self._shape(operand)) + 1

    def _extents(self, operand: Operand, batched: bool) -> tuple[int, ...]:
        extents = self._shape(operand)
        own = tuple(self.fields[one] if isinstance(one, str) else one(self.fields) for one in extents)
        batch = self.fields.get("batch", 1) if operand.batch_stride is not None else 1
        return (batch, *own) if batched or batch > 1 else own

    def _read_strides(self, operand: Operand) -> None:
        """Layout, leading dimension and batch stride; refuses strides that the library cannot describe."""
        seen, name = self.views[operand.name], operand.name
        extents = self._extents(operand, self._is_batched(operand))
        if seen.shape != extents:
            raise InvalidArgument(f"{name} has the shape {list(seen.shape)}, not {list(extents)}")
        shape, strides = list(seen.shape), list(seen.strides)
        if self._is_batched(operand):
            self._read_batch_stride(operand)
            shape, strides = shape[1:], strides[1:]
        column = operand.layout is not None and self._is_column(operand.layout, shape, strides)
        if column:
            shape[-1], shape[-2], strides[-1], strides[-2] = shape[-2], shape[-1], strides[-2], strides[-1]
        if operand.layout is not None:
            self._set(operand.layout, "column" if column else "row", name)
        dense = list(packed(tuple(shape)))
        if operand.leading is not None and len(shape) > 1 and shape[-2] > 1:
            if strides[-2] < shape[-1]:
                raise InvalidArgument(f"{name} has the strides {list(seen.strides)}, and its lines overlap: make it contiguous first")
            dense[-2] = strides[-2]
            self.fields[operand.leading] = strides[-2]
        if any(length > 1 and has != wanted for length, has, wanted in zip(shape, strides, dense, strict=True)):
            raise InvalidArgument(f"{name} has the strides {list(seen.strides)}: make it contiguous first")

    def _read_batch_stride(self, operand: Operand) -> None:
        """Elements from one product's part to the next one's, which those of a batch of one do not have. The library takes 0 for packed."""
        assert operand.batch_stride is not None
        seen = self.views[operand.name]
        (batch, *shape), (step, *strides) = seen.shape, seen.strides
        if batch == 1:
            return
        if step < _reach(shape, strides):
            raise InvalidArgument(
                f"{operand.name} has the strides {list(seen.strides)}, and its products' parts overlap: make it contiguous first"
            )
        self.fields[operand.batch_stride] = step

    def _is_column(self, layout: str, shape: list[int], strides: list[int]) -> bool:
        """Whether a matrix is column-major. A matrix of one line may be either: it has the known layout, or else row-major."""
        row = strides[-1] == 1 or shape[-1] <= 1
        column = strides[-2] == 1 or shape[-2] <= 1
        return column and (not row or self.fields.get(layout) == "column")


def _swapped(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


def _reach(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first one of an array to behind its last."""
    return 1 + sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True)) if all(shape) else 0

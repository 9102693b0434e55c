"""Arrays of other packages, as addresses with shapes: NumPy, PyTorch, CuPy and all that have one of their protocols."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from . import _dlpack, _streams
from ._errors import InvalidArgument

#: An array or a tensor: of NumPy, PyTorch, CuPy, or with `__array_interface__`, `__cuda_array_interface__` or `__dlpack__`.
Array = Any

#: Element types by their names in the libraries, and their bytes.
element_bytes = {"f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i64": 8}
_names = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "int32": "i32", "int64": "i64"}
_typestr = {"<f2": "f16", "<f4": "f32", "<i4": "i32", "<i8": "i64"}


@dataclass(frozen=True)
class View:
    """Address, device, shape, strides and element type of an array, and whether it may be written."""

    address: int
    shape: tuple[int, ...]
    #: In elements.
    strides: tuple[int, ...]
    #: Name of the element type in the libraries.
    type: str
    #: `emulated`, or `cuda`.
    target: str
    #: Number of the GPU; 0 on the CPU.
    device: int
    writable: bool = True
    #: Lets a stream wait for what is pending on the array; None where nothing is known of it.
    wait: Callable[[int], None] | None = field(default=None, compare=False)


def view(array: Array, name: str) -> View:
    """An array's place. `name` is for messages. Raises InvalidArgument for what is no array or of no known type."""
    if is_torch(array):
        return _of_torch(array, name)
    gpu = getattr(array, "__cuda_array_interface__", None)
    if gpu is not None:
        device = _device_of(array)
        return _of_interface(gpu, array, name, "cuda", device, partial(_wait_for_interface, array, name, device))
    cpu = getattr(array, "__array_interface__", None)
    if cpu is not None:
        return _of_interface(cpu, array, name, "emulated", 0)
    if _dlpack.is_exporter(array):
        return _of_dlpack(array, name)
    raise InvalidArgument(
        f"{name} is a {type(array).__name__}, not an array of NumPy, PyTorch or CuPy, nor one with __cuda_array_interface__ or __dlpack__"
    )


def writable_view(array: Array, name: str) -> View:
    """The place of an array that a result goes to. Raises InvalidArgument for a read-only one, too."""
    seen = view(array, name)
    if not seen.writable:
        raise InvalidArgument(f"{name} is read-only, and the result goes there: pass an array that may be written, or none")
    return seen


def is_torch(array: Array) -> bool:
    """Whether it is a tensor of PyTorch, which is not imported to learn that."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _is_cupy(array: Array) -> bool:
    cupy = sys.modules.get("cupy")
    return cupy is not None and isinstance(array, cupy.ndarray)


def _of_torch(tensor: Any, name: str) -> View:
    kind = _names.get(str(tensor.dtype).removeprefix("torch."))
    if kind is None:
        raise _unknown_type(name, tensor.dtype)
    device = tensor.device
    if device.type not in ("cpu", "cuda"):
        raise InvalidArgument(f"{name} is on the device {device}: only CPU and CUDA tensors are taken")
    if tensor.is_neg():
        raise InvalidArgument(f"{name} has PyTorch's negative bit set: pass {name}.resolve_neg()")
    number = device.index or 0
    if device.type == "cpu":
        return View(tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), kind, "emulated", number)
    return View(tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), kind, "cuda", number, True, _torch_wait(number))


@cache  # one for each GPU, so that a view makes none
def _torch_wait(device: int) -> Callable[[int], None]:
    def wait(stream: int) -> None:
        own = int(sys.modules["torch"]._C._cuda_getCurrentRawStream(device))
        if own != stream:
            _streams.order(own or _legacy, stream, device)

    return wait


def _of_dlpack(array: Array, name: str) -> View:
    try:
        seen = _dlpack.read(array)
    except BufferError as why:
        raise InvalidArgument(f"{name} cannot be read by __dlpack__: {why}") from None
    if not seen.is_known:
        raise _unknown_type(name, seen.type)
    strides = packed(seen.shape) if seen.strides is None else seen.strides
    wait = partial(_wait_for_exporter, array, name) if seen.target == "cuda" else None
    return View(seen.address, seen.shape, strides, seen.type, seen.target, seen.device, seen.writable, wait)


def _wait_for_exporter(array: Array, name: str, stream: int) -> None:
    try:
        _dlpack.wait_for(array, stream)
    except BufferError as why:
        raise InvalidArgument(f"{name} cannot be waited for by __dlpack__: {why}") from None


def _of_interface(
    interface: dict[str, Any], array: Array, name: str, target: str, device: int, wait: Callable[[int], None] | None = None
) -> View:
    kind = _names.get(str(getattr(array, "dtype", ""))) or _typestr.get(interface["typestr"])
    if kind is None:
        raise _unknown_type(name, getattr(array, "dtype", interface["typestr"]))
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    steps = packed(shape) if strides is None else _in_elements(strides, shape, element_bytes[kind], name)
    address, read_only = interface["data"]
    return View(address, shape, steps, kind, target, device, not read_only, wait)


def _in_elements(strides: tuple[int, ...], shape: tuple[int, ...], size: int, name: str) -> tuple[int, ...]:
    """Strides that are given in bytes. Raises InvalidArgument where there is no such number of elements."""
    if any(length > 1 and stride % size for length, stride in zip(shape, strides, strict=True)):
        raise InvalidArgument(f"{name} has strides of {list(strides)} bytes, and elements of {size}: make it contiguous first")
    return tuple(stride // size for stride in strides)


def _device_of(array: Array) -> int:
    """Number of the GPU of an array of CuPy; others lie on the first, as far as their protocol says."""
    return int(getattr(getattr(array, "device", None), "id", 0))


def _unknown_type(name: str, kind: Any) -> InvalidArgument:
    return InvalidArgument(f"{name} has elements of type {kind}: convert it, {', '.join(_names)} are known")


def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a row-major array without gaps, in elements."""
    strides = [1] * len(shape)
    for at in range(len(shape) - 2, -1, -1):
        strides[at] = strides[at + 1] * shape[at + 1]
    return tuple(strides)


def empty(shape: tuple[int, ...], kind: str, like: Array) -> Array:
    """A fresh row-major array on the device of another, of the same package as that one."""
    dtype = next(name for name, short in _names.items() if short == kind)
    if is_torch(like):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    package = type(like).__module__.partition(".")[0]
    if package in ("numpy", "cupy"):
        return sys.modules[package].empty(shape, dtype=_numpy_type(dtype))
    raise InvalidArgument(f"there is no way to make an array like a {type(like).__name__}: pass one for the result")


def memory(size: int, like: Array) -> tuple[Array, int]:
    """An array of at least so many bytes on the device of another, and the first address in it at which `size` bytes are aligned to 256."""
    made = empty((size // 8 + 32,), "i64", like)
    return made, (view(made, "memory").address + 255) & ~255


def record_current_stream(memory: Array) -> None:
    """Keeps memory of PyTorch from other tensors, once it is free, until the work that the current stream has by then is done."""
    if is_torch(memory) and memory.is_cuda:
        memory.record_stream(sys.modules["torch"].cuda.current_stream(memory.device))


def _numpy_type(name: str) -> Any:
    if name != "bfloat16":
        return name
    import ml_dtypes  # what NumPy arrays of bfloat16 are made with

    return ml_dtypes.bfloat16


def current_stream(like: Array, device: int) -> int:
    """Address of the stream on which an array's package works now: that of PyTorch and CuPy; the one that a `__cuda_array_interface__`
    names; 0, the default one, where there is none."""
    if is_torch(like):
        return int(sys.modules["torch"]._C._cuda_getCurrentRawStream(device)) if like.is_cuda else 0
    if _is_cupy(like):
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    stream = _stream_of_interface(like, "an array")
    return 0 if stream in (None, _legacy) else stream


def stream_behind(like: Array, device: int, views: Iterable[View]) -> int:
    """The current stream of an array's package, which waits from now on for what is pending on arrays of others."""
    stream = current_stream(like, device)
    for one in views:
        if one.wait is not None:
            one.wait(stream)
    return stream


#: The legacy default stream, in the protocols' numbers and as a handle.
_legacy = 1


def _stream_of_interface(array: Array, name: str) -> int | None:
    """Stream behind which an array is complete: 1 for the legacy default one, 2 for the thread's default one, else a handle. None where
    nothing is pending."""
    if _is_cupy(array):
        return current_stream(array, 0) or _legacy
    stream = (getattr(array, "__cuda_array_interface__", None) or {}).get("stream")
    if stream == 0:
        raise InvalidArgument(f"{name} says it is of stream 0, which __cuda_array_interface__ does not allow: 1 and 2 are the default ones")
    return None if stream is None else int(stream)


def _wait_for_interface(array: Array, name: str, device: int, stream: int) -> None:
    own = _stream_of_interface(array, name)
    if own is not None and own != (stream or _legacy):
        _streams.order(own, stream, device)


class on_device:
    """Makes a GPU this thread's current one within a `with` block: plans are made for the current device, and run there."""

    def __init__(self, like: Array, view: View) -> None:
        self._guard: Any = None
        if view.target == "emulated":
            return
        if is_torch(like):
            self._guard = sys.modules["torch"].cuda.device(view.device)
        elif "cupy" in sys.modules:
            self._guard = sys.modules["cupy"].cuda.Device(view.device)
        else:
            self._guard = _streams.current(view.device)

    def __enter__(self) -> None:
        if self._guard is not None:
            self._guard.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._guard is not None:
            self._guard.__exit__(*error)

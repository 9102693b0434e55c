"""Arrays with `__dlpack__` and `__dlpack_device__`, read where they lie: DLPack's structs in ctypes, by which no package has to be there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Devices of DLPack whose memory the libraries read: the CPU's, with pinned memory, and a GPU's, with managed memory.
_targets = {1: "emulated", 3: "emulated", 2: "cuda", 13: "cuda"}
#: Element types by code and bits.
_types = {(2, 16): "f16", (4, 16): "bf16", (2, 32): "f32", (0, 32): "i32", (0, 64): "i64"}
_codes = ("int", "uint", "float", "handle", "bfloat", "complex", "bool")
_read_only, _copied = 1, 2


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


@dataclass(frozen=True)
class Exported:
    """Contents of a DLTensor."""

    address: int
    shape: tuple[int, ...]
    #: In elements; None for a row-major array without gaps.
    strides: tuple[int, ...] | None
    #: Name of the element type in the libraries, or DLPack's where they have none.
    type: str
    is_known: bool
    target: str
    device: int
    writable: bool


def is_exporter(array: Any) -> bool:
    return hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__")


def read(array: Any) -> Exported:
    """Contents of an array's export, which is given back at once: the memory is the array's own. Raises BufferError where there is none
    without a copy, or on no device of the libraries."""
    kind, _ = array.__dlpack_device__()
    target = _targets.get(int(kind))
    if target is None:
        raise BufferError(f"it lies on a device of DLPack's type {int(kind)}: only the CPU and CUDA devices are taken")
    # JAX's arrays never change, and it takes -1 for a handle: 1, the legacy default stream, is one that it knows. Of others -1 asks for
    # no order: what is pending on the memory is waited for where work on it is enqueued, see wait_for.
    is_jax = type(array).__module__.startswith("jax")
    capsule = _export(array, {} if target == "emulated" else {"stream": 1 if is_jax else -1})
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if versioned.major > 1:
            raise BufferError(f"it is exported as DLPack {versioned.major}.{versioned.minor}, not 1")
        if versioned.flags & _copied:
            raise BufferError("it is exported as a copy")
        return _contents(versioned.tensor, target, not (is_jax or versioned.flags & _read_only))
    if not _is_valid(capsule, b"dltensor"):
        raise BufferError("what it gives is no capsule of a tensor")
    return _contents(_Tensor.from_address(_pointer(capsule, b"dltensor")), target, not is_jax)


def wait_for(array: Any, stream: int) -> None:
    """Lets a stream of CUDA wait for the work on an array, which its package sees to."""
    _export(array, {"stream": stream or 1})  # 0 is no stream of DLPack's; 1 is the legacy default one


def _export(array: Any, stream: dict[str, int]) -> Any:
    """The capsule of an array. It is not renamed, so that what is exported is freed with it."""
    try:
        return array.__dlpack__(**stream, max_version=(1, 0), copy=False)
    except TypeError:  # as it was before DLPack 1.0
        return array.__dlpack__(**stream)


def _contents(tensor: _Tensor, target: str, writable: bool) -> Exported:
    known = _types.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    code = _codes[tensor.code] if tensor.code < len(_codes) else f"code {tensor.code}, "
    lanes = "" if tensor.lanes == 1 else f"x{tensor.lanes}"
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    name = known or f"{code}{tensor.bits}{lanes}"
    return Exported(address, shape, strides, name, known is not None, target, tensor.device if target == "cuda" else 0, writable)


def _of_python(name: str, result: Any) -> Callable[[Any, bytes], Any]:
    return ctypes.PYFUNCTYPE(result, ctypes.py_object, ctypes.c_char_p)((name, ctypes.pythonapi))


_is_valid = _of_python("PyCapsule_IsValid", ctypes.c_int)
_pointer = _of_python("PyCapsule_GetPointer", ctypes.c_void_p)

"""The module `_call` in ctypes, for a wheel that was built without headers of Python. A call takes ten times as long."""

from __future__ import annotations

import ctypes
import struct


class Ready:
    """A function of a library with all it is called with but the stream and the addresses of operands."""

    def __init__(self, function: int, handles: tuple[int, ...], operands: bytes, places: tuple[int, ...]) -> None:
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * (len(handles) + 2))
        self._function, self._handles = kind(function), handles
        self._operands, self._places = operands, places

    def run(self, stream: int, addresses: tuple[int | None, ...]) -> int:
        operands = ctypes.create_string_buffer(self._operands, len(self._operands))
        for place, address in zip(self._places, addresses, strict=True):
            struct.pack_into("P", operands, place, address or 0)
        return int(self._function(*self._handles, ctypes.addressof(operands), stream))


def run(ready: Ready, stream: int, *addresses: int | None) -> int:
    """Enqueues the call on a stream, and gives the library's status."""
    return ready.run(stream, addresses)


class TensorCalls:
    """Nothing is repeated without the module: there is no object of this class."""

    def __new__(cls, *_: object) -> TensorCalls:
        raise NotImplementedError("this wheel was built without the module _call")


def repeat(calls: TensorCalls | None, *tensors: object) -> None:
    """None: each call is looked at from Python."""

"""Streams of CUDA in the order of one another, by the driver: no package that made an array has to be asked."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._errors import Error

_without_times = 2  # CU_EVENT_DISABLE_TIMING


def order(before: int, after: int, device: int) -> None:
    """Lets work that is enqueued on the stream `after` from now on wait for what `before` has by now. Does not wait on the host. A stream
    that is captured is left alone: a graph cannot wait for what is outside of it."""
    event = ctypes.c_void_p()
    with current(device):
        if _is_captured(after):
            return
        _call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(_without_times))
        try:
            _call("cuEventRecord", event, ctypes.c_void_p(before))
            _call("cuStreamWaitEvent", ctypes.c_void_p(after), event, ctypes.c_uint(0))
        finally:
            _call("cuEventDestroy_v2", event)  # the driver keeps it until it has come


def synchronize(stream: int, device: int) -> None:
    """Waits for a stream."""
    with current(device):
        _call("cuStreamSynchronize", ctypes.c_void_p(stream))


def _is_captured(stream: int) -> bool:
    if stream in (0, 1):  # the legacy default stream never is
        return False
    status = ctypes.c_int(0)
    _call("cuStreamIsCapturing", ctypes.c_void_p(stream), ctypes.byref(status))
    return status.value != 0


@contextmanager
def current(device: int) -> Iterator[None]:
    """Makes the context of a GPU that the CUDA runtime uses this thread's current one."""
    _call("cuCtxPushCurrent_v2", _context(device))
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


@functools.cache
def _context(device: int) -> ctypes.c_void_p:
    """The primary context of a GPU, which stays."""
    number, context = ctypes.c_int(), ctypes.c_void_p()
    _call("cuInit", ctypes.c_uint(0))
    _call("cuDeviceGet", ctypes.byref(number), ctypes.c_int(device))
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
    return context


@functools.cache
def _driver() -> Any:
    return ctypes.CDLL("libcuda.so.1")


def _call(name: str, *arguments: Any) -> None:
    status = getattr(_driver(), name)(*arguments)
    if status:
        raise Error(f"{name}: CUDA's driver reports error {status}")

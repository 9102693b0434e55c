"""The two shared libraries of the package, one for NVIDIA GPUs and its twin on the CPU, and their own descriptions."""

from __future__ import annotations

import ctypes
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._errors import NoDevice, error_of

_files = {"cuda": "libtilewright.so", "emulated": "libtilewright_emulated.so"}


class _DeviceInfo(ctypes.Structure):
    """tw_device_info of tilewright.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char * 256),
        ("compute_capability", ctypes.c_int32),
        ("multiprocessors", ctypes.c_int32),
    ]


@dataclass(frozen=True)
class Device:
    """A device that the libraries can compute on."""

    #: `cuda` or `emulated`.
    target: str
    index: int
    name: str
    #: 10 * major + minor.
    compute_capability: int
    multiprocessors: int


class Library:
    """One of the two libraries, loaded. `c` has its C functions."""

    def __init__(self, target: str, path: Path) -> None:
        self.target = target
        self.c = ctypes.CDLL(str(path))
        for name in ("tw_last_error", "tw_manifest", "tw_target"):
            getattr(self.c, name).restype = ctypes.c_char_p

    def check(self, status: int) -> None:
        """Raises the exception for a status that is not success."""
        if status:
            raise error_of(status, self.c.tw_last_error().decode())


@functools.cache
def load(target: str) -> Library:
    """The library for `cuda` or `emulated`. Raises NoDevice if the package comes without it."""
    path = Path(__file__).parent / "lib" / _files[target]
    if not path.exists():
        raise NoDevice(
            f"this package has no library for {target} devices ({path.name}): it was built where there was no CUDA toolkit"
        )
    return Library(target, path)


def devices() -> list[Device]:
    """Devices to compute on: the GPUs, if there are any, and the emulated device."""
    return [*_devices_of("cuda"), *_devices_of("emulated")]


def _devices_of(target: str) -> list[Device]:
    try:
        library = load(target)
        count = ctypes.c_int()
        library.check(library.c.tw_device_count(ctypes.byref(count)))
    except NoDevice:
        return []
    return [_describe(library, index) for index in range(count.value)]


def _describe(library: Library, index: int) -> Device:
    info = _DeviceInfo(struct_size=ctypes.sizeof(_DeviceInfo))
    library.check(library.c.tw_device_query(index, ctypes.byref(info)))
    return Device(library.target, index, info.name.decode(), info.compute_capability, info.multiprocessors)


def manifest() -> dict[str, Any]:
    """Contents of the libraries: operations, kernels, the reason for each choice, and where and when it was gated and timed."""
    manifest: dict[str, Any] = json.loads(load("emulated").c.tw_manifest().decode())
    return manifest

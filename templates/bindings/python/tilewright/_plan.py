"""Plans: kernels that the library's ranking chooses for one problem, where host copies of index arrays let it choose among all."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from ._library import Library
from ._operation import Operation


class Plan:
    """A kernel for one problem on the device that was current when it was made. Any number of threads may run it."""

    def __init__(self, library: Library, operation: Operation, fields: Mapping[str, Any]) -> None:
        """`fields`: of the problem, by name. What host copies point at must stay as long as the plan. Raises NotSupported where no kernel serves it."""
        self._library, self._operands = library, operation.operands
        self._c = _functions(library, operation.name)
        self.handle = ctypes.c_void_p()
        self._problem = operation.make_problem(fields)
        library.check(self._c["plan_create"](ctypes.byref(self._problem), ctypes.byref(self.handle)))
        #: Bytes of device memory that a run needs, aligned to 256.
        self.workspace_bytes: int = self._c["workspace_bytes"](self.handle)

    @property
    def variant(self) -> str:
        """Name of the kernel, as in the manifest."""
        return str(self._c["plan_variant"](self.handle).decode())

    def prepare(self, workspace: int, stream: int) -> None:
        """Fills a fresh workspace, before its first run on this stream."""
        self._library.check(self._c["prepare"](self.handle, workspace, self.workspace_bytes, stream))

    def run(self, values: Mapping[str, Any], workspace: int, stream: int) -> None:
        """Enqueues the operation. `values`: addresses of the operands and scalars, by name."""
        operands = self._operands(struct_size=ctypes.sizeof(self._operands), **values)
        run = self._c["run"]
        self._library.check(run(self.handle, ctypes.byref(operands), workspace, self.workspace_bytes, stream))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._c["plan_destroy"](self.handle)


def _functions(library: Library, operation: str) -> dict[str, Any]:
    """The C functions of plans of an operation."""
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    kinds: dict[str, tuple[Any, ...]] = {
        "plan_create": (ctypes.c_int, pointer, pointer),
        "plan_destroy": (None, pointer),
        "plan_variant": (ctypes.c_char_p, pointer),
        "workspace_bytes": (size, pointer),
        "prepare": (ctypes.c_int, pointer, pointer, size, pointer),
        "run": (ctypes.c_int, pointer, pointer, pointer, size, pointer),
    }
    made = {}
    for name, (result, *arguments) in kinds.items():
        function = getattr(library.c, f"tw_{operation}_{name}")
        function.restype, function.argtypes = result, arguments
        made[name] = function
    return made

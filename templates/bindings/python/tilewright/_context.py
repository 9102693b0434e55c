"""Contexts of the libraries: the fastest kernels that this process knows, and the policy by which it measures."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ._errors import Error, InvalidArgument
from ._library import Library, load

_policies = ("scoped", "replay", "on-miss", "force")


class _Options(ctypes.Structure):
    """tw_context_options of context.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("policy", ctypes.c_int),
        ("budget_ms", ctypes.c_int32),
        ("deterministic", ctypes.c_int32),
        ("exhaustive", ctypes.c_int32),
        ("cache", ctypes.c_char_p),
        ("scratch_limit", ctypes.c_size_t),
        ("allocate", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


class _Statistics(ctypes.Structure):
    """tw_context_statistics of context.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        *(
            (name, ctypes.c_int64)
            for name in (
                *("resolved", "from_cache", "from_wisdom", "tuned", "candidates", "measured"),
                *("rejected", "launch_failures", "damaged_records"),
            )
        ),
    ]


_settings: dict[str, Any] = {}
_made: dict[tuple[str, int], Context] = {}
#: Contexts that measure every kernel, beside those.
_exhaustive: dict[tuple[str, int], Context] = {}
_lock = threading.Lock()


class Context:
    """The context of one device; made with the settings of `configure` at its first use."""

    def __init__(self, library: Library, device: int, **settings: Any) -> None:
        self.library = library
        self.device = device
        self.handle = ctypes.c_void_p()
        options = _Options(struct_size=ctypes.sizeof(_Options), **{**_settings, **settings})
        _declare(library)
        library.check(library.c.tw_context_create(device, ctypes.byref(options), ctypes.byref(self.handle)))

    @classmethod
    def of(cls, target: str, device: int, exhaustive: bool = False) -> Context:
        """That of `cuda` or `emulated` and the number of a device, which must be the thread's current one. `exhaustive`: another one, which
        measures every kernel, whatever the settings; what it measures is kept in the same cache."""
        made = _exhaustive if exhaustive else _made
        found = made.get((target, device))
        if found is None:
            with _lock:
                found = made.get((target, device)) or cls(load(target), device, **({"exhaustive": 1} if exhaustive else {}))
                made[target, device] = found
        return found

    def statistics(self) -> dict[str, int]:
        numbers = _Statistics(struct_size=ctypes.sizeof(_Statistics))
        self.library.check(self.library.c.tw_context_query(self.handle, ctypes.byref(numbers)))
        return {name: getattr(numbers, name) for name, *_ in _Statistics._fields_[1:]}


def _declare(library: Library) -> None:
    pointer = ctypes.c_void_p
    library.c.tw_context_create.argtypes = (ctypes.c_int, pointer, pointer)
    for name in ("tw_tune_begin", "tw_tune_end"):
        getattr(library.c, name).argtypes = (pointer,)
    library.c.tw_context_query.argtypes = (pointer, pointer)


class Descriptor:
    """A pattern registered with the library: its statistics, and the kernels settled by calls with it."""

    def __init__(self, context: Context, name: str, structure: ctypes.Structure, stream: int) -> None:
        self.handle = ctypes.c_void_p()
        self._library = context.library
        functions = context.library.c
        pointer = ctypes.c_void_p
        create = getattr(functions, f"tw_{name}_create")
        create.argtypes = (pointer, pointer, pointer, pointer)
        self._replan = getattr(functions, f"tw_{name}_replan")
        self._replan.argtypes = (pointer, pointer, pointer)
        self._destroy = getattr(functions, f"tw_{name}_destroy")
        self._destroy.argtypes, self._destroy.restype = (pointer,), None
        context.library.check(create(context.handle, ctypes.byref(structure), stream, ctypes.byref(self.handle)))

    def replan(self, structure: ctypes.Structure, stream: int) -> None:
        """Gives it another pattern in place; waits for the stream, behind which no call with the former one may be pending."""
        self._library.check(self._replan(self.handle, ctypes.byref(structure), stream))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self._destroy(self.handle)


def configure(
    policy: str = "scoped",
    *,
    budget_ms: int = 0,
    deterministic: bool = False,
    exhaustive: bool = False,
    cache: str | None = None,
) -> None:
    """Sets the options by which kernels are chosen; before the first product.

    Args:
        policy: when to measure. "scoped": within `tuning()` and in `tune`; "replay": in `tune` alone; "on-miss": in the first call of a
            kind that neither the cache nor the shipped tuning records know; "force": in the first call of each kind.
        budget_ms: time for the measurements of one kind of call; 0 means 100.
        deterministic: only kernels that give the same bits in every run.
        exhaustive: measure every kernel that takes the call, whatever the budget.
        cache: folder of tuning records; None: `tuned` in the user's cache folder; "": none.

    Raises:
        InvalidArgument: there is no such policy.
        Error: a product was computed already.
    """
    if policy not in _policies:
        raise InvalidArgument(f"policy = {policy!r} is none of {', '.join(_policies)}")
    if _made:
        raise Error("configure comes before the first product: contexts are made already")
    _settings.update(
        policy=_policies.index(policy),
        budget_ms=budget_ms,
        deterministic=int(deterministic),
        exhaustive=int(exhaustive),
        cache=None if cache is None else cache.encode(),
    )


@contextmanager
def tuning() -> Iterator[None]:
    """Scope in which calls with unknown keys are measured, on all devices used before, in all threads."""
    begun = list(_made.values())
    for context in begun:
        context.library.check(context.library.c.tw_tune_begin(context.handle))
    try:
        yield
    finally:
        for context in begun:
            context.library.check(context.library.c.tw_tune_end(context.handle))


def statistics() -> Mapping[tuple[str, int], dict[str, int]]:
    """Counters of resolved, measured and refused keys so far, by target and number of the device."""
    return {place: context.statistics() for place, context in _made.items()}

"""Status codes of the library as exceptions. The text of each is the library's own sentence."""

from __future__ import annotations


class Error(Exception):
    """A call that the library did not serve. `status` is the number of its tw_status."""

    status = 0


class InvalidArgument(Error, ValueError):
    """An argument is misaligned, of a wrong type or shape, or contradicts another."""

    status = 1


class NotSupported(Error, NotImplementedError):
    """Valid, but no kernel in this library serves it; the text says what the nearest one asks for."""

    status = 2


class NoDevice(Error, RuntimeError):
    """There is no usable GPU or driver, or the package has no library for it."""

    status = 3


class WorkspaceTooSmall(Error, ValueError):
    """The workspace is missing or smaller than the plan asks for."""

    status = 4


class LaunchFailed(Error, RuntimeError):
    """The device refused a kernel or a copy."""

    status = 5


class OutOfMemory(Error, MemoryError):
    """Host memory ran out."""

    status = 6


class InternalError(Error, RuntimeError):
    """A defect of the library: please report its text."""

    status = 7


_by_status = {error.status: error for error in Error.__subclasses__()}


def error_of(status: int, text: str) -> Error:
    """The exception for a status that is not success."""
    error = _by_status.get(status, InternalError)(text)
    error.status = status
    return error

from collections.abc import Callable
from typing import Any

class Ready:
    """A function of a library with all it is called with but the stream and the addresses of operands."""

    def __new__(cls, function: int, handles: tuple[int, ...], operands: bytes, places: tuple[int, ...]) -> Ready: ...

def run(ready: Ready, stream: int, *addresses: int | None) -> int:
    """Enqueues the call on a stream, and gives the library's status."""

class TensorCalls:
    """Calls by the kinds of their tensors: what repeats a former call without looking at the tensors from Python."""

    def __new__(
        cls,
        exchange: Any,
        types: tuple[type, ...],
        guards: tuple[Callable[[], Any], ...],
        is_grad_enabled: Callable[[], bool],
        current_device: Callable[[], int] | None,
    ) -> TensorCalls:
        """Of DLPack's exchange interface in C.

        types: of tensors that hide nothing.
        guards: functions of which one says something true where Python has to see a call.
        """

    def learn(
        self,
        ready: Ready,
        owner: object,
        make: Callable[[], Any],
        fixed: tuple[Any, ...],
        version: int,
        tensors: tuple[Any, Any, Any],
    ) -> None:
        """Runs calls of such tensors by `ready` from now on. Other `fixed` objects, or another version of them, begin afresh.

        owner: what must live as long as `ready`.
        make: function that gives memory for the result, on the device of the tensors.
        """

def repeat(calls: TensorCalls | None, *tensors: Any) -> Any:
    """repeat(calls, *fixed, x, values, bias): the result of a call that was learnt; None where there is none, or where Python has to see it."""

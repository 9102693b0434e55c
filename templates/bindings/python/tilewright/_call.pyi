class Ready:
    """A function of a library with all it is called with but the stream and the addresses of operands."""

    def __new__(cls, function: int, handles: tuple[int, ...], operands: bytes, places: tuple[int, ...]) -> Ready: ...

def run(ready: Ready, stream: int, *addresses: int | None) -> int:
    """Enqueues the call on a stream, and gives the library's status."""

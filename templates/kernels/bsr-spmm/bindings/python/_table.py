"""Times of the ways to compute a product."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One way to compute a product."""

    name: str
    #: Median of the samples; None where the way does not work here.
    seconds: float | None
    #: 2 * stored elements of A * columns of B / seconds / 1e12; for a dense product too.
    tflops: float | None
    #: Largest difference from the dense product in fp32, over its largest element.
    error: float | None
    #: Name of the kernel, or why the way does not work here.
    note: str = ""

    def __str__(self) -> str:
        time = "-" if self.seconds is None else f"{self.seconds * 1e6:.1f} us"
        rate = "-" if self.tflops is None else f"{self.tflops:.4g}"
        error = "-" if self.error is None else f"{self.error:.1e}"
        return f"{self.name:<24} {time:>13} {rate:>9} {error:>9}  {self.note}".rstrip()


class Table(list[Row]):
    """Rows, the fastest first and at the end what does not work here. Prints as a table."""

    def __init__(self, rows: Iterable[Row]) -> None:
        super().__init__(sorted(rows, key=lambda row: float("inf") if row.seconds is None else row.seconds))

    def __repr__(self) -> str:
        heading = f"{'way':<24} {'time':>13} {'TFLOP/s':>9} {'error':>9}  kernel"
        return "\n".join([heading, *map(str, self)])

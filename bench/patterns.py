"""Block structures for bench/compare.py: the kinds of templates/kernels/bsr-spmm/pattern.hpp that workloads use, drawn anew."""

import random


def power_law_lengths(density, exponent, rows, columns, draw):
    """Row lengths c * rank^-exponent in random order, c such that they come to density * rows * columns."""
    fill = lambda scale: [min(columns, round(scale * (rank + 1) ** -exponent)) for rank in range(rows)]
    low, high = 0.0, columns * (rows + 1.0) ** abs(exponent) + 1
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(fill(middle)) < density * rows * columns else (low, middle)
    lengths = fill(high)
    draw.shuffle(lengths)
    return lengths


def columns_of(pattern, rows, columns, seed):
    """Of each block row the columns that are stored, ascending. Sizes in blocks. `pattern`: as a workload's problem has it."""
    draw, kind = random.Random(seed), pattern["kind"]
    if kind == "random":
        places = sorted(draw.sample(range(rows * columns), round(pattern["density"] * rows * columns)))
        found = [[] for _ in range(rows)]
        for place in places:
            found[place // columns].append(place % columns)
        return found
    if kind == "banded":
        width = pattern["width"]
        middles = [row * columns // rows for row in range(rows)]
        return [list(range(max(0, middle - width), min(columns, middle + width + 1))) for middle in middles]
    if kind == "equal-rows":
        lengths = [round(pattern["density"] * columns)] * rows
    elif kind == "power-law":
        lengths = power_law_lengths(pattern["density"], pattern.get("exponent", 1), rows, columns, draw)
    else:
        raise ValueError(f"pattern '{kind}' is not known here; there are random, equal-rows, power-law, banded")
    return [sorted(draw.sample(range(columns), length)) for length in lengths]


def bsr(pattern, rows, columns, seed):
    """Row pointers and column indices, lists of int."""
    found = columns_of(pattern, rows, columns, seed)
    row_ptr = [0]
    for row in found:
        row_ptr.append(row_ptr[-1] + len(row))
    return row_ptr, [column for row in found for column in row]

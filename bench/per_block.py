"""A block-sparse product as one dense product of cuBLAS for every stored block, which adds to its block row of C."""


def product(structure, values, b, c, column_major):
    """
    A function that enqueues C = A B. `structure`: row_ptr and col_idx, on the host; `values`: [blocks, block, block]; `b`, `c`: k x n and
    m x n of one type. Each block's product is rounded to the type of C before the next is added, unlike in one kernel.
    """
    import torch

    row_ptr, columns = structure
    block = values.shape[1]
    lines = lambda matrix, at: matrix[at * block : (at + 1) * block]
    steps, empty = [], []
    for row, (first, last) in enumerate(zip(row_ptr, row_ptr[1:])):
        target = lines(c, row)
        if first == last:
            empty.append(target)
        for place in range(first, last):
            steps.append((place > first, target, values[place], lines(b, columns[place])))
    if column_major:  # products of the transposes: their lines are neighbours in memory
        steps = [(more, target.t(), right.t(), left.t()) for more, target, left, right in steps]

    def run():
        for target in empty:
            target.zero_()
        for more, target, left, right in steps:
            if more:
                torch.addmm(target, left, right, out=target)
            else:
                torch.mm(left, right, out=target)
        return c

    return run

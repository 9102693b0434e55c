"""Evidence of bench/python_linear.py as a table of Markdown.

    python3 bench/python_table.py docs/results/h200-python.jsonl

Rows: numbers of tokens. Columns: microseconds of an MLP in each way, under CUDA graphs, and how many times as long as the module the others take.
"""

import json
import sys

WAYS = {
    "module_us": "`SparseLinear`",
    "drop_in_us": "`F.linear`, drop-in",
    "dense_us": "dense",
    "pytorch_bsr_us": "PyTorch's BSR",
    "pytorch_tuned_us": "its Triton kernel, tuned",
    "torchao_us": "torchao",
    "torchao_drop_in_us": "torchao, drop-in",
}


def cell(row, way):
    took = row.get(way)
    if not isinstance(took, (int, float)):
        return "-"
    times = "" if way in ("module_us", "drop_in_us") else f" ({took / row['module_us']:.2f}x)"
    return f"{took:.1f}{times}"


def main():
    with open(sys.argv[1]) as file:
        rows = [row for row in map(json.loads, file) if "mlp" in row]
    print(f"| tokens | {' | '.join(WAYS.values())} |")
    print("|---" * (1 + len(WAYS)) + "|")
    for row in rows:
        print(f"| {row['mlp']} | {' | '.join(cell(row, way) for way in WAYS)} |")


if __name__ == "__main__":
    main()

"""The sparse matrices of workloads, as `gen problem` makes them, for programs that have Python alone."""

import array
import ast
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def integers(path):
    """The elements of a .npy file of 32-bit integers, whatever its shape."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError(f"{path} is no .npy file of version 1")
    begin = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:begin].decode("latin1"))
    if header["descr"] != "<i4":
        raise ValueError(f"{path} holds elements of {header['descr']}, not of <i4")
    found = array.array("i", data[begin:])
    if sys.byteorder == "big":
        found.byteswap()
    return list(found)


def structures_of(workloads, family="bsr-spmm"):
    """Row pointers and column indices, lists of int, by id of the workload."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["node", str(ROOT / "dist/cli.js"), "problem", family, *workloads, "--to", folder]
        command += ["--tensors", "row_ptr", "col_idx", "--json"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        found = {}
        for event in map(json.loads, done.stdout.splitlines()):
            if event.get("event") == "problem":
                files = {tensor["name"]: tensor["file"] for tensor in event["tensors"]}
                found[event["workload"]] = integers(files["row_ptr"]), integers(files["col_idx"])
    if missing := [id for id in workloads if id not in found]:
        sys.exit(f"`{' '.join(command)}` does not make {', '.join(missing)}")
    return found

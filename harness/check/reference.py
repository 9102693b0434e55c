"""Calls a Python function as the reference of a check: reads call.json and .npy files in a folder, writes the outputs there.

The function gets the kernel's inputs (NumPy arrays, whole-number sizes, scalars) by the names of its own parameters: floats in double
precision, or with `own` in the kernel's.
It returns the output, or a tuple or dict of the outputs.
"""
import importlib.util
import inspect
import json
import pathlib
import sys
import traceback


def matched(function, values: dict, call: dict) -> list:
    """Arguments by the names of the parameters, where `in_` is `in`; else by place, if there are as many input arrays, or inputs."""
    asked = list(inspect.signature(function).parameters)
    names = [name if name in values else name.rstrip("_") for name in asked]
    unknown = [name for name in names if name not in values]
    if unknown:
        inputs = [name for name in call["order"] if name in values]
        arrays = [name for name in inputs if hasattr(values[name], "shape")]
        by_place = [one for one in (arrays, inputs) if len(one) == len(asked)]
        if not by_place:
            sys.exit(f"{call['function']} asks for '{unknown[0]}'; there are: {', '.join(values)}")
        names = by_place[0]
    return [values[name] for name in names]


def in_memory(array, name: str, call: dict):
    """An output as it lies in memory: the dimensions of a tensor with strides in that order."""
    import numpy

    axes = call["axes"].get(name)
    ordered = array if axes is None else numpy.asarray(array).reshape(call["shapes"][name]).transpose(axes)
    return numpy.ascontiguousarray(ordered)


def save_mask(folder: pathlib.Path, array, name: str, call: dict) -> None:
    """Mask of an output, whose elements may hold anything where the description says so."""
    import numpy

    mask = numpy.ma.getmaskarray(array)
    if name in call["unspecified"]:
        if mask.all():
            sys.exit(f"{call['function']} masks every element of '{name}'")
        numpy.save(folder / f"mask-{name}.npy", in_memory(mask, name, call).astype(numpy.uint8))
    elif mask.any():
        sys.exit(f"{call['function']} masks elements of '{name}': say that it is unspecified: true")


def described(value) -> str:
    return f"{value.dtype}{list(value.shape)}" if hasattr(value, "shape") and value.shape else repr(value)


def main(folder: pathlib.Path) -> None:
    try:
        import numpy
    except ModuleNotFoundError:
        sys.exit("NumPy is missing: install it, or name a Python that has it with PYTHON")
    call = json.loads((folder / "call.json").read_text())
    values = {**call["sizes"], **call["values"]}
    for file in folder.glob("*.npy"):
        name, array = file.stem, numpy.load(file)
        # A symbol's shape is the declaration's: one row, or a matrix.
        shape = call["shapes"].get(name, [-1] if array.shape[0] == 1 else array.shape)
        is_array = name in call["fields"] and array.shape[1] > 1  # of a struct: its elements are the last dimension
        if axes := call["axes"].get(name):
            array = array.reshape([shape[axis] for axis in axes]).transpose(numpy.argsort(axes))
        else:
            array = array.reshape([*shape, array.shape[1]] if is_array else shape)
        values[name] = array.astype(numpy.float64) if array.dtype.kind == "f" and not call["own"] else array
    # A field of a struct, `p.mass`, goes by its last name too.
    values = {**{name.rsplit(".")[-1]: value for name, value in values.items()}, **values}
    sys.path.insert(0, str(pathlib.Path(call["file"]).parent))
    spec = importlib.util.spec_from_file_location("reference", call["file"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, call["function"])
    arguments = matched(function, values, call)
    try:
        result = function(*arguments)
    except Exception as error:
        own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == call["file"]]
        place = f"{pathlib.Path(call['file']).name}:{own[-1]}: " if own else ""
        given = ", ".join(map(described, arguments))
        text = " ".join(str(error).split())
        sys.exit(f"{place}{type(error).__name__}: {text}; {call['function']} was given {given}")
    outputs = call["outputs"]
    if not isinstance(result, dict):
        result = dict(zip(outputs, result if isinstance(result, tuple) else (result,)))
    for name in outputs:
        given = result.get(name, result.get(name.rsplit(".")[-1]))
        if given is not None:
            save_mask(folder, given, name, call)
            numpy.save(folder / f"out-{name}.npy", in_memory(given, name, call))
        elif name not in call["fields"]:
            sys.exit(f"{call['function']} gives no '{name}'")


main(pathlib.Path(sys.argv[1]))

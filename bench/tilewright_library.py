"""The emitted library through its C interface, by ctypes; of operations, tilewright/bsr_spmm.h. Needs nothing beside Python."""

import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p

TYPE_F16 = 0
LAYOUT_ROW, LAYOUT_COLUMN = 0, 1


class Problem(ctypes.Structure):
    """tw_bsr_spmm_problem."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("block", c_int64),
        ("blocks", c_int64),
        ("batch", c_int64),
        ("input", c_int),
        ("output", c_int),
        ("index", c_int),
        ("layout_b", c_int),
        ("layout_c", c_int),
        ("transpose_a", c_int32),
        ("bias", c_int32),
        ("activation", c_int),
        ("residual", c_int32),
        ("tf32", c_int32),
        ("values_stride", c_int64),
        ("ldb", c_int64),
        ("b_stride", c_int64),
        ("ldr", c_int64),
        ("residual_stride", c_int64),
        ("ldc", c_int64),
        ("c_stride", c_int64),
        ("host_row_ptr", POINTER(c_int32)),
        ("host_col_idx", POINTER(c_int32)),
        ("reads_c", c_int32),
    ]


class Operands(ctypes.Structure):
    """tw_bsr_spmm_operands."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("row_ptr", c_void_p),
        ("col_idx", c_void_p),
        ("values", c_void_p),
        ("b", c_void_p),
        ("bias", c_void_p),
        ("residual", c_void_p),
        ("c", c_void_p),
        ("alpha", c_float),
        ("beta", c_float),
    ]


class LibraryError(Exception):
    """A call that failed, with what the library says of it."""


class Library:
    """A built libtilewright.so, or libtilewright_emulated.so, which has the same interface on host pointers."""

    def __init__(self, path, operation="bsr_spmm"):
        self.c = ctypes.CDLL(str(path))
        self.c.tw_last_error.restype = self.c.tw_manifest.restype = self.c.tw_target.restype = c_char_p
        function = lambda name: getattr(self.c, f"tw_{operation}_{name}")
        function("workspace_bytes").restype = c_size_t
        function("workspace_bytes").argtypes = [c_void_p]
        function("plan_variant").restype = c_char_p
        function("plan_variant").argtypes = [c_void_p]
        function("plan_create").argtypes = [c_void_p, POINTER(c_void_p)]
        function("plan_destroy").argtypes = [c_void_p]
        function("plan_destroy").restype = None
        function("prepare").argtypes = [c_void_p, c_void_p, c_size_t, c_void_p]
        function("run").argtypes = [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]

    def check(self, status, what):
        if status != 0:
            raise LibraryError(f"{what}: status {status}, {self.c.tw_last_error().decode()}")

    def manifest(self):
        """JSON text."""
        return self.c.tw_manifest().decode()

    def target(self):
        return self.c.tw_target().decode()


class Plan:
    """
    A product C = A B of f16 matrices, planned. `row_ptr` and `columns`: lists of int, A's structure in blocks. `layout`: of B and C.
    """

    def __init__(self, library, m, n, k, block, row_ptr, columns, layout=LAYOUT_ROW):
        self.library = library
        rows, cols = (c_int32 * len(row_ptr))(*row_ptr), (c_int32 * max(1, len(columns)))(*columns)
        problem = Problem(struct_size=ctypes.sizeof(Problem), m=m, n=n, k=k, block=block, blocks=len(columns))
        problem.input = problem.output = TYPE_F16
        problem.layout_b = problem.layout_c = layout
        problem.host_row_ptr, problem.host_col_idx = rows, cols
        self.handle = c_void_p()
        library.check(library.c.tw_bsr_spmm_plan_create(byref(problem), byref(self.handle)), "plan")
        self.workspace_bytes = library.c.tw_bsr_spmm_workspace_bytes(self.handle)
        self.variant = library.c.tw_bsr_spmm_plan_variant(self.handle).decode()

    def prepare(self, workspace, stream):
        """Fills the workspace; addresses as int, 0 for none."""
        status = self.library.c.tw_bsr_spmm_prepare(self.handle, workspace, self.workspace_bytes, stream)
        self.library.check(status, "prepare")

    def run(self, row_ptr, col_idx, values, b, c, workspace, stream):
        """Enqueues C = A B; addresses as int."""
        operands = Operands(ctypes.sizeof(Operands), row_ptr, col_idx, values, b, c=c, alpha=1.0)
        status = self.library.c.tw_bsr_spmm_run(self.handle, byref(operands), workspace, self.workspace_bytes, stream)
        self.library.check(status, "run")

    def close(self):
        self.library.c.tw_bsr_spmm_plan_destroy(self.handle)


def cuda_home(folder):
    """Folder of the toolkit: CUDA_HOME, or that of the toolkit with which the generator compiled."""
    text = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    hint = re.search(r'set\(TILEWRIGHT_CUDA_HINT "(.*)"\)', text)
    places = [os.environ.get("CUDA_HOME"), hint and hint.group(1), "/usr/local/cuda"]
    for place in [pathlib.Path(one) for one in places if one]:
        for lib in (place / "lib64", place / "lib", place / "targets/x86_64-linux/lib"):
            if (lib / "libcudart_static.a").exists():
                return place, lib
    raise SystemExit(f"no libcudart_static.a in {', '.join(str(one) for one in places if one)}: set CUDA_HOME")


def build(folder, output, operation="bsr_spmm"):
    """
    Compiles one operation of an emitted library's CUDA half with g++ alone, for hosts without CMake. `folder`: `generated/library`. Its flags are
    those of the library's own CMakeLists.txt.
    """
    folder, output = pathlib.Path(folder).resolve(), pathlib.Path(output).resolve()
    home, lib = cuda_home(folder)
    sources_of = f"src/operations/{operation}"
    # operation.cpp includes the operation's other sources.
    parts = [*folder.glob("src/*.cpp"), *folder.glob("src/tuner/*.cpp"), *folder.glob("src/cuda/*.cpp"), folder / sources_of / "operation.cpp"]
    sources = [*sorted(str(one.relative_to(folder)) for one in parts), "src/manifest.S", "src/cuda/kernels.S"]
    includes = ["include", "src", sources_of, "device"]
    compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread"]
    flags = [*[f"-I{name}" for name in includes], "-isystem", str(home / "include"), f"-Wa,-I{folder}"]

    def run(*command):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"the library in {folder} does not build:\n$ {' '.join(command)}\n{done.stderr[-3000:]}")

    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [f"{place}/{index}.o" for index in range(len(sources))]
        list(pool.map(lambda source, made: run(*compiler, *flags, "-c", source, "-o", made), sources, objects))
        libraries = ["-Wl,--version-script=cmake/exports.map", f"-L{lib}", "-lcudart_static", "-ldl", "-lrt"]
        run(*compiler, "-shared", "-o", str(output), *objects, *libraries)
    return output

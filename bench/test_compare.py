"""Tests of what bench/compare.py does without a GPU. Run: python3 -m unittest discover -s bench"""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import compare
import cusparse
import matrices
from tilewright_library import LibraryError, Operands, Problem

ROOT = pathlib.Path(__file__).resolve().parent.parent
TORCH = ("torch", "torch.sparse", "torch.sparse._triton_ops")
with unittest.mock.patch.dict(sys.modules, {name: unittest.mock.MagicMock() for name in TORCH}):
    import triton_bsr  # what is tested of it needs no torch


class Matrices(unittest.TestCase):
    def written(self, descr, data):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (1, 3), }}".ljust(117) + "\n"
        with tempfile.NamedTemporaryFile(delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)
        return file.name

    def test_reads_what_numpy_writes(self):
        data = b"".join(value.to_bytes(4, "little", signed=True) for value in (0, -2, 70000))
        self.assertEqual(matrices.integers(self.written("<i4", data)), [0, -2, 70000])

    def test_refuses_other_elements(self):
        with self.assertRaisesRegex(ValueError, "elements of <f4, not of <i4"):
            matrices.integers(self.written("<f4", bytes(12)))


class Libraries(unittest.TestCase):
    def test_others_of_ours_are_systems_of_their_own(self):
        options = compare.options_of(["--library", "a.so", "--beside", "narrow=b.so", "wide=c.so"])
        with unittest.mock.patch.object(compare, "Library", str):
            found = compare.libraries_of(options)
        self.assertEqual(found, {"tilewright": "a.so", "tilewright, narrow": "b.so", "tilewright, wide": "c.so"})
        with self.assertRaisesRegex(SystemExit, "LABEL=FOLDER, not 'b.so'"):
            compare.libraries_of(compare.options_of(["--library", "a.so", "--beside", "b.so"]))

    def test_one_beside_ours_that_does_not_serve_a_problem_is_left_out_there(self):
        def planned(library, row_ptr, columns):
            if library == "narrow":
                raise LibraryError("made for blocks of 64, not 32")
            return library

        comparison = compare.Comparison.__new__(compare.Comparison)
        comparison.id, comparison.planned = "4096.d12.b32", planned
        with unittest.mock.patch.object(compare, "say") as said:
            found = comparison.plans_of({"tilewright": "whole", "tilewright, a": "narrow", "tilewright, b": "wide"}, [], [])
        self.assertEqual(found, {"tilewright": "whole", "tilewright, b": "wide"})
        said.assert_called_once_with("4096.d12.b32: without tilewright, a: made for blocks of 64, not 32")
        with self.assertRaisesRegex(LibraryError, "blocks of 64"):
            comparison.plans_of({"tilewright": "narrow"}, [], [])

    def test_a_published_command_has_no_places(self):
        self.assertEqual(compare.without_place("/home/me/library"), "library")
        self.assertEqual(compare.without_place("narrow=/home/me/other"), "narrow=other")
        self.assertEqual(compare.without_place("generated/library"), "generated/library")


def rendered_headers():
    """bsr_spmm.h and patterns.h as a library has them."""
    script = """
    import { readFileSync } from 'node:fs';
    import { renderText } from './src/render/engine.ts';
    import { keyedContext, patternsOf } from './templates/bindings/c/keyed.ts';
    import { operationContext } from './templates/bindings/c/operation.ts';
    import { operation } from './templates/kernels/bsr-spmm/operation.ts';
    const patterns = patternsOf([{ signature: operation }]);
    const context = { ...keyedContext(operation), ...operationContext(operation), patterns };
    const rendered = (name) => {
      const file = `templates/bindings/c/include/tilewright/${name}.h.hbs`;
      return renderText(readFileSync(file, 'utf8'), context, file);
    };
    process.stdout.write(JSON.stringify({ bsr_spmm: rendered('operation'), patterns: rendered('patterns') }));
    """
    with tempfile.NamedTemporaryFile("w", suffix=".ts", dir=ROOT) as file:
        file.write(script)
        file.flush()
        command = ["node", "--import", "jiti/register", file.name]
        return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


class Interface(unittest.TestCase):
    def test_structs_lie_as_in_the_header(self):
        """Offsets of every member and the size, by the C compiler."""
        structs = {"tw_bsr_spmm_problem": Problem, "tw_bsr_spmm_operands": Operands}
        names = {struct: [name for name, _ in ours._fields_] for struct, ours in structs.items()}
        prints = "".join(
            "".join(f'printf("%zu ", offsetof({struct}, {name}));' for name in names[struct]) + f'printf("%zu ", sizeof({struct}));'
            for struct in structs
        )
        code = f"#include <stddef.h>\n#include <stdio.h>\n#include <tilewright/bsr_spmm.h>\nint main(void) {{ {prints} }}\n"
        headers = ROOT / "templates/bindings/c/include"
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "tilewright").mkdir()
            for header in (headers / "tilewright").glob("*.h"):
                (place / "tilewright" / header.name).write_text(header.read_text())
            (place / "tilewright/version.h").write_text("")  # made when a library is emitted; nothing of it is needed here
            for name, text in rendered_headers().items():
                (place / f"tilewright/{name}.h").write_text(text)
            (place / "main.c").write_text(code)
            compiler = os.environ.get("CC", "gcc")
            subprocess.run([compiler, f"-I{place}", "-o", place / "main", place / "main.c"], check=True, capture_output=True)
            said = subprocess.run([place / "main"], check=True, capture_output=True, text=True).stdout
        ours = [
            number
            for struct, own in structs.items()
            for number in [*(getattr(own, name).offset for name in names[struct]), ctypes.sizeof(own)]
        ]
        self.assertEqual([int(one) for one in said.split()], ours)


class CuSparse(unittest.TestCase):
    def test_blocked_ell_has_every_block_in_its_row(self):
        self.assertEqual(cusparse.places([0, 2, 2, 5]), ([0, 0, 2, 2, 2], [0, 1, 0, 1, 2], 3))
        self.assertEqual(cusparse.places([0, 0]), ([], [], 0))


class TritonSearch(unittest.TestCase):
    def test_a_grid_has_everything_once_and_what_won_first(self):
        space = triton_bsr.configurations(4096)
        self.assertEqual((len(space), len(set(space))), (96, 96))
        self.assertEqual(space[:4], [(256, 5, 2, 4), (256, 5, 2, 1), (128, 5, 4, 4), (128, 5, 4, 1)])
        self.assertEqual({tile for tile, *_ in triton_bsr.configurations(128)}, {64, 128})

    def test_narrow_products_are_padded_to_what_the_kernel_takes(self):
        self.assertEqual([triton_bsr.padded(n) for n in (1, 16, 17, 64, 65, 256)], [16, 16, 32, 64, 65, 256])
        for n, tiles in ((1, {16}), (17, {16, 32}), (40, {16}), (64, {64})):
            space = triton_bsr.configurations(n)
            self.assertEqual({tile for tile, *_ in space}, tiles)
            self.assertEqual(len(space), len(set(space)))
            self.assertTrue(all(triton_bsr.meta_of(n, one)["SPLIT_N"] * one[0] == triton_bsr.padded(n) for one in space))

    def test_any_beginning_of_a_grid_has_its_share_of_every_value(self):
        won = 2 * len(triton_bsr.WON)
        rest = triton_bsr.configurations(4096)[won:]
        for count in range(12, len(rest)):
            for place in range(4):
                for value in {one[place] for one in rest}:
                    whole, part = (sum(one[place] == value for one in some) for some in (rest, rest[:count]))
                    self.assertLess(abs(part - whole * count / len(rest)), 5, (count, place, value))

    def searched(self, seconds, *left_out):
        """Result and counts of a search in which a warp count of 8 does not run and fewer stages are faster."""
        problem = triton_bsr.TritonProblem.__new__(triton_bsr.TritonProblem)
        problem.n = 4096

        def brief(configuration, best):
            if configuration[2] == 8:
                raise RuntimeError("out of resource: registers")
            return float(configuration[1])

        problem.brief = brief
        found, counts = problem.search(seconds, *left_out)
        counts.pop("seconds")
        return found, counts

    def test_a_search_counts_what_cannot_run_and_what_was_late_apart(self):
        space = triton_bsr.configurations(4096)
        found, counts = self.searched(60)
        self.assertEqual(counts, {"ran": 64, "of": 96, "cannotRun": 32, "late": 0})
        self.assertEqual([stages for _, stages, _, _ in found], [2] * triton_bsr.FINALISTS)
        broken = {one for one in space if one[2] == 4 and one[0] == 512} | {(1, 2, 3, 4)}
        late = {one for one in space if one[1] == 2}
        found, counts = self.searched(60, broken, late)
        # Eight of 96 are broken, two of them with two stages; 24 have two stages, of which eight have 8 warps.
        self.assertEqual(counts, {"ran": 42, "of": 96, "cannotRun": 8 + 24, "late": 22})
        self.assertEqual([stages for _, stages, _, _ in found], [3] * triton_bsr.FINALISTS)

    def test_what_a_search_does_not_reach_is_late(self):
        broken = {(256, 5, 2, 4)}
        self.assertEqual(self.searched(-1, broken), ([], {"ran": 0, "of": 96, "cannotRun": 1, "late": 95}))

    def test_compiling_ahead_tells_errors_from_what_it_had_no_time_for(self):
        case, said, over = (32, 128, True, False), [], threading.Event()
        space = triton_bsr.configurations(128)

        def compiled(_, configuration):
            if configuration[0] == 64:
                return 1, "OutOfResources: shared memory"
            if configuration[3] == 1:
                over.wait()
            return 1, None

        pool = concurrent.futures.ThreadPoolExecutor(len(space))
        pool._processes = None
        with unittest.mock.patch.object(triton_bsr, "_compile", compiled):
            with unittest.mock.patch.object(concurrent.futures, "ProcessPoolExecutor", lambda *_, **__: pool):
                found = triton_bsr.compile_ahead([case], 1, 1, said.append)
        over.set()
        broken, late = found[case]
        self.assertEqual(broken, {one for one in space if one[0] == 64})
        self.assertEqual(late, {one for one in space if one[0] == 128 and one[3] == 1})
        self.assertIn("36 of 48 configurations in 1 s, 24 cannot run, 12 late", said[-1])


class CompiledAhead(unittest.TestCase):
    def test_what_is_known_of_configurations_is_read_as_it_was_written(self):
        known = {(64, 16, False, True): ({(16, 5, 2, 4)}, set()), (32, 256, True, True): (set(), {(256, 5, 2, 4), (64, 5, 2, 1)})}
        with tempfile.NamedTemporaryFile() as file:
            compare.store_left_out(file.name, known)
            self.assertEqual(compare.stored_left_out(file.name), known)

    def test_a_grid_can_be_restricted_to_the_best_prospects(self):
        self.assertEqual(triton_bsr.configurations(2048, 3), triton_bsr.configurations(2048)[:3])
        self.assertEqual(triton_bsr.configurations(1, 2), [(16, 5, 2, 4), (16, 5, 2, 1)])

    def test_compiling_alone_needs_a_file_and_timing_needs_a_library(self):
        self.assertTrue(compare.options_of(["--compile-only", "--compiled", "a.json"]).compile_only)
        for arguments in (["--compile-only"], []):
            with self.assertRaises(SystemExit), unittest.mock.patch("sys.stderr"):
                compare.options_of(arguments)


class Sustained(unittest.TestCase):
    def measured(self, replay, synchronize, query):
        """Result of `sustained` for a graph that is replayed once, with fakes of the GPU's events and of nvidia-smi."""
        self.comparison = compare.Comparison.__new__(compare.Comparison)
        self.comparison.options = types.SimpleNamespace(sustained=0.1)
        self.comparison.torch = unittest.mock.MagicMock()
        event = self.comparison.torch.cuda.Event.return_value
        event.elapsed_time.return_value, event.synchronize = 200.0, synchronize
        graph = types.SimpleNamespace(launches=100_000, microseconds=lambda: 1.0, graph=types.SimpleNamespace(replay=replay))
        with unittest.mock.patch.object(compare, "gpu_query", query):
            return self.comparison.sustained(graph)

    def test_clock_and_power_are_those_of_while_it_ran(self):
        answered = threading.Event()

        def query(names):
            answered.set()
            return dict(zip(names, ("1500", "690.5")))

        def wait():  # the query has returned a little after it said so
            self.assertTrue(answered.wait(20))
            time.sleep(0.2)

        whole = {"us": 2.0, "smClock": 1500.0, "watts": 690.5}
        self.assertEqual(self.measured(lambda: None, wait, query), whole)
        answered.clear()
        self.assertEqual(self.measured(wait, lambda: None, query), whole)

    def test_an_answer_that_comes_late_does_not_count(self):
        over = threading.Event()

        def query(names):
            over.wait(20)
            return dict(zip(names, ("345", "80")))

        timer = threading.Timer(0.3, over.set)
        self.assertEqual(self.measured(lambda: None, timer.start, query), {"us": 2.0})


class Figures(unittest.TestCase):
    def test_alternating_takes_turns_in_opposite_order_after_warming_up(self):
        seen = []

        class Graph:
            def __init__(self, name):
                self.name = name

            def microseconds(self):
                seen.append(self.name)
                return float(len(seen))

        times = compare.alternating([Graph("a"), Graph("b")], 2)
        self.assertEqual("".join(seen), "abba" "abba" "ab")
        self.assertEqual([len(one) for one in times], [2, 2])
        self.assertEqual(times[0], [8.0, 9.0])

    def test_summary_is_median_and_its_deviation(self):
        self.assertEqual(compare.summary([1, 2, 30]), {"medianUs": 2, "madUs": 1, "samples": 3})

    def test_lines_leave_out_what_is_wrong_and_give_ratios(self):
        record = {"medianUs": 10.0, "tflops": 100.0}
        lines = "\n".join(
            compare.lines_of(
                [
                    record | {"system": "tilewright", "correct": True},
                    record | {"system": "triton bsr_dense_addmm", "correct": False, "medianUs": 1.0},
                    record | {"system": "cublas dense", "medianUs": 20.0, "ownTflops": 800.0},
                ]
            )
        )
        self.assertIn("cublas dense: 20.0 us, 100.0 TFLOPS, 800 with all it multiplies, ours 2.000x", lines)
        self.assertNotIn("triton", lines)

    def test_a_library_says_which_workloads_it_was_not_tuned_for(self):
        manifest = {"policy": [{"workload": "4096.d12.b32"}, {"workload": "4096.d12.b64"}]}
        self.assertEqual(compare.not_timed(manifest, ["4096.d12.b64", "4096x128.d12.b64"]), ["4096x128.d12.b64"])
        self.assertEqual(compare.not_timed({"policy": []}, ["4096.d12.b64"]), ["4096.d12.b64"])

    def test_workloads_are_chosen_by_group_and_refused_by_name(self):
        known = {id: {"input": "f16", "output": "f16"} for id in [*compare.MAIN, "4096.d5.b32", "4096.d12.equal.b32", "2048.d12.b32"]}
        known["4096.d12.b32.bf16"] = {"input": "bf16", "output": "bf16"}
        self.assertEqual(list(compare.chosen_workloads(["main"], known)), compare.MAIN)
        self.assertEqual(list(compare.chosen_workloads(["shapes"], known)), ["4096.d5.b32"])
        layer = {"input": "f16", "output": "f16", "layoutB": "column", "layoutC": "column", "m": 64, "k": 64, "block": 32}
        known |= {"linear.b32": layer, "part.b32": layer | {"m": 60}, "grad.b32": layer | {"transposeA": "yes"}}
        known |= {"gelu.b32": layer | {"activation": "gelu-tanh"}, "mixed.b32": layer | {"layoutC": "row"}}
        self.assertEqual(list(compare.chosen_workloads(["linear"], known)), ["linear.b32"])
        for name in ("4096.d12.b32.bf16", "nothing", "part.b32", "grad.b32", "gelu.b32", "mixed.b32"):
            with self.assertRaisesRegex(SystemExit, name):
                compare.chosen_workloads([name], known)


if __name__ == "__main__":
    unittest.main()

"""PyTorch's own tests of products with sparse BSR tensors, by its own kernels and by this library's drop-in: what differs.

    python3 bench/pytorch_tests.py <PyTorch's source>/test/test_sparse_csr.py [--match REGEX] [--jobs 4] [--json file]

Takes the file from a checkout of PyTorch, at the tag of the PyTorch that is installed. Runs the matching tests twice, in processes side by side:
as they are, and with tilewright.torch.enable(). Tests that PyTorch runs in its job for the compiler alone are run without it. Prints outcomes, the tests whose outcome differs, and how many calls were taken.
Ends with 1 where a test passes with PyTorch's kernels and not with the library's. PyTorch's tests on the CPU are of float32 and wider. Of these
the drop-in takes float32, where the library has kernels that do not round it, and passes on the others: with these they show that nothing else changes.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

MATCH = r"test_\w*(mm|matmul|linear|mv)"


class Outcomes(unittest.TestResult):
    """Outcome by test: `passed`, `skipped`, or the first line of its failure."""

    def __init__(self):
        super().__init__()
        self.of = {}

    def addSuccess(self, test):
        self.of[test.id()] = "passed"

    def addSkip(self, test, reason):
        self.of[test.id()] = "skipped"

    def addExpectedFailure(self, test, error):
        self.of[test.id()] = "passed"

    def addFailure(self, test, error):
        self.of[test.id()] = first_line(error)

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.of[test.id()] = first_line(error)


def first_line(error):
    text = str(error[1]).strip().splitlines()
    return f"{error[0].__name__}: {text[0][:200] if text else ''}"


def tests_of(file):
    """All tests of a file, which is imported as PyTorch's runner would."""
    from torch.testing._internal import common_utils

    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    sys.argv = [file]
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(file))[0], file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # Asked when a file is read, to leave tests out, and when a test is run, to compile it.
    with mock.patch.object(common_utils, "TEST_WITH_TORCHINDUCTOR", True):
        spec.loader.exec_module(module)
    pending, found = [unittest.defaultTestLoader.loadTestsFromModule(module)], []
    while pending:
        one = pending.pop()
        pending.extend(one) if isinstance(one, unittest.TestSuite) else found.append(one)
    return sorted(found, key=lambda test: test.id())


def child(options):
    """Runs every so many of the matching tests, and writes what is known after each."""
    drop_in = None
    if options.child == "ours":
        import tilewright.torch

        drop_in = tilewright.torch.enable()
    part, jobs = map(int, options.part.split("/"))
    tests = [test for test in tests_of(options.file) if re.search(options.match, test.id())][part::jobs]
    outcomes, begun = Outcomes(), time.monotonic()
    outcomes.of = {test.id(): "not run" for test in tests}
    for test in [None, *tests]:
        if test is not None and time.monotonic() - begun < options.seconds:
            outcomes.of[test.id()] = "not finished"
            unittest.TestSuite([test]).run(outcomes)
        passed_on = {} if drop_in is None else dict(drop_in.passed_on)
        with open(f"{options.json}.part", "w") as file:
            json.dump({"outcomes": outcomes.of, "taken": drop_in.taken if drop_in else 0, "passed_on": passed_on}, file)
        os.replace(f"{options.json}.part", options.json)


def in_a_process(options, way, part):
    """Result of a process, which is ended a while after it may begin no more tests."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        own = ["--child", way, "--part", f"{part}/{options.jobs}", "--match", options.match, "--seconds", str(options.seconds)]
        argv = [sys.executable, __file__, options.file, *own, "--json", result]
        said = ""
        try:
            limit = options.seconds + options.grace
            said = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=limit).stderr
        except subprocess.TimeoutExpired:
            said = "it took too long to begin"
        if not os.path.exists(result):
            sys.exit(f"{options.file} could not be run ({way}):\n{said[-2000:]}")
        with open(result) as file:
            return json.load(file)


def together(results):
    """Several processes' results as one."""
    passed_on = sum((Counter(one["passed_on"]) for one in results), Counter())
    outcomes = {name: said for one in results for name, said in one["outcomes"].items()}
    return {"outcomes": outcomes, "taken": sum(one["taken"] for one in results), "passed_on": dict(passed_on.most_common(12))}


def counted(outcomes):
    kinds = Counter(one if one in ("passed", "skipped", "not run", "not finished") else "failed" for one in outcomes.values())
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no test matches"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="PyTorch's test/test_sparse_csr.py, or another of its test files")
    parser.add_argument("--match", default=MATCH, help="of the tests' names")
    parser.add_argument("--seconds", type=float, default=3600, help="no test is begun after that")
    parser.add_argument("--grace", type=float, default=600, help="seconds that the tests begun, and what precedes them, may take beyond that")
    parser.add_argument("--jobs", type=int, default=1, help="processes for each of the two runs")
    parser.add_argument("--json", help="file that gets outcomes and differences")
    parser.add_argument("--child", choices=("stock", "ours"), help=argparse.SUPPRESS)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    with ThreadPoolExecutor(2 * options.jobs) as pool:
        ways = [[pool.submit(in_a_process, options, way, part) for part in range(options.jobs)] for way in ("stock", "ours")]
        stock, ours = (together([one.result() for one in way]) for way in ways)
    before = stock["outcomes"]
    pairs = {name: [before.get(name, "not run"), now] for name, now in ours["outcomes"].items()}
    known = {name: pair for name, pair in pairs.items() if not {"not run", "not finished"} & {*pair}}
    differ = {name: pair for name, pair in known.items() if pair[0] != pair[1]}
    worse = [name for name, (was, _) in differ.items() if was == "passed"]
    print(f"PyTorch's kernels: {counted(before)}")
    print(f"with the drop-in: {counted(ours['outcomes'])}; {ours['taken']} calls taken")
    for reason, count in ours["passed_on"].items():
        print(f"  {count} passed on: {reason}")
    for name, (was, now) in sorted(differ.items()):
        print(f"{name}\n  PyTorch: {was}\n  drop-in: {now}")
    if not differ:
        print("no test differs")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"stock": counted(before), **ours, "outcomes": counted(ours["outcomes"]), "differ": differ, "tests": pairs}, file, indent=1)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

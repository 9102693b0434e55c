"""The gate of the command `validate` for CUDA source in a string: races, unwritten memory, wrong results; needs no GPU."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._errors import Error


@dataclass(frozen=True)
class Finding:
    """Verdict of the gate on one kernel."""

    kernel: str
    #: `passed`, or the name of what is wrong, e.g. `race` or `out-of-bounds`; `error` where the kernel cannot be checked.
    verdict: str
    message: str
    #: All numbers and places of the finding, as `validate --json` prints them.
    evidence: dict[str, Any]

    def __str__(self) -> str:
        advice = self.evidence.get("advice")
        return f"{self.kernel}: {self.verdict}: {self.message}" + (f"\n  {advice}" if advice else "")


@dataclass(frozen=True)
class Report:
    """Verdicts of the gate on a source. True if every kernel passed."""

    findings: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return bool(self.findings) and all(one.verdict == "passed" for one in self.findings)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))


def validate(
    source: str,
    *,
    description: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    kernel: str | None = None,
    against: str | Callable[..., Any] | None = None,
    include: Sequence[str | os.PathLike[str]] = (),
    command: str | None = None,
    timeout: float = 600,
) -> Report:
    """Checks the kernels of a CUDA source, as cupy.RawKernel and torch's load_inline take it, on the emulated device.

    Args:
        source: CUDA C++. The description of what the kernels are given may be in a comment of it.
        description: such a description, where the source has none: the YAML that `validate` reads beside a file, a dictionary of its
            words, or a list of them for several kernels.
        kernel: the one kernel to check; all of the source by default.
        against: the reference, e.g. `reference.c:function`; paths are relative to the working directory. Or a function of a Python
            file on NumPy arrays; that file is imported by another process of this interpreter, unless PYTHON names one.
        include: folders of the source's headers.
        command: how to start `validate`; default: TILEWRIGHT_VALIDATE, else `validate` on PATH. It needs Node and g++.
        timeout: seconds.

    Returns:
        A report, true where every kernel passed.

    Raises:
        FileNotFoundError: there is no such command.
        Error: it could not run; the text is its own.
        ValueError: the reference is a function, but of no file.
    """
    if _inside in os.environ:
        raise Error("a file with a reference calls validate where it is imported: put the call behind `if __name__ == '__main__':`")
    argv = _command(command)
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        file = Path(folder) / "source.cu"
        file.write_text(source)
        if description is not None:
            text = description if isinstance(description, str) else json.dumps(description)
            (Path(folder) / "source.yaml").write_text(text)
        argv += [str(file), *([kernel] if kernel else []), "--json"]
        if against is not None:
            argv += ["--against", _reference(against)]
        if include:
            argv += ["--include", *map(os.path.abspath, include)]
        environment = {"PYTHON": sys.executable, **os.environ, _inside: "1"}
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False, env=environment)
    findings = tuple(_finding(json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{"))
    if not findings:
        raise Error(done.stderr.strip() or f"{argv[0]} ended with {done.returncode} and said nothing")
    return Report(findings)


#: Set where a file of Python is imported for its reference.
_inside = "TILEWRIGHT_REFERENCE"


def _reference(against: str | Callable[..., Any]) -> str:
    if isinstance(against, str):
        path, colon, name = against.partition(":")
        return os.path.abspath(path) + colon + name
    name = against.__qualname__
    if not inspect.isfunction(against) or not name.isidentifier() or not os.path.exists(against.__code__.co_filename):
        raise ValueError(f"the reference {name} is no function at the top of a file, and cannot be called by another process")
    return f"{os.path.abspath(against.__code__.co_filename)}:{name}"


def _command(command: str | None) -> list[str]:
    said = command or os.environ.get("TILEWRIGHT_VALIDATE")
    if said:
        return shlex.split(said)
    found = shutil.which("validate")
    if found is None:
        raise FileNotFoundError(
            "there is no command `validate`: install the npm package tilewright, or name the command in TILEWRIGHT_VALIDATE"
        )
    return [found]


def _finding(event: dict[str, Any]) -> Finding:
    if event["event"] == "error":
        return Finding("", "error", event["message"], {})
    kernel = event["variant"].rpartition(":")[2]
    return Finding(kernel, event["verdict"], event["evidence"]["message"], event["evidence"])

"""Explanations of calls: dictionaries that print as text."""

from __future__ import annotations

from typing import Any

_origins = {
    "tuned": "the fastest of those measured",
    "cache": "measured before, on such a device",
    "wisdom": "the fastest on a workload like this one that the library's authors timed",
    "neighbour": "the fastest on the nearest workload that the library's authors timed",
    "heuristic": "a guess: nothing like this was timed, tune(...) measures",
    "fallback": "it takes every call: nothing faster is known to, tune(...) measures",
}


class Explanation(dict[str, Any]):
    """Kernel of a call (`variant`), its `origin`, `measured` times (pairs of kernel and microseconds, best first), `workspaceBytes` and `key`."""

    def __repr__(self) -> str:
        variant, origin = self["variant"], self["origin"]
        lines = [f"{variant}", f"  {origin}: {_origins.get(origin, '')}"]
        lines += [f"  {us:>10.1f} us  {name}{' (this one)' if name == variant else ''}" for name, us in self["measured"]]
        lines += [f"  workspace: {self['workspaceBytes']} bytes", f"  key: {self['key']}"]
        return "\n".join(lines)

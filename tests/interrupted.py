"""Commands that are interrupted: begun while the test goes on, the processes below them, and what they left where."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.harness import Simulator


def begin(simulator: Simulator, *arguments: str, out: IO[str] | None = None) -> subprocess.Popen[bytes]:
    """`pulumi ARGUMENTS` inside the simulator, in a session of its own, that goes on while the test does.

    Args:
        simulator: where.
        arguments: what follows `pulumi`.
        out: takes what it prints; None drops that.
    """
    return subprocess.Popen(
        simulator.command("exec", "--", "pulumi", *arguments),
        cwd=simulator.project,
        env=simulator.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if out is None else out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def in_the_cloud(simulator: Simulator) -> set[str]:
    """API names of what was made in the cloud, but for the network that every project has."""
    kinds = ("container.cluster", "container.nodePool", "compute.network", "compute.subnetwork", "compute.router")
    found = [each["apiName"] for kind in kinds for each in simulator.client.call("cloud.list", kind=kind)]
    return {name for name in found if not name.endswith("/default")}


def in_the_state(state: dict[str, Any]) -> set[str]:
    """Ids of the same kinds in a stack's exported state; they are the API names."""
    tokens = ("cluster:Cluster", "nodePool:NodePool", "network:Network", "subnetwork:Subnetwork", "router:Router")
    resources = state["deployment"].get("resources", [])
    return {each["id"] for each in resources if str(each["type"]).endswith(tokens) and "gcp:" in each["type"]}


def descendants(pid: int) -> list[int]:
    """Process ids of the children of `pid` and theirs."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(folder.name))
    found, todo = list[int](), [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def words_of(pid: int) -> str:
    """The command line of a process, nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""

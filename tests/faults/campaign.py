"""The small stack of the campaign, what may be done to it, and how everybody who knows is asked whether it is sound."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.kubeapi import Api, ApiError, KubeconfigError, UnreachableError
from components.kubeapi.documents import entries
from components.kubeapi.jobs import CLUSTER_QUEUES, LOCAL_QUEUES, NODES, WORKLOADS
from components.kubeapi.owners import JOBS, JOBSETS
from simulator.cloud.api import Kind
from tests.control_plane.life import assert_nothing_left
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.interrupted import begin, in_the_cloud, in_the_state, words_of
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from simulator.home import Home

SEED: Final = os.environ.get("SEED") or "1"
STACK: Final = "small"
UP: Final = ("up", "--yes", "--skip-preview", "--non-interactive", "--color=never", f"--stack={STACK}")
DESTROY: Final = ("destroy", *UP[1:])
LIMIT: Final = 300.0
"""Seconds within which a command ends, whatever happened to it."""
_PACE: Final = {"compute.network": 5, "container.cluster": 10, "container.nodePool": 10}
"""Simulated seconds, ten in a real one: long enough for a fault to come in the middle."""
_SHORT: Final = {"slices": 1, "script": "sleep 20"}
_ONE: Final = (
    a_platform().set("cluster", deletion_protection=False).set("tpu_slices", 0, slices=1).set("workloads", 0, **_SHORT)
)
_TWO: Final = _ONE.set("tpu_slices", 0, slices=2).add(
    "workloads", **{**a_platform().platform["workloads"][0], **_SHORT, "name": "again"}
)
FORMS: Final = ("one", "two")
"""What the stack file declares: one slice and one short JobSet, or two of each. A change is from one to the other."""
OTHER: Final = "other"
"""A stack of the same form in another project of the cloud."""
_TEXTS: Final = {
    form: yaml.safe_dump({"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: stack.platform}})
    for form, stack in zip(FORMS, (_ONE, _TWO), strict=True)
}
_LISTED: Final = {
    "namespaces": "/api/v1/namespaces",
    "nodes": NODES,
    "JobSets": JOBSETS,
    "Jobs": JOBS,
    "ClusterQueues": CLUSTER_QUEUES,
    "LocalQueues": LOCAL_QUEUES,
    "flavors": "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
    "priorities": "/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses",
    "Deployments": "/apis/apps/v1/deployments",
}
_NO_ANSWER: Final = (ApiError, FileNotFoundError, KubeconfigError, UnreachableError)
NAMES: Final = {
    "one": {"JobSets": ["train"], "nodes": 3, "done": 1},
    "two": {"JobSets": ["again", "train"], "nodes": 5, "done": 2},
}
"""What the API server holds of each form: JobSets, all of which end, and a node beside two hosts a slice."""


@dataclass
class Campaign:
    """The stack in a simulator of its own, and how long what is done to it takes while nothing disturbs it."""

    simulator: Simulator
    form: str = FORMS[0]
    """What the stack file declares."""
    took: dict[str, float] = field(default_factory=dict[str, float])
    """Real seconds by operation."""
    sound: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """What the API server and the cloud hold of each form, once it was brought up without a fault."""

    def declare(self, form: str) -> None:
        """Write the stack file."""
        self.form = form
        (self.simulator.project / f"Pulumi.{STACK}.yaml").write_text(_TEXTS[form])

    @property
    def other(self) -> str:
        """The form that the stack file does not declare."""
        return next(form for form in FORMS if form != self.form)

    def begin_anew(self) -> None:
        """Remove whatever is there, and bring the stack up undisturbed, in both forms."""
        self.simulator.run("down", "--delete")
        self.simulator.run("up")
        self.simulator.client.call("cloud.set_pace", pace=_PACE)
        for operation, form in (("up", FORMS[0]), ("change", FORMS[1])):
            self.declare(form)
            self.undisturbed(operation)
            self.sound[form] = self.assert_sound()

    def undisturbed(self, operation: str) -> None:
        """Do it, and note how long the engine takes."""
        shown = self.simulator.project / "shown"
        with shown.open("w") as out:
            engine = begin(self.simulator, *(DESTROY if operation == "destroy" else UP), out=out)
        await_start(engine)
        begun = time.monotonic()
        assert engine.wait(LIMIT) == 0, shown.read_text()
        self.took[operation] = time.monotonic() - begun

    def locks(self) -> list[Path]:
        """The locks that engines hold, or left, on the stack."""
        return list(self.simulator.home.backend.glob(f".pulumi/locks/organization/*/{STACK}/*.json"))

    def assert_sound(self) -> dict[str, Any]:
        """Everybody who knows says that the stack is as it is declared, and that there is nothing beside it.

        Returns:
            What the API server and the cloud hold.
        """
        simulator = self.simulator
        simulator.up(STACK, "--refresh", "--expect-no-changes")  # what was read back differs nowhere from the program
        (file,) = simulator.home.backend.glob(f".pulumi/stacks/*/{STACK}.json")
        state = {"deployment": json.loads(file.read_text())["checkpoint"]["latest"]}  # an export takes seconds
        assert state["deployment"].get("pending_operations", []) == []
        assert in_the_cloud(simulator) == in_the_state(state)
        wanted = NAMES[self.form]
        held = eventually(self._held, lambda held: wanted.items() <= held.items(), what=f"{wanted}", seconds=120)
        if self.form in self.sound:
            held = eventually(self._held, lambda held: held == self.sound[self.form], what=f"{self.sound[self.form]}")
        eventually(lambda: strangers(simulator), lambda found: not found, what="no process beside the simulator's own")
        return held

    def _held(self) -> dict[str, Any]:
        """The names of what the API server holds, but how many nodes; the Helm releases; what the cloud has of each."""
        try:
            return held_in(self.simulator.api()) | {
                str(kind): len(self.simulator.client.call("cloud.list", kind=str(kind))) for kind in Kind
            }
        except _NO_ANSWER as error:
            return {"error": str(error)}

    def end(self) -> None:
        """Destroy the stack and end the simulator: nothing is left of either, anywhere."""
        self.simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
        assert_nothing_left(self.simulator)
        self.simulator.run("down")
        assert_gone(self.simulator.home)


def held_in(api: Api) -> dict[str, Any]:
    """Names of what the API server holds, but how many nodes and Workloads; and the releases of Helm."""
    held: dict[str, Any] = {
        what: sorted(each["metadata"]["name"] for each in api.items(at)) for what, at in _LISTED.items()
    }
    secrets = api.items("/api/v1/secrets", {"labelSelector": "owner=helm"})
    labels = [each["metadata"]["labels"] for each in secrets]
    releases = Counter((label["name"], label["status"]) for label in labels if label["status"] != "superseded")
    return held | {
        "nodes": len(held["nodes"]),
        "Workloads": len(api.items(WORKLOADS)),
        "releases": dict(releases),
        "done": sum(_is_done(each) for each in api.items(JOBSETS)),
    }


def _is_done(jobset: dict[str, Any]) -> bool:
    conditions = entries(jobset.get("status", {}), "conditions")
    return any(each["type"] == "Completed" and each["status"] == "True" for each in conditions)


def small_stack(home: Home, folder: Path, *others: str) -> Campaign:
    """The campaign in that home, with its project in `folder`, where nothing is up yet; and stacks beside it."""
    first = _TEXTS[FORMS[0]]
    stacks = {STACK: first} | {name: first.replace(GCP_PROJECT, f"{GCP_PROJECT}-{name}") for name in others}
    return Campaign(Simulator(home, project_with(folder, stacks)))


def await_start(engine: subprocess.Popen[bytes]) -> None:
    """Return when the command has become the engine, or has ended."""
    is_engine = lambda: words_of(engine.pid).partition(" ")[0].endswith("pulumi")  # noqa: E731
    eventually(lambda: engine.poll() is not None or is_engine(), what="the engine runs")


def own_processes(simulator: Simulator) -> Iterator[int]:
    """The daemon, and what it says that it runs."""
    status = simulator.client.call("status")
    yield status["pid"]
    for cluster in status["clusters"]:
        yield from (each["pid"] for each in (*cluster["processes"], *cluster["pods"]) if each["pid"] is not None)


def strangers(simulator: Simulator) -> list[str]:
    """Processes of this simulator that its daemon does not know, each with its words."""
    own = set(own_processes(simulator))
    return [f"{pid}: {words}" for pid, words in processes_of(simulator.home) if pid not in own]


def processes_of(home: Home) -> list[tuple[int, str]]:
    """Every process whose words or environment name the folder: its id and its words."""
    mark, found = str(home.root).encode(), list[tuple[int, str]]()
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                words = words_of(int(folder.name))
                if words and (str(home.root) in words or mark in (folder / "environ").read_bytes()):
                    found.append((int(folder.name), words))
    return found


def assert_gone(home: Home) -> None:
    """No file, process or socket of that simulator."""
    assert not home.root.exists()
    eventually(lambda: processes_of(home), lambda found: not found, what="no process of the simulator")
    assert [line for line in Path("/proc/net/unix").read_text().splitlines() if str(home.root) in line] == []

"""The two training runs of the hotswap stacks as the API server shows them, and what is done to their slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, condition, entries, section
from components.kubeapi.jobs import (
    EVENTS,
    NODES,
    WORKLOADS,
    is_finished,
    job_of_pod,
    owner_name,
    pool_of,
)
from components.kubeapi.owners import JOBSETS, PODS
from components.model.facts import gke
from simulator.cloud.api import Kind
from tests.eventually import eventually
from tpu.watch.entries import preemptor

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.harness import Simulator

LOW: Final = "low-jax-trillium"
HIGH: Final = "high-jax-trillium"
_HOSTS: Final = 4
"""Hosts of a slice."""
_SLICES: Final = 2
"""Slices of a run."""
_PATIENCE: Final = 120.0
"""Seconds for what takes 15 on a quiet machine: a JobSet restarts in several rounds of two controllers."""
_NEVER: Final = "100000"


@dataclass(frozen=True)
class Loss:
    """The moment before a slice of the high run failed."""

    pool: str
    restarts: dict[str, int]
    """Of both runs."""
    preempted: frozenset[str]
    """Uids of the pods that the scheduler had preempted by then."""
    low: dict[str, str]
    """Node pool by uid of the low run's pods."""


class Training:
    """The runs on one cluster."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.api: Api = simulator.api()

    def jobset(self, run: str) -> Document:
        """The JobSet of a run."""
        return next(each for each in self.api.items(JOBSETS) if each["metadata"]["name"] == run)

    def workload(self, run: str) -> Document | None:
        """Kueue's Workload of a run."""
        return next((each for each in self.api.items(WORKLOADS) if owner_name(each) == run), None)

    def restarts(self, run: str) -> int:
        """How often JobSet has started a run again."""
        return int(section(self.jobset(run), "status").get("restarts") or 0)

    def has_completed(self, run: str) -> bool:
        """Whether a run has ended well."""
        return is_finished(self.jobset(run)) and condition(self.jobset(run), "Completed").get("status") == "True"

    def placed(self, run: str, *phases: str) -> dict[str, str]:
        """The node pool of each pod of a run in one of the phases, by uid."""
        pools = {node["metadata"]["name"]: pool_of(node) for node in self.api.items(NODES)}
        return {
            pod["metadata"]["uid"]: pools.get(pod["spec"]["nodeName"], "gone")
            for pod in self._pods(run)
            if section(pod, "status").get("phase") in phases
        }

    def pools(self, run: str, *phases: str) -> dict[str, set[str]]:
        """The node pools of each slice of a run whose hosts are all in one of the phases, by its index."""
        pools = self.placed(run, *phases)
        slices: dict[str, list[str]] = {}
        for pod in self._pods(run):
            if pod["metadata"]["uid"] in pools:
                index = pod["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"]
                slices.setdefault(index, []).append(pools[pod["metadata"]["uid"]])
        return {index: set(each) for index, each in slices.items() if len(each) == _HOSTS}

    def await_running(self, run: str) -> set[str]:
        """The node pools of a run, when every pod of it runs; each slice has one to itself."""

        def is_whole(slices: dict[str, set[str]]) -> bool:
            return len(slices) == _SLICES and len(set[str]().union(*slices.values())) == _SLICES

        found = eventually(lambda: self.pools(run, "Running"), is_whole, what=f"{run} runs", seconds=_PATIENCE)
        assert all(len(each) == 1 for each in found.values()), found
        return set[str]().union(*found.values())

    def unschedulable(self, run: str) -> list[str]:
        """What the scheduler says of the pods of a run for which it has no node."""
        told = [condition(pod, "PodScheduled") for pod in self._pods(run)]
        return [str(each["message"]) for each in told if each.get("reason") == "Unschedulable"]

    def preempted(self) -> dict[str, str]:
        """The pod that took the place of each pod that the scheduler has preempted: its name by the victim's uid."""
        events = self.api.items(EVENTS)
        return {
            event["involvedObject"]["uid"]: (preemptor(event, events) or ("unknown", ""))[0]
            for event in events
            if event["reason"] == "Preempted" and event["involvedObject"].get("kind") == "Pod"
        }

    def lose_a_slice_of_high(self) -> Loss:
        """Let all machines of one slice of the high run fail; nobody repairs them before `repair`."""
        self._simulator.run("times", "--repair", _NEVER)
        pool = min(self.await_running(HIGH))
        loss = Loss(
            pool,
            {run: self.restarts(run) for run in (LOW, HIGH)},
            frozenset(self.preempted()),
            self.placed(LOW, "Running"),
        )
        lost = self._simulator.run("lose", pool).out.splitlines()
        assert len(lost) == _HOSTS
        return loss

    def repair(self) -> None:
        """Let auto-repair make the failed machines anew now."""
        self._simulator.run("times", "--repair", "0")

    def assert_high_took_a_slice_of_low(self, loss: Loss) -> None:
        """High was started again, on a slice of low, whose pods the scheduler preempted for it."""
        eventually(lambda: self.restarts(HIGH) > loss.restarts[HIGH], what="high is started again", seconds=_PATIENCE)
        pools = self.await_running(HIGH)
        assert self.restarts(HIGH) == loss.restarts[HIGH] + 1
        assert loss.pool not in pools
        taken = pools & set(loss.low.values())
        assert len(taken) == 1
        victims = {uid: by for uid, by in self.preempted().items() if uid in loss.low and uid not in loss.preempted}
        assert victims
        assert {loss.low[uid] for uid in victims} == taken
        assert all(by.startswith(HIGH) for by in victims.values())

    def assert_low_waits(self, loss: Loss) -> None:
        """Low was started again by JobSet too, has not failed, and has no node for one of its slices."""
        eventually(lambda: self.restarts(LOW) > loss.restarts[LOW], what="low is started again", seconds=_PATIENCE)
        told = eventually(lambda: self.unschedulable(LOW), what="low waits for nodes", seconds=_PATIENCE)
        assert all(text.startswith("0/") for text in told)
        assert len(self.pools(LOW, "Running")) < _SLICES
        assert not is_finished(self.jobset(LOW))

    def assert_high_moved_to(self, spare: str, loss: Loss) -> None:
        """High was started again on the spare slice and the one it had left; nothing was preempted, low runs on."""

        def is_there(slices: dict[str, set[str]]) -> bool:
            return self.restarts(HIGH) > loss.restarts[HIGH] and len(slices) == _SLICES

        slices = eventually(
            lambda: self.pools(HIGH, "Running", "Succeeded"), is_there, what="high runs again", seconds=_PATIENCE
        )
        assert {spare} in slices.values()
        assert {loss.pool} not in slices.values()
        eventually(lambda: self.has_completed(HIGH), what="high completes", seconds=_PATIENCE)
        assert self.restarts(HIGH) == loss.restarts[HIGH] + 1
        assert frozenset(self.preempted()) == loss.preempted
        assert self.restarts(LOW) == loss.restarts[LOW]
        assert self.placed(LOW, "Running") == loss.low

    def assert_nodes_may_write(self, bucket: str) -> None:
        """The bucket exists, and the identity of every TPU node, which is that of the runs, may write to it."""
        listed = {kind: self._cloud(kind) for kind in (Kind.BUCKET, Kind.IAM_MEMBER, Kind.NODE_POOL)}
        assert [each["name"] for each in listed[Kind.BUCKET]] == [bucket]
        pools = [each for each in listed[Kind.NODE_POOL] if each["config"]["machineType"] == "ct6e-standard-4t"]
        identities = {f"serviceAccount:{each['config']['serviceAccount']}" for each in pools}
        assert len(identities) == 1
        members = [each for each in listed[Kind.IAM_MEMBER] if each["role"] == gke.ROLE_WRITE_BUCKET]
        assert {each["member"] for each in members} == identities
        assert all(bucket in each["apiName"] for each in members)
        assert all(section(each, "spec").get("hostNetwork") for run in (LOW, HIGH) for each in self._pods(run))

    def _cloud(self, kind: Kind) -> list[dict[str, Any]]:
        return self._simulator.client.call("cloud.list", kind=str(kind))

    def _pods(self, run: str) -> list[Document]:
        """The pods of a run that stay: those that are being deleted are left out."""
        pods = self.api.items(PODS)
        return [pod for pod in pods if job_of_pod(pod) == run and "deletionTimestamp" not in pod["metadata"]]


def asked_queue(jobset: Document) -> dict[str, str]:
    """What a JobSet and its pods tell Kueue: labels and annotations of Kueue's."""
    parts = [jobset]
    for replicated in entries(jobset, "spec", "replicatedJobs"):
        job = section(replicated, "template")
        parts += [job, section(job, "spec", "template")]
    told = [section(part, "metadata", kind) for part in parts for kind in ("labels", "annotations")]
    return {key: str(value) for each in told for key, value in each.items() if "kueue" in key}

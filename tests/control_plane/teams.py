"""Teams that share a quota: their stream of Jobs, what they hold, and the nodes that come for them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, is_true, section
from components.kubeapi.jobs import (
    NODES,
    WORKLOADS,
    is_finished,
    label,
    owner_label,
    seconds,
)
from components.kubeapi.owners import JOBS
from components.model.facts import gke
from components.model.facts.quantities import parse
from tests.control_plane.life import Life, follow
from tests.eventually import eventually

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.control_plane.admissions import Admissions
    from tests.harness import Simulator

QUOTA: Final = {"cpu": "10", "memory": "10Gi", gke.RESOURCE_GPU: "10", "ephemeral-storage": "10Gi"}
DECLARED: Final = {"team-a/sample-job-team-a", "team-b/sample-job-team-b"}
"""The Jobs of the stack file."""
_T4: Final = {"labelSelector": f"{gke.LABEL_GPU_ACCELERATOR}=nvidia-tesla-t4"}
_QUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/cluster-queue"


@dataclass(frozen=True)
class Teams:
    """A stack of two teams that is up, and every admission in it."""

    life: Life
    admissions: Admissions

    @property
    def simulator(self) -> Simulator:
        """Where it runs."""
        return self.life.simulator

    @property
    def api(self) -> Api:
        """Its API server."""
        return self.simulator.api()

    def command(self, module: str, *arguments: str) -> str:
        """What `python -m MODULE ARGUMENTS` prints about the stack."""
        return self.simulator.run("exec", "--", "python", "-m", module, *arguments, "--stack", self.life.stack).out

    def stream(self, *flags: str) -> list[str]:
        """The Jobs that a stream with these flags submits, as team/name, in order."""
        *submitted, summary = self.command("tpu.stream", *flags).splitlines()
        assert summary.startswith(f"submitted {len(submitted)} Job"), summary
        return [line.split()[0] for line in submitted]

    def settle(self) -> str:
        """Follow the work until nothing moves any more; what was printed."""
        return follow(self.simulator, self.life.stack).out

    def jobs(self) -> dict[str, Document]:
        """The Jobs that there are, as team/name."""
        return {label(job): job for job in self.api.items(JOBS) if label(job).startswith("team-")}

    def complete(self) -> set[str]:
        """The Jobs that have ended well; none must have failed."""
        ended = {name: job for name, job in self.jobs().items() if is_finished(job)}
        assert all(is_true(job, "Complete") for job in ended.values())
        return set(ended)

    def holding(self) -> set[str]:
        """The Jobs that hold quota now."""
        return {
            owner_label(each)
            for each in self.api.items(WORKLOADS)
            if section(each, "status", "admission") and not is_true(each, "Finished")
        }

    def counted(self) -> tuple[int, int, int]:
        """The Workloads that wait, that hold quota and that are admitted, as Kueue counts them in the queue."""
        status = section(self.api.get(_QUEUE), "status")
        pending, reserving, admitted = (
            int(status.get(f"{each}Workloads", 0)) for each in ("pending", "reserving", "admitted")
        )
        return pending, reserving, admitted

    def gpu_nodes(self) -> list[Document]:
        """The nodes with a T4."""
        return self.api.items(NODES, _T4)

    def remove(self, *jobs: str) -> None:
        """Delete Jobs, with their pods."""
        for job in jobs:
            namespace, _, name = job.partition("/")
            path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
            self.api.delete(path, {"propagationPolicy": "Background"})

    def assert_no_quota_was_exceeded(self) -> None:
        """At no moment did the jobs hold more of anything than the queue has; of GPUs they held nearly all."""
        peaks = self.admissions.peaks
        assert peaks.keys() >= QUOTA.keys()
        assert {name: peaks[name] for name, quota in QUOTA.items() if peaks[name] > parse(quota).milli} == {}
        assert self.admissions.peak() in (9, 10), "the GPUs were what the teams had to share"

    def assert_both_teams_went_on(self, jobs: list[str]) -> None:
        """All of the jobs were admitted, and jobs of both teams held quota at the same moment."""
        together = self.admissions.together()
        assert set(jobs) <= set[str]().union(*together)
        streamed = [{job.partition("/")[0] for job in state & set(jobs)} for state in together]
        assert {"team-a", "team-b"} in streamed

    def queue_behind_a_blocked_head(self) -> tuple[list[str], str, str]:
        """Three Jobs of team-a take nine GPUs, a fourth waits for three, and then team-b submits one of one GPU.

        Gives those that hold quota, the one that waits, and the one of team-b.
        """
        forever = ("--interval", "0", "--seconds", "100000")
        four = self.stream("--teams", "team-a=lq-team-a:3", "--count", "4", *forever)
        held = eventually(
            lambda: self.holding() & set(four), lambda found: len(found) == 3, what="three Jobs of team-a hold quota"
        )
        (head,) = set(four) - held
        eventually(lambda: self.counted() == (1, 3, 3), what="the fourth waits")
        # Kueue orders by the second of submission: within the same one, either could be the head.
        born = seconds(self.jobs()[head]["metadata"]["creationTimestamp"])
        eventually(lambda: time.time() >= born + 1, what="the next second begins")
        (behind,) = self.stream("--teams", "team-b=lq-team-b:1", "--count", "1", *forever)
        return sorted(held), head, behind

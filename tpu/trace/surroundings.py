"""What a record has of a Workload that the Workload does not say: its team, its ClusterQueue, the moment it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from components.kubeapi.jobs import LOCAL_QUEUES
from simulator.shown import shown_here
from tpu.trace.lines import SECOND
from tpu.trace.workloads import View

if TYPE_CHECKING:
    from components.kubeapi import Api

_NAMESPACES: Final = "/api/v1/namespaces"


class Surroundings:
    """The LocalQueues and namespaces of a cluster, and its clock.

    Args:
        api: the cluster.
        team_label: a label of Workloads or namespaces whose value is the team; None makes the namespace the team.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster cannot be read.
    """

    def __init__(self, api: Api, team_label: str | None) -> None:
        self._api, self._team_label = api, team_label
        self._teams: dict[str, str] = {}
        self._queues: dict[tuple[str, str], str] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the LocalQueues anew, and the namespaces when they are needed again."""
        self._teams.clear()
        self._queues = {
            (each["metadata"]["namespace"], each["metadata"]["name"]): str(section(each, "spec").get("clusterQueue"))
            for each in self._api.items(LOCAL_QUEUES)
        }

    def know(self, workload: Document) -> None:
        """Read the LocalQueues anew where that of a new Workload was not there a moment ago."""
        queue = (workload["metadata"]["namespace"], section(workload, "spec").get("queueName"))
        if queue not in self._queues:
            self.refresh()

    def view(self) -> View:
        """What there is now."""
        return View(
            team_of=self._team,
            cluster_queue_of=lambda namespace, name: self._queues.get((namespace, name)),
            shown=shown,
            now=now(),
        )

    def _team(self, workload: Document) -> str:
        namespace, label = str(workload["metadata"]["namespace"]), self._team_label
        if label is None:
            return namespace
        own = section(workload, "metadata", "labels").get(label)
        return str(own) if own else self._team_of_namespace(namespace, label)

    def _team_of_namespace(self, namespace: str, label: str) -> str:
        if namespace not in self._teams:
            found = self._api.find(f"{_NAMESPACES}/{namespace}")
            self._teams[namespace] = str(section(found, "metadata", "labels").get(label, namespace))
        return self._teams[namespace]


def now() -> int:
    """The moment of a record that it is, of a whole real second, as the API server writes moments."""
    return shown(int(time.time()) * SECOND)


def shown(real: int) -> int:
    """The moment of a record for a real one, both in milliseconds: another one where time is simulated."""
    return round(shown_here().at(real / SECOND) * SECOND)

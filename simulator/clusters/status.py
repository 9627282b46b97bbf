"""What a cluster says of itself in `tpu simulator status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.clusters.cluster import Cluster
    from simulator.clusters.supervisor import Incident


def cluster_status(cluster: Cluster, waiting: int) -> dict[str, Any]:
    """A cluster with its processes, host pods and incidents; `waiting` is how many commands wait for it. JSON."""
    supervisor = cluster.supervisor
    return {
        "name": cluster.spec.name,
        "folder": str(cluster.folder),
        "endpoint": cluster.settings.endpoint,
        "waiting": waiting,
        "processes": [
            {
                "name": process.name,
                "pid": supervisor.pid(process.name),
                "given_up": supervisor.is_given_up(process.name),
                "log": str(process.log),
            }
            for process in cluster.processes
        ],
        "pods": [
            {
                "namespace": pod.namespace,
                "name": pod.name,
                "program": pod.program,
                "pid": pod.pid,
                "restarts": pod.restarts,
                "log": str(pod.log.path),
            }
            for pod in cluster.pods.pods()
        ],
        "incidents": [_incident(incident) for incident in supervisor.incidents],
    }


def _incident(incident: Incident) -> dict[str, Any]:
    return {"time": incident.time, "text": str(incident)}

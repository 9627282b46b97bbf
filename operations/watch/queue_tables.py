"""What the queues hold and what nodes there are, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.facts import gke
from kubeapi.documents import condition, entries, is_true, section
from operations.watch.record import pool_of
from operations.watch.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubeapi.documents import Document
    from operations.watch.record import Record

_READY: Final = "Ready"
_COUNTS: Final = ("pendingWorkloads", "reservingWorkloads", "admittedWorkloads")


def queue_table(record: Record) -> Iterator[str]:
    """ClusterQueues: how many Workloads wait, hold quota and are admitted, and whether the queue takes any."""
    rows = [
        (
            queue["metadata"]["name"],
            str(section(queue, "spec").get("cohortName") or "-"),
            str(section(queue, "spec").get("queueingStrategy") or "-"),
            *(str(section(queue, "status").get(count) or 0) for count in _COUNTS),
            _queue_state(queue),
        )
        for queue in record.queues
    ]
    yield from table(("CLUSTER QUEUE", "COHORT", "STRATEGY", "PENDING", "RESERVING", "ADMITTED", "STATE"), rows)


def usage_table(record: Record) -> Iterator[str]:
    """Quota by ClusterQueue, flavor and resource: reserved, used by admitted Workloads, nominal, borrowed."""
    rows: list[tuple[str, ...]] = []
    for queue in record.queues:
        reserved, used = _amounts(queue, "flavorsReservation"), _amounts(queue, "flavorsUsage")
        for group in entries(queue, "spec", "resourceGroups"):
            for flavor in entries(group, "flavors"):
                for resource in entries(flavor, "resources"):
                    key = (flavor["name"], resource["name"])
                    held, taken = reserved.get(key, {}), used.get(key, {})
                    amounts = (held.get("total", 0), taken.get("total", 0), resource.get("nominalQuota", 0))
                    borrowed = held.get("borrowed", 0)
                    rows.append((queue["metadata"]["name"], *key, *map(str, amounts), str(borrowed)))
    yield from table(("CLUSTER QUEUE", "FLAVOR", "RESOURCE", "RESERVED", "USED", "QUOTA", "BORROWED"), rows)


def node_table(record: Record) -> Iterator[str]:
    """Nodes by pool: how many, how many of them Ready, the accelerator of each and its topology, the machine type."""
    pools: dict[str, list[Document]] = {}
    for node in record.nodes:
        pools.setdefault(pool_of(node), []).append(node)
    rows = [
        (
            pool,
            str(len(nodes)),
            str(sum(is_true(node, _READY) for node in nodes)),
            _accelerator(section(nodes[0], "metadata", "labels")),
            str(section(nodes[0], "metadata", "labels").get(gke.LABEL_INSTANCE_TYPE, "-")),
        )
        for pool, nodes in sorted(pools.items())
    ]
    yield from table(("NODE POOL", "NODES", "READY", "ACCELERATOR", "MACHINE"), rows)


def _queue_state(queue: Document) -> str:
    stop = section(queue, "spec").get("stopPolicy")
    if stop in ("Hold", "HoldAndDrain"):
        return "stopped, drains" if stop == "HoldAndDrain" else "stopped"
    active = condition(queue, "Active")
    return "active" if active.get("status") == "True" else f"inactive: {active.get('reason') or 'not looked at yet'}"


def _amounts(queue: Document, field: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Amounts of a field of the status, by flavor and resource."""
    return {
        (flavor["name"], resource["name"]): resource
        for flavor in entries(queue, "status", field)
        for resource in entries(flavor, "resources")
    }


def _accelerator(labels: Document) -> str:
    tpu = labels.get(gke.LABEL_TPU_ACCELERATOR)
    if tpu:
        return f"{tpu} {labels.get(gke.LABEL_TPU_TOPOLOGY, '')}".strip()
    return str(labels.get(gke.LABEL_GPU_ACCELERATOR, "-"))

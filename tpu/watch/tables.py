"""The workloads, pods and services as kubectl prints them, with the node pool added; the queues and the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import admitted_by, pool_of, seconds
from components.kubeapi.owners import pods_of_owner
from components.model.facts import gke
from components.pod_sets import pods_asked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpu.watch.record import Record


_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_AGES: Final = (
    ("s", 1, "", 1, 0, 2 * _MINUTE),
    ("m", _MINUTE, "s", 1, 10 * _MINUTE, 3 * _HOUR),
    ("h", _HOUR, "m", _MINUTE, 8 * _HOUR, 2 * _DAY),
    ("d", _DAY, "h", _HOUR, 8 * _DAY, 730 * _DAY),
)
"""Unit and its length, smaller unit and its length, from where on the smaller one is left out, and the next row."""


def workload_table(record: Record, now: float) -> Iterator[str]:
    """Kueue's Workloads: NAME, QUEUE, RESERVED IN, ADMITTED, FINISHED, AGE; `now` in seconds since the epoch."""
    rows = [
        (
            workload["metadata"]["name"],
            str(section(workload, "spec").get("queueName", "")),
            admitted_by(workload),
            "True" if is_true(workload, "Admitted") else "",
            "True" if is_true(workload, "Finished") else "",
            _age(record, workload, now),
        )
        for workload in record.workloads
    ]
    header = ("NAME", "QUEUE", "RESERVED IN", "ADMITTED", "FINISHED", "AGE")
    yield from _namespaced(record.workloads, header, rows)


def pod_table(record: Record, now: float, pods: Sequence[Document] | None = None) -> Iterator[str]:
    """Pods: NAME, READY, STATUS, RESTARTS, AGE, NODE POOL; `now` in seconds since the epoch, all pods unless given."""
    shown = record.pods if pods is None else pods
    rows: list[tuple[str, ...]] = []
    for pod in shown:
        statuses = entries(pod, "status", "containerStatuses")
        ready = sum(1 for status in statuses if status.get("ready"))
        node = str(section(pod, "spec").get("nodeName", ""))
        rows.append(
            (
                pod["metadata"]["name"],
                f"{ready}/{len(entries(pod, 'spec', 'containers'))}",
                _status(pod, statuses),
                str(sum(int(status.get("restartCount", 0)) for status in statuses)),
                _age(record, pod, now),
                record.node_pools.get(node, "-"),
            )
        )
    yield from _namespaced(shown, ("NAME", "READY", "STATUS", "RESTARTS", "AGE", "NODE POOL"), rows)


def service_table(record: Record, now: float) -> Iterator[str]:
    """What runs for ever: SERVICE, its pods that are READY of those that it asks for, AGE; `now` as before."""
    rows = [
        (
            service["metadata"]["name"],
            _ready(record, service),
            _age(record, service, now),
        )
        for service in record.services
    ]
    yield from _namespaced(record.services, ("SERVICE", "READY", "AGE"), rows)


def _ready(record: Record, service: Document) -> str:
    ready = sum(is_true(pod, "Ready") for pod in pods_of_owner(service, record.pods))
    return f"{ready}/{sum(pods.count for pods in pods_asked(service))}"


def _namespaced(
    documents: Sequence[Document], header: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> Iterator[str]:
    """A table with a column for the namespace when there is more to tell than one, as kubectl has with -A."""
    namespaces = [str(document["metadata"].get("namespace", "")) for document in documents]
    if len(set(namespaces)) > 1:
        rows = [(namespace, *row) for namespace, row in zip(namespaces, rows, strict=True)]
        header = ("NAMESPACE", *header)
    yield from table(header, rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows under a header, each column as wide as its longest cell."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        yield "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def age(seconds_: float) -> str:
    """A duration as kubectl writes it, in at most two units.

    Source: HumanDuration in k8s.io/apimachinery (pkg/util/duration), Kubernetes 1.34.

    >>> age(119), age(151), age(7200), age(5 * 3600 + 60), age(50 * 3600)
    ('119s', '2m31s', '120m', '5h1m', '2d2h')
    """
    whole = max(0, int(seconds_))
    for unit, length, part, part_length, first_without, first_of_next in _AGES:
        if whole < first_of_next:
            many, rest = divmod(whole, length)
            parts = rest // part_length if whole < first_without else 0
            return f"{many}{unit}{parts}{part}" if parts else f"{many}{unit}"
    return f"{whole // _DAY}d"


def _age(record: Record, document: Document, now: float) -> str:
    return age(record.lasted(seconds(document["metadata"]["creationTimestamp"]), now))


def _status(pod: Document, statuses: Sequence[Document]) -> str:
    if section(pod, "metadata").get("deletionTimestamp"):
        return "Terminating"
    for status in statuses:
        state = section(status, "state")
        reason = section(state, "waiting").get("reason") or section(state, "terminated").get("reason")
        if reason:
            return str(reason)
    return str(section(pod, "status").get("phase", "Unknown"))


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

"""Managed instance groups: the machines of a node pool in one zone, and the nodes that they register.

A group has a target size and a list of instances; `reconcile` brings the list to that size. Each step is recorded
before it is done, so that work which a crash interrupted is finished and not done twice. The machines of a multi-host
slice are made and removed as one gang. New machines of a flex-start pool wait in the queue before they are made, except
those of a resize request, which has waited already; a machine records its request. New machines of any kind are refused
while they are out of stock. A machine can be lost: it stays in the group, LOST, until it is removed or made anew.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any, ClassVar

from components.model.facts import gke
from simulator import nodes
from simulator.cloud.api import Body, Kind, Operation, invalid, refusal
from simulator.cloud.names import api_name, parts_of, self_link, short_name
from simulator.cloud.networks import find_subnetwork
from simulator.cloud.operations import moment_of
from simulator.cloud.pool_rules import gang_size_refusal
from simulator.cloud.ranges import AddressPool
from simulator.cloud.service import ComputeService, Request, merged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.cloud.clock import Clock
    from simulator.cloud.machines import Machines, Node
    from simulator.cloud.stock import Stock
    from simulator.cloud.store import Changes, Store, View

_LINK: str = self_link(Kind.INSTANCE_GROUP, "")
_STATUS_BY_ACTION = {"deleteInstances": "DELETING", "recreateInstances": "DELETING", "loseInstances": "LOST"}
"""The fields of an update that name instances, and the status that each of them begins with."""


def cluster_of(pool: str) -> str:
    """The API name of the cluster that a node pool belongs to."""
    return pool.partition("/nodePools/")[0]


def groups_of(body: Body) -> list[str]:
    """The API names of the instance groups of a node pool document."""
    return [url.removeprefix(_LINK) for url in body["instanceGroupUrls"]]


class Groups(ComputeService):
    """Instance groups of node pools. They are made and removed by their pool; a caller may resize them."""

    kind: ClassVar[Kind] = Kind.INSTANCE_GROUP
    is_instant: ClassVar[bool] = False
    mutable: ClassVar[frozenset[str]] = frozenset(("targetSize", "resizeRequest", *_STATUS_BY_ACTION))

    def __init__(self, *, store: Store, machines: Machines, clock: Clock, seed: str, stock: Stock) -> None:
        """`seed` decides the names of machines, `stock` says which are out of stock."""
        super().__init__(clock)
        self._store = store
        self._machines = machines
        self._seed = seed
        self._stock = stock
        self._addresses: dict[tuple[str, str], AddressPool] = {}
        self._turns: dict[str, threading.Lock] = {}

    def admit_create(self, request: Request) -> Body:
        """Refused: a node pool makes its groups itself."""
        raise invalid(f"{request.name}: instance groups are made by their node pool only")

    def admit_delete(self, request: Request) -> Body:
        """Refused: a node pool removes its groups itself."""
        raise invalid(f"{request.name}: instance groups are removed by their node pool only")

    def admit_update(self, request: Request) -> Body:
        """Another size, or the end, the loss or the renewal of some machines.

        `resizeRequest` is the request that a size grows for: its `name`, and `runSeconds` that its machines live, or
        None.
        """
        wishes: dict[str, str] = {
            name: status for field, status in _STATUS_BY_ACTION.items() for name in request.body.get(field, [])
        }
        unknown = sorted(wishes.keys() - {instance["name"] for instance in request.current["instances"]})
        if unknown:
            raise invalid(f"Instances {', '.join(unknown)} are not managed by {request.name}.")
        leaving = len(request.body.get("deleteInstances", []))
        size = request.body.get("targetSize", request.current["targetSize"] - leaving)
        document = self.resized(request.current, size)
        now = self._clock.now()
        instances = [
            {**instance, "status": wishes[instance["name"]], "since": now} if instance["name"] in wishes else instance
            for instance in document["instances"]
        ]
        is_same_size = size == request.current["targetSize"]
        asked_by = request.current.get("resizeRequest") if is_same_size else request.body.get("resizeRequest")
        return {**document, "instances": instances, "resizeRequest": asked_by}

    def begins(self, operation: Operation) -> float:
        """New machines of a flex-start pool queue first; a resize request waits outside, where it can be withdrawn."""
        with self._store.look() as view:
            record = view.get(operation["target"])
            pool = view.get(record["pool"]) if record else None
        if record is None or pool is None or not pool["config"].get("flexStart"):
            return 0.0
        if record.get("resizeRequest"):
            return 0.0
        is_growing = record["targetSize"] > len(_staying(record))
        return moment_of(operation) + self._stock.queue_seconds if is_growing else 0.0

    def run(self, operation: Operation) -> None:
        """Bring the machines to the new size."""
        self.reconcile(operation["target"])

    def open(self, changes: Changes, pool: str, body: Body, zone: str, gang: tuple[int | None, str | None]) -> str:
        """Record the group of a node pool in a zone, without machines; `gang` is its gang size and TPU topology.

        Returns:
            Its address, as the pool lists it.
        """
        name = api_name(
            Kind.INSTANCE_GROUP,
            project=parts_of(Kind.NODE_POOL, pool)["project"],
            zone=zone,
            name=nodes.group_name(pool, body, zone),
        )
        if changes.get(name) is None:
            document: Body = {
                "name": short_name(name),
                "zone": zone,
                "selfLink": self_link(Kind.INSTANCE_GROUP, name),
                "pool": pool,
                "targetSize": body["initialNodeCount"],
                "gangSize": gang[0],
                "topology": gang[1],
                "made": 0,
                "instances": [],
            }
            changes.put(Kind.INSTANCE_GROUP, name, document)
        return _LINK + name

    def resized(self, document: Body, size: int) -> Body:
        """The group's document with another target size.

        Raises:
            CloudError: INVALID_ARGUMENT: the machines are a gang of another size.
        """
        gang = document["gangSize"]
        if gang is not None and size not in (0, gang):
            raise invalid(gang_size_refusal(size, gang))
        return merged(document, {"targetSize": size})

    def forget(self, changes: Changes, groups: Iterable[str]) -> None:
        """Remove groups whose machines are gone."""
        for name in groups:
            record = changes.get(name)
            if record is not None:
                self._release(changes, record, record["instances"])
                changes.remove(name)

    def reconcile(self, name: str) -> None:
        """Make and remove machines until the group has its size and every machine is as its pool says.

        Raises:
            CloudError: there is no address left for a machine.
            MachinesError: the machine under the cloud could not do it.
        """
        with self._store.lock:
            turn = self._turns.setdefault(name, threading.Lock())
        with turn:  # a group may be resized while its pool changes
            self._reconcile(name)

    def _reconcile(self, name: str) -> None:
        with self._store.change() as changes:
            record = changes.get(name)
            if record is None:
                return
            pool, body = record["pool"], self._pool_body(changes, record)
            group = self._planned(changes, name, record, body)
            changes.put(self.kind, name, group)
        cluster = cluster_of(pool)
        leaving = [instance["name"] for instance in group["instances"] if instance["status"] == "DELETING"]
        staying = _staying(group)
        if leaving:
            self._machines.remove_nodes(cluster, leaving)
        lost = [instance["name"] for instance in staying if instance["status"] == "LOST"]
        if lost:
            self._machines.break_nodes(cluster, lost)
        changed = [one for one in staying if one["status"] == "RUNNING" and one["dress"] != _dress(body)]
        if changed:
            self._machines.update_nodes(cluster, self._documents(pool, body, group, changed))
        new = [instance for instance in staying if instance["status"] == "CREATING"]
        if new:
            self._machines.add_nodes(cluster, self._documents(pool, body, group, new))
        with self._store.change(is_step=True) as changes:
            self._release(changes, group, [one for one in group["instances"] if one["status"] == "DELETING"])
            now = self._clock.now()
            rested = [_rested(instance, _dress(body), now) for instance in staying]
            record = changes.get(name)
            if record is not None:  # its size may have changed meanwhile; the next turn applies that
                changes.put(self.kind, name, {**record, "instances": rested})

    def _planned(self, changes: Changes, name: str, group: Body, body: Body) -> Body:
        """The group's document with every machine marked that is to be made or removed."""
        config = {key: value for key, value in body["config"].items() if key not in gke.NODE_CONFIG_OF_LIVE_NODES}
        template = _digest(config, body["version"])
        kept: list[Body] = []
        leaving: list[Body] = []
        for instance in group["instances"]:
            stays = instance["status"] != "DELETING" and instance["template"] == template
            (kept if stays and len(kept) < group["targetSize"] else leaving).append(instance)
        made: int = group["made"]
        names = {instance["name"] for instance in group["instances"]}
        if group["targetSize"] > len(kept):
            self._stock.check(body, parts_of(Kind.NODE_POOL, group["pool"])["project"], group["zone"])
        addresses = self._take(changes, body, group["targetSize"] - len(kept))
        for address in addresses:
            while (fresh := nodes.instance_name(short_name(name), self._seed, made)) in names:
                made += 1
            made += 1
            names.add(fresh)
            kept.append(
                {
                    "name": fresh,
                    "address": address,
                    "status": "CREATING",
                    "since": self._clock.now(),
                    "template": template,
                    "dress": "",
                    "resizeRequest": group.get("resizeRequest"),
                }
            )
        gone = [{**instance, "status": "DELETING"} for instance in leaving]
        return {**group, "made": made, "instances": kept + gone}

    def _documents(self, pool: str, body: Body, group: Body, instances: list[Body]) -> list[Node]:
        return [nodes.node_document(pool, body, nodes.Instance.of(each, group)) for each in instances]

    def _pool_body(self, view: View, group: Body) -> Body:
        record = view.get(group["pool"])
        if record is None:
            raise refusal("NOT_FOUND", f"Not found: {group['pool']}.")
        return record

    def _address_pool(self, view: View, body: Body) -> AddressPool:
        reference = body["networkConfig"]["subnetwork"]
        parts = parts_of(Kind.SUBNETWORK, reference)
        name, subnetwork = find_subnetwork(view, reference, parts["project"], parts["region"])
        key = (name, subnetwork["ipCidrRange"])
        if key not in self._addresses:
            pools = dict(view.list(Kind.NODE_POOL))
            taken = [
                instance["address"]
                for _, group in view.list(Kind.INSTANCE_GROUP)
                if group["pool"] in pools and pools[group["pool"]]["networkConfig"]["subnetwork"] == reference
                for instance in group["instances"]
            ]
            self._addresses[key] = AddressPool(subnetwork["ipCidrRange"], taken)
        return self._addresses[key]

    def _take(self, view: View, body: Body, count: int) -> list[str]:
        if count <= 0:
            return []
        addresses = self._address_pool(view, body).take(count)
        if addresses is None:
            subnetwork = body["networkConfig"]["subnetwork"]
            raise refusal("RESOURCE_EXHAUSTED", f"Instance creation failed: IP space of '{subnetwork}' is exhausted.")
        return addresses

    def _release(self, view: View, group: Body, instances: list[Body]) -> None:
        record = view.get(group["pool"])
        if record is not None and instances:
            self._address_pool(view, record).release(instance["address"] for instance in instances)


def _staying(group: Body) -> list[Body]:
    return [instance for instance in group["instances"] if instance["status"] != "DELETING"]


def _rested(instance: Body, dress: str, now: float) -> Body:
    """The instance after its turn; `since` is when its present status began, in simulated seconds."""
    if instance["status"] == "CREATING":
        return {**instance, "status": "RUNNING", "since": now, "dress": dress}
    return {**instance, "dress": dress}


def _dress(body: Body) -> str:
    return _digest({key: body["config"].get(key) for key in gke.NODE_CONFIG_OF_LIVE_NODES})


def _digest(*values: Any) -> str:  # noqa: ANN401  any JSON value
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

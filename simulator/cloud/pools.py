"""Node pools of GKE clusters: PROVISIONING, RUNNING, RECONCILING, STOPPING, ERROR.

The machines of a pool are instance groups, one in each zone; a pool opens them, resizes them and waits for their nodes.
New labels or taints are set on the existing nodes; a change that needs other machines replaces all machines of a group
at once (a real pool replaces node by node, as its upgrade settings say).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud import gke_versions, locations, pool_rules
from simulator.cloud.api import Body, Kind, Operation, OperationError, invalid, refusal
from simulator.cloud.groups import Groups, cluster_of, groups_of
from simulator.cloud.names import parts_of
from simulator.cloud.pool_defaults import pool_document, with_all_taints
from simulator.cloud.pool_request import PoolRequest
from simulator.cloud.routing import find_policy
from simulator.cloud.service import Request, Service, at, merged, part
from simulator.cloud.stock import EXHAUSTED, STOCKOUT

if TYPE_CHECKING:
    from simulator.cloud.clock import Clock
    from simulator.cloud.store import Changes, Store, View

DEFAULT_POOL: Final = "default-pool"


class Pools(Service):
    """Node pools."""

    kind: ClassVar[Kind] = Kind.NODE_POOL
    is_instant: ClassVar[bool] = False
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("autoscaling", "config", "locations", "management", "networkConfig", "nodeCount", "upgradeSettings", "version")
    )

    def __init__(self, clock: Clock, store: Store, groups: Groups) -> None:
        """`groups` has the machines."""
        super().__init__(clock)
        self._store = store
        self._groups = groups

    def admit_create(self, request: Request) -> Body:
        """Refused as the API refuses a node pool; see `pool_rules`."""
        cluster = _cluster(request.changes, request.name)
        document = pool_document(parts_of(self.kind, request.name)["name"], request.body, cluster)
        document["version"] = gke_versions.control_plane_version(document["version"])
        self.judge(request.changes, request.name, document, cluster)
        return document

    def admit_update(self, request: Request) -> Body:
        """Checked like a new pool; the groups check another size."""
        cluster = _cluster(request.changes, request.name)
        patch = {key: value for key, value in request.body.items() if key != "nodeCount"}
        document = {**merged(request.current, patch), "status": "RECONCILING"}
        if "locations" in patch:
            document["locations"] = sorted(patch["locations"])
        document = with_all_taints(document)
        self.judge(request.changes, request.name, document, cluster)
        _check_machine_change(request.current, document)
        if "version" in patch:
            document["version"] = gke_versions.control_plane_version(patch["version"])
        if "nodeCount" in request.body:
            self._resize(request.changes, request.current, request.body["nodeCount"])
        return document

    def admit_delete(self, request: Request) -> Body:
        """A pool may always be deleted."""
        return {**request.current, "status": "STOPPING"}

    def judge(self, view: View, name: str, document: Body, cluster: Body) -> None:
        """Refuse a pool that the API would.

        Raises:
            CloudError: INVALID_ARGUMENT.
        """
        pool_rules.check(self._request(view, name, document, cluster), pool_rules.Stage.ADMISSION)
        region = locations.region_of(cluster["location"])
        for zone in document["locations"]:
            if zone not in locations.zones(region):
                raise invalid(f'Location "{zone}" is not a zone of region "{region}".')

    def run(self, operation: Operation) -> None:
        """Make the pool's machines match its document, or remove them."""
        if operation["verb"] == "delete":
            self._empty(operation["target"])
        else:
            self.provision(operation["target"])

    def settle(self, changes: Changes, operation: Operation, error: OperationError | None) -> None:
        """RUNNING, gone, or the state after a failed operation."""
        name = operation["target"]
        record = changes.get(name)
        if record is None:
            return
        if operation["verb"] == "delete" and error is None:
            self._groups.forget(changes, groups_of(record))
            changes.remove(name)
            return
        failed = "ERROR" if operation["verb"] == "create" else "RUNNING_WITH_ERROR"
        self.set_final_status(changes, name, error, failed)

    def set_final_status(
        self, changes: Changes, name: str, error: OperationError | None, failed: str = "ERROR"
    ) -> None:
        """Put the pool into the state that it stays in: RUNNING, or `failed` when there was an error."""
        record = changes.get(name)
        if record is None:
            return
        document = {key: value for key, value in record.items() if key not in ("statusMessage", "conditions")}
        document["status"] = "RUNNING" if error is None else failed
        if error is not None:
            document["statusMessage"] = error["message"]
            document["conditions"] = [_condition(error)]
        changes.put(self.kind, name, document)

    def provision(self, name: str) -> None:
        """Open a group in each of the pool's zones, close those of other zones, and bring all to their size.

        Raises:
            CloudError: Compute Engine refuses the machines.
            MachinesError: the machine under the cloud could not make them.
        """
        with self._store.look() as view:
            record = view.get(name)
            cluster = _cluster(view, name)
            if record is None:
                return
            wanted = self._request(view, name, record, cluster)
            pool_rules.check(wanted, pool_rules.Stage.PROVISIONING)
        with self._store.change(is_step=True) as changes:
            before = groups_of(record)
            gang = (wanted.gang_size, wanted.effective_topology)
            urls = [self._groups.open(changes, name, record, zone, gang) for zone in wanted.zones]
            body = {**record, "instanceGroupUrls": urls}
            closed = [group for group in before if group not in groups_of(body)]
            for group in closed:
                self._set_size(changes, group, 0)
            changes.put(self.kind, name, body)
        for group in [*closed, *groups_of(body)]:
            self._groups.reconcile(group)
        with self._store.change(is_step=True) as changes:
            self._groups.forget(changes, closed)

    def _empty(self, name: str) -> None:
        with self._store.change(is_step=True) as changes:
            record = changes.get(name)
            groups = groups_of(record) if record else []
            for group in groups:
                self._set_size(changes, group, 0)
        for group in groups:
            self._groups.reconcile(group)

    def _resize(self, changes: Changes, pool: Body, size: int) -> None:
        for group in groups_of(pool):
            self._set_size(changes, group, size)

    def _set_size(self, changes: Changes, group: str, size: int) -> None:
        record = changes.get(group)
        if record is not None:
            changes.put(Kind.INSTANCE_GROUP, group, self._groups.resized(record, size))

    def _request(self, view: View, name: str, document: Body, cluster: Body) -> PoolRequest:
        parts = parts_of(self.kind, name)
        region = locations.region_of(parts["location"])
        policy = at(document, "placementPolicy.policyName")
        return PoolRequest(
            name=parts["name"],
            body=document,
            is_autopilot=bool(at(cluster, "autopilot.enabled")),
            policy=find_policy(view, policy, parts["project"], region) if policy else None,
        )


def _condition(error: OperationError) -> Body:
    condition: Body = {"canonicalCode": error["status"], "message": error["message"]}
    return {"code": STOCKOUT, **condition} if error["message"].startswith(EXHAUSTED) else condition


def _cluster(view: View, pool: str) -> Body:
    name = cluster_of(pool)
    record = view.get(name)
    if record is None:
        raise refusal("NOT_FOUND", f"Not found: {name}.")
    return record


def _check_machine_change(current: Body, document: Body) -> None:
    before, after = part(current, "config")["machineType"], part(document, "config")["machineType"]
    if before != after and at(current, "placementPolicy.tpuTopology"):
        raise invalid(f"Machine type of a multi-host TPU slice node pool cannot be changed from {before} to {after}.")

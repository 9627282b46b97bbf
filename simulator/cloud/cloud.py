"""The simulated Google Cloud as one object: every service, one state file, one clock.

A call is dispatched to the service of its kind, checked and recorded under the lock, and its operation is launched. The
rules for every kind are here: names, `already exists`, `not found`, fields that cannot be updated, and the refusal to
start a second operation on something that is busy.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.cloud.access import EnabledServices, IamMembers, ServiceAccounts
from simulator.cloud.api import Body, Kind, Operation, invalid, refusal
from simulator.cloud.clusters import Clusters
from simulator.cloud.disks import Disks
from simulator.cloud.filestore import Filestore
from simulator.cloud.folders import Folders
from simulator.cloud.groups import Groups, cluster_of, groups_of
from simulator.cloud.lustre import Lustre
from simulator.cloud.mounts import Mounts
from simulator.cloud.names import kind_of, parts_of, short_name
from simulator.cloud.networks import Networks, Subnetworks
from simulator.cloud.operations import Operations
from simulator.cloud.peering import Connections, GlobalAddresses
from simulator.cloud.pools import Pools
from simulator.cloud.routing import Firewalls, ResourcePolicies, Routers
from simulator.cloud.secrets import Secrets, SecretVersions
from simulator.cloud.service import ComputeService, Request, Service
from simulator.cloud.stock import Stock
from simulator.cloud.storage import Buckets
from simulator.cloud.store import Store, View

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.cloud.clock import Clock
    from simulator.cloud.machines import Machines


@dataclass(frozen=True, slots=True)
class Survey:
    """A cluster's machines at one moment."""

    cluster: Body | None
    """Its document; None when there is no such cluster."""
    pools: list[tuple[str, Body]]
    """Names and documents of its node pools."""
    groups: dict[str, Body]
    """Documents of their instance groups by name."""
    busy: frozenset[str]
    """Names of all resources of the cloud that an operation is working on."""


class Cloud:
    """A `CloudApi` over a state file and the machines under it."""

    def __init__(
        self,
        *,
        state: Path,
        shares: Path,
        volumes: Path,
        machines: Machines,
        clock: Clock,
        seed: str = "",
        stock: Stock | None = None,
    ) -> None:
        """Open the cloud kept in the file `state`.

        `shares` is the folder with the files of Filestore instances, `volumes` that of other instances, disks and
        buckets. `seed` decides the names of machines, `stock` says which are out of stock.

        Raises:
            BrokenFileError: the file is not a state file.
        """
        self._store = Store(state)
        self._folders = Folders(volumes)
        groups = Groups(store=self._store, machines=machines, clock=clock, seed=seed, stock=stock or Stock())
        pools = Pools(clock, self._store, groups)
        self._filestore = Filestore(clock, self._store, Folders(shares))
        services: tuple[Service, ...] = (
            Clusters(store=self._store, clock=clock, machines=machines, groups=groups, pools=pools),
            pools,
            groups,
            Networks(clock),
            Subnetworks(clock),
            Routers(clock),
            Firewalls(clock),
            ResourcePolicies(clock),
            GlobalAddresses(clock),
            Connections(clock),
            self._filestore,
            Lustre(clock, self._folders),
            Disks(clock, self._folders),
            Secrets(clock),
            SecretVersions(clock),
            ServiceAccounts(clock),
            IamMembers(clock),
            EnabledServices(clock),
            Buckets(clock, self._folders),
        )
        self._services = {str(service.kind): service for service in services}
        self._operations = Operations(self._store, clock, self._service)

    def resume(self) -> None:
        """Resume the operations that were under way when the process last ended."""
        self._operations.resume()

    def close(self) -> None:
        """Let work that is under way end soon; the next `resume` takes it up again."""
        self._operations.close()

    def create(self, kind: str, name: str, body: Body) -> Operation:
        """Start to make the resource `name`."""
        service = self._service(kind)
        parts_of(service.kind, name)
        with self._store.change() as changes:
            if changes.get(name) is not None:
                raise refusal("ALREADY_EXISTS", service.already_exists(name))
            self._check_idle(changes, name)
            document = service.admit_create(Request(changes, name, copy.deepcopy(body), {}))
            changes.put(service.kind, name, document)
            operation = self._operations.open(changes, service.kind, "create", name)
        return self._launch(service, operation)

    def update(self, name: str, changes: Body) -> Operation:
        """Start to change the resource `name` by a merge patch."""
        fixed = sorted(set(changes) - self._named(name).mutable)
        if fixed:
            raise invalid(f"{name}: {', '.join(fixed)} cannot be changed after creation.")
        return self._alter(name, "update", copy.deepcopy(changes), lambda service: service.admit_update)

    def delete(self, name: str) -> Operation:
        """Start to delete the resource `name`."""
        return self._alter(name, "delete", {}, lambda service: service.admit_delete)

    def get(self, name: str) -> Body:
        """The resource as it is now."""
        with self._store.look() as view:
            return copy.deepcopy(self._existing(view, name))

    def list(self, kind: str, prefix: str = "") -> list[Body]:
        """Every resource of a kind, each with its name in `apiName`."""
        self._service(kind)
        with self._store.look() as view:
            return [{**copy.deepcopy(body), "apiName": name} for name, body in view.list(kind, prefix)]

    def share(self, cluster: str, server: str, path: str) -> Path | None:
        """The folder that nodes of a cluster (an API name) reach over NFS as `server:path`; None when there is none."""
        with self._store.look() as view:
            return self._filestore.find(view, cluster, server, path)

    def mounts(self, cluster: str) -> Mounts:
        """What the nodes and pods of a cluster (an API name) reach."""
        return Mounts(cluster, self, self._store, self._folders)

    def shares(self) -> list[dict[str, Any]]:
        """Every Filestore instance with its state, its source for a mount and its folder on this machine; JSON."""
        with self._store.look() as view:
            return self._filestore.listed(view)

    def volumes(self) -> list[dict[str, Any]]:
        """As `shares`, of Lustre instances, buckets and disks."""
        with self._store.look() as view:
            return [
                {
                    "name": name,
                    "state": body.get("state") or "READY",
                    "source": body.get("mountPoint") or (f"gs://{body['name']}" if kind is Kind.BUCKET else name),
                    "folder": str(self._folders.path(name)),
                }
                for kind in (Kind.LUSTRE, Kind.BUCKET, Kind.DISK)
                for name, body in view.list(kind)
            ]

    def survey(self, cluster: str) -> Survey:
        """Everything about a cluster's machines at one moment. The documents are the cloud's own: not to be changed."""
        with self._store.look() as view:
            pools = view.list(Kind.NODE_POOL, f"{cluster}/")
            names = [group for _, body in pools for group in groups_of(body)]
            groups = {name: found for name in names if (found := view.get(name)) is not None}
            return Survey(view.get(cluster), pools, groups, self._operations.busy_targets())

    def follow(self, listener: Callable[[Operation], None]) -> None:
        """Call `listener` with every operation that has ended from now on, in the operation's own thread."""
        self._operations.listeners.append(listener)

    def is_at_work(self) -> bool:
        """Whether an operation does anything but wait for a simulated moment."""
        return self._operations.is_at_work()

    def operation(self, name: str) -> Operation:
        """The operation as it is now."""
        return self._operations.get(name)

    def wait(self, operation: str, seconds: float) -> Operation:
        """The operation once it is DONE, or as it is after `seconds` of real time."""
        return self._operations.wait(operation, seconds)

    def set_pace(self, pace: dict[str, float]) -> dict[str, float]:
        """Set how long operations take in simulated seconds, by kind, and return all that is set.

        A kind that is not given keeps its pace; without one an operation takes as long as the real work under it.
        """
        for kind in pace:
            self._service(kind)
        with self._store.change() as changes:
            changes.set_pace(pace)
            return dict(self._store.pace)

    def _alter(
        self, name: str, verb: str, body: Body, admit: Callable[[Service], Callable[[Request], Body]]
    ) -> Operation:
        service = self._named(name)
        with self._store.change() as changes:
            current = self._existing(changes, name)
            self._check_idle(changes, name)
            document = admit(service)(Request(changes, name, body, current))
            changes.put(service.kind, name, document)
            operation = self._operations.open(changes, service.kind, verb, name)
        return self._launch(service, operation)

    def _launch(self, service: Service, operation: Operation) -> Operation:
        return self._operations.launch(operation, instant=service.is_instant).copy()

    def _service(self, kind: str) -> Service:
        service = self._services.get(kind)
        if service is None:
            raise invalid(f"{kind} is not a kind of resource: {', '.join(self._services)}.")
        return service

    def _named(self, name: str) -> Service:
        kind = kind_of(name)
        if kind is None:
            raise invalid(f"{name} is not the name of a resource.")
        return self._service(kind)

    def _existing(self, view: View, name: str) -> Body:
        record = view.get(name)
        if record is None:
            raise refusal("NOT_FOUND", self._named(name).not_found(name))
        return record

    def _check_idle(self, view: View, name: str) -> None:
        """Refuse while another operation works on the resource, on one that it is part of, or on a part of it.

        An instance group that is being resized blocks only itself: GKE's own calls go on beside the autoscaler.
        """
        own = _scope(view, name)
        busy = self._operations.busy(
            lambda target: (
                target in own or (kind_of(target) is not Kind.INSTANCE_GROUP and name in _scope(view, target))
            )
        )
        if busy is None:
            return
        if isinstance(self._service(busy["kind"]), ComputeService):
            raise refusal("FAILED_PRECONDITION", f"The resource '{busy['target']}' is not ready")
        operation = short_name(busy["name"])
        if busy["kind"] in (Kind.CLUSTER, Kind.NODE_POOL):
            raise refusal("FAILED_PRECONDITION", f"Cluster is running incompatible operation {operation}.")
        raise refusal("FAILED_PRECONDITION", f"{busy['target']} is busy with operation {operation}.")


def _scope(view: View, name: str) -> tuple[str, ...]:
    """The resource and those that it is part of."""
    match kind_of(name):
        case Kind.NODE_POOL:
            return name, cluster_of(name)
        case Kind.INSTANCE_GROUP:
            pool = (view.get(name) or {"pool": ""})["pool"]
            return name, pool, cluster_of(pool)
        case _:
            return (name,)

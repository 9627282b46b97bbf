"""GKE clusters: PROVISIONING, RUNNING, RECONCILING, STOPPING, ERROR. Each has a running control plane.

A Standard cluster is made with a default pool, as in GKE; a creator who does not want that pool removes it afterwards,
which costs the registration of a few simulated nodes. The creator of an Autopilot cluster makes no pools.

Source of the texts: answers of the GKE API as quoted in public issue reports, read 2026-11, except those about names
and authorized networks, which are ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from components.model.facts.gke import CLUSTER_NAME_LENGTH
from simulator.cloud import add_ons, gke_versions, locations, ranges
from simulator.cloud.api import Body, Kind, Operation, OperationError, invalid
from simulator.cloud.cluster_defaults import cluster_document, label_fingerprint
from simulator.cloud.groups import Groups, groups_of
from simulator.cloud.machines import ClusterSpec, Machines
from simulator.cloud.names import parts_of
from simulator.cloud.pool_defaults import pool_document
from simulator.cloud.pools import DEFAULT_POOL, Pools
from simulator.cloud.service import Request, Service, at, merged, part

if TYPE_CHECKING:
    from simulator.cloud.clock import Clock
    from simulator.cloud.store import Changes, Store

_NAME: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?")


class Clusters(Service):
    """Clusters."""

    kind: ClassVar[Kind] = Kind.CLUSTER
    is_instant: ClassVar[bool] = False
    mutable: ClassVar[frozenset[str]] = frozenset(
        (
            "addonsConfig", "autoscaling", "binaryAuthorization", "controlPlaneEndpointsConfig", "costManagementConfig",
            "desiredMasterVersion", "locations", "loggingConfig", "loggingService", "maintenancePolicy",
            "masterAuthorizedNetworksConfig", "monitoringConfig", "monitoringService", "networkConfig",
            "nodePoolAutoConfig", "privateClusterConfig", "releaseChannel", "resourceLabels", "secretManagerConfig",
            "securityPostureConfig", "shieldedNodes", "verticalPodAutoscaling", "workloadIdentityConfig",
        )
    )  # fmt: skip

    def __init__(self, *, store: Store, clock: Clock, machines: Machines, groups: Groups, pools: Pools) -> None:
        """`machines` runs control planes; `groups` and `pools` have the nodes."""
        super().__init__(clock)
        self._store = store
        self._machines = machines
        self._groups = groups
        self._pools = pools

    def admit_create(self, request: Request) -> Body:
        """Refused as the API refuses a cluster."""
        parts = parts_of(self.kind, request.name)
        _check_name(parts["name"])
        locations.check_location(parts["location"])
        is_autopilot = bool(at(request.body, "autopilot.enabled"))
        if is_autopilot and not locations.is_region(parts["location"]):
            raise invalid("Autopilot clusters must be regional clusters.")
        if not is_autopilot and request.body.get("initialNodeCount", 0) < 1:
            raise invalid("Cluster.initial_node_count must be greater than zero.")
        _check_authorized_networks(request.body)
        now = self.now()
        document = cluster_document(request.changes, request.name, request.body, now)
        add_ons.check(document)
        return document if is_autopilot else document | {"nodeConfig": self._admit_default_pool(request, document)}

    def admit_update(self, request: Request) -> Body:
        """Settings change in place; a version only goes up."""
        patch = dict(request.body)
        wanted = patch.pop("desiredMasterVersion", None)
        document: Body = {**merged(request.current, patch), "status": "RECONCILING"}
        _check_authorized_networks(document)
        if wanted is not None:
            version = gke_versions.control_plane_version(wanted)
            gke_versions.check_not_older(version, request.current["currentMasterVersion"])
            document["currentMasterVersion"] = version
        add_ons.check(document)
        document["labelFingerprint"] = label_fingerprint(document.get("resourceLabels", {}))
        return document

    def admit_delete(self, request: Request) -> Body:
        """A cluster may be deleted with all its pools; only the provider knows deletion protection."""
        return {**request.current, "status": "STOPPING"}

    def run(self, operation: Operation) -> None:
        """Start the control plane and make the default pool, or remove everything."""
        match operation["verb"]:
            case "create":
                self._start(operation["target"])
                self._install(operation["target"])
                self._pools.provision(_default_pool(operation["target"]))
            case "delete":
                self._machines.delete_cluster(operation["target"])
            case _:
                self._install(operation["target"])

    def settle(self, changes: Changes, operation: Operation, error: OperationError | None) -> None:
        """RUNNING, gone with its pools, or ERROR."""
        name = operation["target"]
        record = changes.get(name)
        if record is None:
            return
        if operation["verb"] == "delete" and error is None:
            for pool, body in changes.list(Kind.NODE_POOL, f"{name}/"):
                self._groups.forget(changes, groups_of(body))
                changes.remove(pool)
            changes.remove(name)
            return
        document = {key: value for key, value in record.items() if key != "statusMessage"}
        document["status"] = "RUNNING" if error is None else "ERROR"
        if error is not None:
            document["statusMessage"] = error["message"]
        changes.put(self.kind, name, document)
        if operation["verb"] == "create":
            self._pools.set_final_status(changes, _default_pool(name), error)

    def _admit_default_pool(self, request: Request, cluster: Body) -> Body:
        """Record the default pool; the cluster keeps the pool's settings as those of its creation."""
        name = _default_pool(request.name)
        body = {"config": part(request.body, "nodeConfig"), "initialNodeCount": request.body["initialNodeCount"]}
        document = pool_document(DEFAULT_POOL, body, cluster)
        self._pools.judge(request.changes, name, document, cluster)
        request.changes.put(Kind.NODE_POOL, name, document)
        return document["config"]

    def _install(self, name: str) -> None:
        """Bring what the add-ons that are on have in the API server."""
        with self._store.look() as view:
            record = view.get(name)
        if record is not None:
            self._machines.install(name, add_ons.enabled(record))

    def _start(self, name: str) -> None:
        with self._store.look() as view:
            body = view.get(name)
        if body is None:
            return
        endpoint = self._machines.start_cluster(
            ClusterSpec(
                name=name,
                is_autopilot=bool(at(body, "autopilot.enabled")),
                pod_range=body["clusterIpv4Cidr"],
                service_range=body["servicesIpv4Cidr"],
            )
        )
        known: Body = {"endpoint": endpoint.host, "masterAuth": {"clusterCaCertificate": endpoint.ca_certificate}}
        if at(body, "privateClusterConfig.enablePrivateNodes"):
            known["privateClusterConfig"] = {"privateEndpoint": endpoint.host, "publicEndpoint": endpoint.host}
        with self._store.change() as changes:
            changes.put(self.kind, name, merged(body, known))


def _default_pool(cluster: str) -> str:
    return f"{cluster}/nodePools/{DEFAULT_POOL}"


def _check_name(name: str) -> None:
    if _NAME.fullmatch(name) is None or len(name) > CLUSTER_NAME_LENGTH:
        raise invalid(
            f'Invalid value for field "cluster.name": "{name}" (lower case letters, digits and hyphens, a letter '
            f"first, no hyphen last, at most {CLUSTER_NAME_LENGTH} characters)."
        )


def _check_authorized_networks(body: Body) -> None:
    for index, block in enumerate(part(body, "masterAuthorizedNetworksConfig").get("cidrBlocks", [])):
        ranges.network(block["cidrBlock"], f"cluster.master_authorized_networks_config.cidr_blocks[{index}].cidr_block")

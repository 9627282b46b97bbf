"""The provisioner of `pd.csi.storage.gke.io`: a disk and a PersistentVolume for each claim of one of its classes.

It acts on the annotations with which Kubernetes hands a claim to a provisioner: which one, and for a class that waits
for the first pod, which node the pod gets. A volume whose claim is gone goes with its disk, unless it is retained.

Source: kubernetes-csi/external-provisioner (names, annotations, texts) and the parameters of
kubernetes-sigs/gcp-compute-persistent-disk-csi-driver, read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke
from components.model.facts.quantities import thousandths
from simulator.cloud.api import CloudError
from simulator.cloud.disks import DEFAULT_TYPE
from simulator.pods.csi import disks
from simulator.pods.csi.request import code_of
from simulator.pods.events import warn
from simulator.pods.watching import Watcher

if TYPE_CHECKING:
    from simulator.pods.host import Host

PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
TOPOLOGY: Final = "topology.gke.io/zone"
_CLASSES: Final = "/apis/storage.k8s.io/v1/storageclasses"
_CLAIMS: Final = "/api/v1/persistentvolumeclaims"
_VOLUMES: Final = "/api/v1/persistentvolumes"
_WAITS: Final = "WaitForFirstConsumer"
_GIB: Final = 1024**3
_FIELDS: Final = {
    "provisioned-iops-on-create": "provisionedIops",
    "provisioned-throughput-on-create": "provisionedThroughput",
}
_ACCESS: Final = {"ReadOnlyMany": "READ_ONLY_MANY", "ReadWriteMany": "READ_WRITE_MANY"}
"""The access mode of a disk by that of its claim; any other is that of one writer."""


class ProvisioningError(Exception):
    """A claim cannot be given a volume; the text says why."""


class Provisioner(Watcher):
    """Provisions the claims of one cluster, between `start` and `stop`."""

    def __init__(self, host: Host) -> None:
        """`host` has the API server and what the cluster reaches in the cloud."""
        super().__init__("provisioner", host.informers)
        self._api = host.api
        self._storage = host.storage
        self._failed: dict[str, str] = {}
        """Why claims wait, by uid."""
        self._claims = self.listed(_CLAIMS)
        self._volumes = self.listed(_VOLUMES)

    def turn(self) -> None:
        """Look once."""
        self.rest(soon=self.look())

    def look(self) -> bool:
        """Provision the claims that ask for it, remove the volumes whose claim is gone; returns whether one failed.

        Raises:
            ApiError, UnreachableError: the API server refused, or is away.
        """
        claims = {claim["metadata"]["uid"]: claim for claim in self._claims.objects()}
        self._failed = {uid: text for uid, text in self._failed.items() if uid in claims}
        for uid, claim in claims.items():
            if _asks(claim) and self._still_asks(claim):
                self._provision(uid, claim)
        for volume in self._volumes.objects():
            if _is_left(volume):
                self._storage.delete_disk(volume["spec"]["csi"]["volumeHandle"])
                self._api.delete(f"{_VOLUMES}/{volume['metadata']['name']}")
        return bool(self._failed)

    def _still_asks(self, claim: Document) -> bool:
        """Whether the API server says so too: the watch of claims may be behind that of volumes."""
        metadata = claim["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/persistentvolumeclaims/{metadata['name']}"
        found = self._api.find(path)
        return found is not None and found["metadata"]["uid"] == metadata["uid"] and _asks(found)

    def _provision(self, uid: str, claim: Document) -> None:
        name = f"pvc-{uid}"
        if self._api.find(f"{_VOLUMES}/{name}") is not None:
            return
        class_name = claim["spec"]["storageClassName"]
        found = self._api.find(f"{_CLASSES}/{class_name}")
        if found is None or (found.get("volumeBindingMode") == _WAITS and not _selected(claim)):
            return
        try:
            self._api.create(_VOLUMES, self._made(name, claim, found))
        except ProvisioningError as error:
            message = f'failed to provision volume with StorageClass "{class_name}": {error}'
            if self._failed.get(uid) != message:
                claim = {**claim, "kind": "PersistentVolumeClaim"}
                warn(self._api, claim, "ProvisioningFailed", message, source=f"{disks.NAME}_{class_name}")
                self._failed[uid] = message
            return
        self._failed.pop(uid, None)

    def _made(self, name: str, claim: Document, class_: Document) -> Document:
        """The volume of a claim, whose disk is made."""
        zone = self._zone(claim, class_)
        handle = f"projects/{self._storage.project}/zones/{zone}/disks/{name}"
        size = -(-thousandths(claim["spec"]["resources"]["requests"]["storage"]) // (1000 * _GIB))
        body = disk_body(section(class_, "parameters"), size, claim["spec"]["accessModes"])
        try:
            self._storage.make_disk(handle, body)
        except CloudError as error:
            raise ProvisioningError(
                f"rpc error: code = {code_of(error)} desc = CreateVolume failed: {error.in_words}"
            ) from None
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name, "annotations": {PROVISIONED_BY: disks.NAME}},
            "spec": {
                "accessModes": claim["spec"]["accessModes"],
                "capacity": {"storage": f"{size}Gi"},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "namespace": claim["metadata"]["namespace"],
                    "name": claim["metadata"]["name"],
                    "uid": claim["metadata"]["uid"],
                },
                "csi": {"driver": disks.NAME, "volumeHandle": handle, "fsType": "ext4"},
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": TOPOLOGY, "operator": "In", "values": [zone]}]}
                        ]
                    }
                },
                "persistentVolumeReclaimPolicy": class_.get("reclaimPolicy", "Delete"),
                "storageClassName": class_["metadata"]["name"],
            },
        }

    def _zone(self, claim: Document, class_: Document) -> str:
        """The zone of the selected node; of any node that the class allows, for a class that does not wait."""
        selected = _selected(claim)
        allowed = [
            zone
            for term in entries(class_, "allowedTopologies")
            for each in entries(term, "matchLabelExpressions")
            if each["key"] in (TOPOLOGY, gke.LABEL_ZONE)
            for zone in each["values"]
        ]
        nodes = [self._api.find(f"/api/v1/nodes/{selected}")] if selected else self._api.items("/api/v1/nodes")
        zones = [section(node or {}, "metadata", "labels").get(gke.LABEL_ZONE) for node in nodes]
        found = next((zone for zone in zones if zone and (not allowed or zone in allowed)), None)
        if found is None:
            raise ProvisioningError(
                "error generating accessibility requirements: no available topology found"
                if not selected
                else f"error generating accessibility requirements: selected node '{selected}' has no allowed topology"
            )
        return str(found)


def disk_body(parameters: Document, size: int, access: list[str]) -> dict[str, Any]:
    """The API's document of the disk for a claim of `size` GiB, by the parameters of its class.

    >>> disk_body({"type": "hyperdisk-ml", "provisioned-throughput-on-create": "2400Mi"}, 100, ["ReadOnlyMany"])
    {'type': 'hyperdisk-ml', 'sizeGb': '100', 'provisionedThroughput': '2400', 'accessMode': 'READ_ONLY_MANY'}
    """
    type_ = parameters.get("type", DEFAULT_TYPE)
    body = {"type": type_, "sizeGb": str(size)}
    for parameter, field in _FIELDS.items():
        if parameter in parameters:
            body[field] = str(parameters[parameter]).removesuffix("Mi")
    if type_.startswith("hyperdisk-"):
        body["accessMode"] = next((_ACCESS[mode] for mode in access if mode in _ACCESS), "READ_WRITE_SINGLE")
    return body


def _selected(claim: Document) -> str | None:
    return section(claim, "metadata", "annotations").get(SELECTED_NODE)


def _asks(claim: Document) -> bool:
    annotations = section(claim, "metadata", "annotations")
    return (
        annotations.get(PROVISIONER) == disks.NAME
        and not section(claim, "spec").get("volumeName")
        and "deletionTimestamp" not in claim["metadata"]
    )


def _is_left(volume: Document) -> bool:
    spec = section(volume, "spec")
    return (
        section(volume, "metadata", "annotations").get(PROVISIONED_BY) == disks.NAME
        and section(volume, "status").get("phase") == "Released"
        and spec.get("persistentVolumeReclaimPolicy") == "Delete"
        and "deletionTimestamp" not in volume["metadata"]
    )

"""From a node pool to the Node documents that its machines register: names, labels, taints, capacity, addresses.

Pure: the same pool, instance and address give the same document. The machines are kwok's, so a document says everything
that a kubelet would have said.

Source of labels and taints: GKE cluster autoscaler `labels/system_labels.go` and the outputs in GKE's documentation,
read 2026-11; of the names: the node names shown in "About TPUs in GKE" (`gke-tpu-<hash>-<suffix>`) and of ordinary
pools (`gke-<cluster>-<pool>-<hash>-<suffix>`). Where GKE cuts the names of cluster and pool is not documented: here
each gives 22 characters, so that the whole is a DNS label.
"""

from __future__ import annotations

import hashlib
import string
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.model.facts import gke, tpu
from simulator.cloud.api import Body, Kind
from simulator.cloud.capacity import capacity, machine_size
from simulator.cloud.locations import region_of
from simulator.cloud.names import parts_of
from simulator.cloud.service import at

if TYPE_CHECKING:
    from simulator.cloud.machines import Node

ANNOTATION_BROKEN: Final = "simulator.tpu-platform.dev/broken"
"""On a node whose machine failed: kwok does not make it ready again."""
ANNOTATION_LOST: Final = "simulator.tpu-platform.dev/lost"
"""On a pod whose machine failed: kwok does not let it end."""
_NAME_PART: Final = 22
_SUFFIX_LENGTH: Final = 4
_SUFFIX_LETTERS: Final = string.ascii_lowercase + string.digits
KUBELET_PORT: Final = 10250
_TAINT_EFFECTS: Final = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}
"""The GKE API's word for each of Kubernetes' taint effects."""
_CONDITIONS: Final = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("NetworkUnavailable", "RouteCreated", "NodeController create implicit route"),
    ("Ready", "KubeletReady", "kubelet is posting ready status"),
)
"""Type, reason and message of each condition of a node that is ready; only `Ready` is true of it."""


def group_name(pool: str, body: Body, zone: str) -> str:
    """The short name of the instance group of a node pool (an API name with its document) in a zone."""
    parts = parts_of(Kind.NODE_POOL, pool)
    digest = hashlib.sha256(f"{pool} {zone}".encode()).hexdigest()[:8]
    if tpu.is_tpu_machine(body["config"]["machineType"]):
        return f"gke-tpu-{digest}-grp"
    owner = f"{parts['cluster'][:_NAME_PART].strip('-')}-{parts['name'][:_NAME_PART].strip('-')}"
    return f"gke-{owner}-{digest}-grp"


def instance_name(group: str, seed: str, number: int) -> str:
    """The name of the `number`-th machine that a group ever made; `seed` is the cloud's.

    >>> instance_name("gke-tpu-0a1b2c3d-grp", "", 0)
    'gke-tpu-0a1b2c3d-1yc9'
    """
    digest = int.from_bytes(hashlib.sha256(f"{seed} {group} {number}".encode()).digest()[:8], "big")
    letters: list[str] = []
    for _ in range(_SUFFIX_LENGTH):
        digest, index = divmod(digest, len(_SUFFIX_LETTERS))
        letters.append(_SUFFIX_LETTERS[index])
    return f"{group.removesuffix('-grp')}-{''.join(letters)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One machine of a node pool."""

    name: str
    zone: str
    address: str
    """Its InternalIP."""
    topology: str | None
    """The TPU topology of the slice that it is part of."""
    resize_request: str | None = None
    """The resize request that it was made for, which belongs to a ProvisioningRequest."""

    @classmethod
    def of(cls, body: Body, group: Body) -> Instance:
        """The machine of an entry in an instance group's document."""
        return cls(
            name=body["name"],
            zone=group["zone"],
            address=body["address"],
            topology=group["topology"],
            resize_request=at(body, "resizeRequest.name"),
        )


def node_document(pool: str, body: Body, instance: Instance) -> Node:
    """The Node that a machine of the node pool (an API name with its document) registers."""
    name, zone = instance.name, instance.zone
    config = body["config"]
    gpus = sum(int(card["acceleratorCount"]) for card in config.get("accelerators", []))
    max_pods = int(body["maxPodsConstraint"]["maxPodsPerNode"])
    offered = capacity(config["machineType"], disk_gb=config["diskSizeGb"], max_pods=max_pods, gpus=gpus)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**_labels(pool, body, instance), gke.LABEL_HOSTNAME: name},
            "annotations": {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"},
        },
        "spec": {
            "providerID": f"gce://{parts_of(Kind.NODE_POOL, pool)['project']}/{zone}/{name}",
            "taints": _taints(body),
        },
        "status": {
            "capacity": offered.total,
            "allocatable": offered.allocatable,
            "addresses": [{"type": "InternalIP", "address": instance.address}, {"type": "Hostname", "address": name}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
            "nodeInfo": _node_info(name, body["version"]),
            "phase": "Running",
        },
    }


def ready_conditions(now: str) -> list[dict[str, str]]:
    """The conditions of a node that is ready, in the words of kubelet and GKE; `now` is a time of the API."""
    return [
        {"type": kind, "status": str(kind == "Ready"), "reason": reason, "message": message}
        | {"lastHeartbeatTime": now, "lastTransitionTime": now}
        for kind, reason, message in _CONDITIONS
    ]


def effective_taints(body: Body) -> list[Body]:
    """Every taint of the pool's nodes in the API's words: the pool's own and those that GKE adds."""
    own = body["config"].get("taints", [])
    keys = {taint["key"] for taint in own}
    return own + [taint for taint in _gke_taints(body) if taint["key"] not in keys]


def _taints(body: Body) -> list[dict[str, str]]:
    return [
        {"key": taint["key"], "value": taint["value"], "effect": _TAINT_EFFECTS[taint["effect"]]}
        for taint in body["config"]["taints"]
    ]


def _gke_taints(body: Body) -> list[Body]:
    config = body["config"]
    taints: list[Body] = []
    if tpu.is_tpu_machine(config["machineType"]):
        taints.append({"key": gke.TAINT_TPU_KEY, "value": gke.TAINT_TPU_VALUE, "effect": "NO_SCHEDULE"})
    if config.get("accelerators"):
        taints.append({"key": gke.RESOURCE_GPU, "value": "present", "effect": "NO_SCHEDULE"})
    if at(body, "queuedProvisioning.enabled"):
        taints.append({"key": gke.LABEL_QUEUED, "value": gke.QUEUED_VALUE, "effect": "NO_SCHEDULE"})
    return taints


def _labels(pool: str, body: Body, instance: Instance) -> dict[str, str]:
    config = body["config"]
    machine_type: str = config["machineType"]
    vcpus, memory_mib = machine_size(machine_type)
    return {
        **config.get("labels", {}),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": machine_type,
        gke.LABEL_INSTANCE_TYPE: machine_type,
        gke.LABEL_REGION: region_of(instance.zone),
        gke.LABEL_ZONE: instance.zone,
        "topology.gke.io/zone": instance.zone,
        gke.LABEL_NODE_POOL: parts_of(Kind.NODE_POOL, pool)["name"],
        gke.LABEL_MACHINE_FAMILY: machine_type.partition("-")[0],
        "cloud.google.com/gke-boot-disk": config["diskType"],
        "cloud.google.com/gke-container-runtime": "containerd",
        "cloud.google.com/gke-cpu-scaling-level": str(vcpus),
        "cloud.google.com/gke-memory-gb-scaling-level": str(memory_mib // 1024),
        "cloud.google.com/gke-logging-variant": at(config, "loggingConfig.variantConfig.variant"),
        "cloud.google.com/gke-max-pods-per-node": str(body["maxPodsConstraint"]["maxPodsPerNode"]),
        "cloud.google.com/gke-os-distribution": config["imageType"].partition("_")[0].lower(),
        "cloud.google.com/gke-stack-type": "IPV4",
        **({gke.LABEL_PROVISIONING_REQUEST: instance.resize_request} if instance.resize_request else {}),
        **_consumption_labels(body),
        **_accelerator_labels(body, instance.topology),
    }


def _consumption_labels(body: Body) -> dict[str, str]:
    config = body["config"]
    labels = {gke.LABEL_PROVISIONING: "standard"}
    if config.get("spot"):
        labels = {gke.LABEL_PROVISIONING: "spot", gke.LABEL_SPOT: "true"}
    elif config.get("preemptible"):
        labels = {gke.LABEL_PROVISIONING: "preemptible", "cloud.google.com/gke-preemptible": "true"}
    elif config.get("flexStart"):
        labels = {gke.LABEL_PROVISIONING: "flex-start", gke.LABEL_FLEX_START: "true"}
    if config.get("maxRunDuration"):
        labels[gke.LABEL_MAX_RUN_SECONDS] = config["maxRunDuration"].removesuffix("s")
    if at(config, "reservationAffinity.consumeReservationType") == "SPECIFIC_RESERVATION":
        labels[gke.LABEL_RESERVATION_NAME] = config["reservationAffinity"]["values"][0].rpartition("/")[2]
    if at(config, "workloadMetadataConfig.mode") == "GKE_METADATA":
        labels["iam.gke.io/gke-metadata-server-enabled"] = "true"
    return labels


def _accelerator_labels(body: Body, topology: str | None) -> dict[str, str]:
    config = body["config"]
    machine_type = config["machineType"]
    labels: dict[str, str] = {}
    if at(body, "placementPolicy.policyName"):
        labels["cloud.google.com/placement-policy-name"] = body["placementPolicy"]["policyName"]
    if tpu.is_tpu_machine(machine_type):
        machine = tpu.machine(machine_type)
        labels[gke.LABEL_TPU_ACCELERATOR] = tpu.generation_of(machine_type).accelerator
        labels[gke.LABEL_TPU_TOPOLOGY] = str(topology)
        labels[gke.LABEL_ACCELERATOR_COUNT] = str(machine.chips)
    cards = config.get("accelerators", [])
    if cards:
        labels[gke.LABEL_GPU_ACCELERATOR] = cards[0]["acceleratorType"]
        labels[gke.LABEL_ACCELERATOR_COUNT] = str(cards[0]["acceleratorCount"])
    return labels


def _node_info(name: str, version: str) -> dict[str, Any]:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return {
        "machineID": digest[:32],
        "systemUUID": str(uuid.UUID(digest[:32])),
        "bootID": str(uuid.UUID(digest[32:])),
        "kernelVersion": "6.6.97+",
        "osImage": "Container-Optimized OS from Google",
        "containerRuntimeVersion": "containerd://2.0.6",
        "kubeletVersion": f"v{version}",
        "kubeProxyVersion": f"v{version}",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }

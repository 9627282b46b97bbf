"""Listings by hand: the documents that gcloud and kubectl print, as small as they can be."""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

from components.model.findings import Severity
from policies.lint.files import File
from tpu.adopt.listings import Listings, listed
from tpu.adopt.stack_file import Written, written

PROJECT: Final = "acme-ai"
CLUSTER: Final = f"projects/{PROJECT}/locations/us-west4/clusters/ml"
OWN: Final = f"ml-nodes@{PROJECT}.iam.gserviceaccount.com"
_HOST: Final = "https://container.googleapis.com/v1"
_COMPUTE: Final = "https://www.googleapis.com/compute/v1"

Item = dict[str, Any]


def cluster(**changes: object) -> Item:
    """A private Standard cluster `ml` in its own network, as the program would have made it."""
    return {
        "name": "ml",
        "location": "us-west4",
        "selfLink": f"{_HOST}/{CLUSTER}",
        "releaseChannel": {"channel": "REGULAR"},
        "currentMasterVersion": "1.36.4-gke.1247000",
        "network": "ml",
        "subnetwork": "ml-nodes",
        "workloadIdentityConfig": {"workloadPool": f"{PROJECT}.svc.id.goog"},
        "privateClusterConfig": {"enablePrivateNodes": True, "masterIpv4CidrBlock": "172.16.0.0/28"},
        "resourceLabels": {"goog-gke-cluster": "ml", "team": "vision"},
        **changes,
    }


def pool(name: str, machine_type: str = "e2-standard-4", *, config: Item | None = None, **changes: object) -> Item:
    """A node pool of one node in us-west4-a."""
    return {
        "name": name,
        "selfLink": f"{_HOST}/{CLUSTER}/nodePools/{name}",
        "config": {
            "machineType": machine_type,
            "diskType": "pd-balanced",
            "serviceAccount": OWN,
            "resourceLabels": {"team": "vision"},
            **(config or {}),
        },
        "initialNodeCount": 1,
        "locations": ["us-west4-a"],
        "management": {"autoRepair": True, "autoUpgrade": True},
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 1},
        **changes,
    }


def slice_pool(name: str, **changes: object) -> Item:
    """A v5e slice of two hosts."""
    placement = {"type": "COMPACT", "tpuTopology": "2x4"}
    return pool(name, "ct5lp-hightpu-4t", **{"initialNodeCount": 2, "placementPolicy": placement, **changes})  # pyright: ignore[reportArgumentType]


def network() -> list[Item]:
    """The network of the cluster, with its subnetwork and NAT."""
    region = f"{_COMPUTE}/projects/{PROJECT}/regions/us-west4"
    return [
        {
            "name": "ml",
            "selfLink": f"{_COMPUTE}/projects/{PROJECT}/global/networks/ml",
            "autoCreateSubnetworks": False,
            "mtu": 1460,
        },
        {
            "name": "ml-nodes",
            "selfLink": f"{region}/subnetworks/ml-nodes",
            "ipCidrRange": "10.0.0.0/20",
            "secondaryIpRanges": [
                {"rangeName": "pods", "ipCidrRange": "10.4.0.0/16"},
                {"rangeName": "services", "ipCidrRange": "10.8.0.0/20"},
            ],
        },
        {"name": "ml-router", "selfLink": f"{region}/routers/ml-router", "nats": [{"name": "ml-nat"}]},
    ]


def of(
    kind: str, api_version: str, name: str, *, namespace: str = "", labels: Item | None = None, **body: object
) -> Item:
    """A Kubernetes object."""
    metadata: Item = {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-11-01T10:00:00Z"}
    metadata |= {"namespace": namespace} if namespace else {}
    metadata |= {"labels": labels} if labels else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def kueue(kind: str, name: str, *, namespace: str = "", **body: Any) -> Item:  # noqa: ANN401  fields of the object
    """An object of Kueue."""
    return of(kind, "kueue.x-k8s.io/v1beta2", name, namespace=namespace, **body)


def controllers() -> list[Item]:
    """The ConfigMaps of both controllers, installed by Helm."""
    names = (("jobset", "jobset-controller-config", "0.12.0"), ("kueue", "kueue-manager-config", "0.19.2"))
    found: list[Item] = []
    for release, name, version in names:
        item = of(
            "ConfigMap", "v1", name, namespace=f"{release}-system", labels={"helm.sh/chart": f"{release}-{version}"}
        )
        item["metadata"]["annotations"] = {
            "meta.helm.sh/release-name": release,
            "meta.helm.sh/release-namespace": f"{release}-system",
        }
        found.append({**item, "data": {"controller_manager_config.yaml": "kind: Configuration\n"}})
    return found


def queueing() -> list[Item]:
    """A flavor of v5e slices, a queue of 16 chips and the way into it."""
    labels = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    chips = {"name": "google.com/tpu", "nominalQuota": "16"}
    groups = [{"coveredResources": ["google.com/tpu"], "flavors": [{"name": "v5e", "resources": [chips]}]}]
    queue = {
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Never"},
        "resourceGroups": groups,
    }
    item = kueue("ClusterQueue", "research", spec=queue)
    item["metadata"]["annotations"] = {"pulumi.com/waitFor": "condition=Active", "pulumi.com/timeoutSeconds": "300"}
    return [
        kueue("ResourceFlavor", "v5e", spec={"nodeLabels": labels}),
        item,
        kueue("LocalQueue", "research", namespace="research", spec={"clusterQueue": "research"}),
        of("PriorityClass", "scheduling.k8s.io/v1", "normal", value=500, preemptionPolicy="PreemptLowerPriority"),
        kueue("WorkloadPriorityClass", "normal", value=500),
    ]


def listings(*items: Item) -> Listings:
    """What these documents list, through a file as any other."""
    return listed([File("listing.json", json.dumps(list(items)).encode())])


def adopted(*items: Item, wanted: str | None = None) -> Written:
    """The stack file `test` of the platform that these documents list, in the cluster of that name."""
    return written(listings(*items), stack="test", project="tpu-platform", cluster=wanted)


def platform(found: Written) -> Item:
    """The sections that it writes."""
    return yaml.safe_load(found.text)["config"]["tpu-platform:platform"]


def errors(found: Written) -> list[str]:
    """What rules of the program refuse of it."""
    return [str(finding) for finding, _ in found.reading.findings if finding.severity is Severity.ERROR]


def told(found: Written) -> list[str]:
    """What is said of each object, with its remedy left out."""
    return [f"{each.what}: {each.says}" for each in found.remarks]


SLICES: Final = (slice_pool("v5e1"), slice_pool("v5e2"))
PROTECTED: Final = "cluster ml: no listing says whether it is protected from deletion, so deletion_protection is true."
"""What is told of every cluster."""
QUOTA: Final = "project acme-ai: its quota of chips and GPUs is not listed, so the stack file states no quota."
"""What is told of every project."""

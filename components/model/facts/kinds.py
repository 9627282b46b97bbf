"""Kinds of objects that rules know, and how other programs name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(Struct, frozen=True, eq=False):
    """A kind of object of Google Cloud or Kubernetes; there is one of each below, and it equals nothing else."""

    name: str
    """As its API names it."""
    section: str
    """The plural that people use; a rule that needs several of them says so by this word."""
    group: str = ""
    """API group of a Kubernetes kind, empty for the core group."""
    type_: str = ""
    """Type of the resource in Pulumi, for kinds of Google Cloud."""

    @property
    def is_of_kubernetes(self) -> bool:
        """Whether Kubernetes itself serves it, in a group without a domain or in one of its own domain."""
        return not self.type_ and ("." not in self.group or self.group in _OF_KUBERNETES)


_OF_KUBERNETES: Final = ("scheduling.k8s.io", "storage.k8s.io")


CLUSTER: Final = Kind("Cluster", "clusters", type_="gcp:container/cluster:Cluster")
NODE_POOL: Final = Kind("NodePool", "node pools", type_="gcp:container/nodePool:NodePool")
RESOURCE_POLICY: Final = Kind("ResourcePolicy", "workload policies", type_="gcp:compute/resourcePolicy:ResourcePolicy")
FILESTORE: Final = Kind("Instance", "Filestore instances", type_="gcp:filestore/instance:Instance")
LUSTRE: Final = Kind("Instance", "Managed Lustre instances", type_="gcp:lustre/instance:Instance")
DISK: Final = Kind("Disk", "disks", type_="gcp:compute/disk:Disk")
BUCKET: Final = Kind("Bucket", "buckets", type_="gcp:storage/bucket:Bucket")
SUBNETWORK: Final = Kind("Subnetwork", "subnetworks", type_="gcp:compute/subnetwork:Subnetwork")
RELEASE: Final = Kind("Release", "Helm releases", type_="kubernetes:helm.sh/v3:Release")

RESOURCE_FLAVOR: Final = Kind("ResourceFlavor", "ResourceFlavors", "kueue.x-k8s.io")
CLUSTER_QUEUE: Final = Kind("ClusterQueue", "ClusterQueues", "kueue.x-k8s.io")
LOCAL_QUEUE: Final = Kind("LocalQueue", "LocalQueues", "kueue.x-k8s.io")
COHORT: Final = Kind("Cohort", "Cohorts", "kueue.x-k8s.io")
ADMISSION_CHECK: Final = Kind("AdmissionCheck", "AdmissionChecks", "kueue.x-k8s.io")
PROVISIONING_CONFIG: Final = Kind("ProvisioningRequestConfig", "ProvisioningRequestConfigs", "kueue.x-k8s.io")
MULTIKUEUE_CONFIG: Final = Kind("MultiKueueConfig", "MultiKueueConfigs", "kueue.x-k8s.io")
MULTIKUEUE_CLUSTER: Final = Kind("MultiKueueCluster", "MultiKueueClusters", "kueue.x-k8s.io")
WORKLOAD_PRIORITY: Final = Kind("WorkloadPriorityClass", "WorkloadPriorityClasses", "kueue.x-k8s.io")
TOPOLOGY: Final = Kind("Topology", "Topologies", "kueue.x-k8s.io")
PRIORITY_CLASS: Final = Kind("PriorityClass", "PriorityClasses", "scheduling.k8s.io")
JOBSET: Final = Kind("JobSet", "JobSets", "jobset.x-k8s.io")
JOB: Final = Kind("Job", "Jobs", "batch")
NAMESPACE: Final = Kind("Namespace", "namespaces")
SERVICE: Final = Kind("Service", "Services")
POD: Final = Kind("Pod", "Pods")
CONFIG_MAP: Final = Kind("ConfigMap", "ConfigMaps")
SECRET: Final = Kind("Secret", "Secrets")
VOLUME: Final = Kind("PersistentVolume", "PersistentVolumes")
CLAIM: Final = Kind("PersistentVolumeClaim", "PersistentVolumeClaims")
STORAGE_CLASS: Final = Kind("StorageClass", "StorageClasses", "storage.k8s.io")
DEPLOYMENT: Final = Kind("Deployment", "Deployments", "apps")
STATEFUL_SET: Final = Kind("StatefulSet", "StatefulSets", "apps")
DAEMON_SET: Final = Kind("DaemonSet", "DaemonSets", "apps")
DISRUPTION_BUDGET: Final = Kind("PodDisruptionBudget", "PodDisruptionBudgets", "policy")
CRON_JOB: Final = Kind("CronJob", "CronJobs", "batch")
LEADER_WORKER_SET: Final = Kind("LeaderWorkerSet", "LeaderWorkerSets", "leaderworkerset.x-k8s.io")
RAY_CLUSTER: Final = Kind("RayCluster", "RayClusters", "ray.io")
RAY_JOB: Final = Kind("RayJob", "RayJobs", "ray.io")
RAY_SERVICE: Final = Kind("RayService", "RayServices", "ray.io")
COMPUTE_CLASS: Final = Kind("ComputeClass", "ComputeClasses", "cloud.google.com")
POD_MONITORING: Final = Kind("PodMonitoring", "PodMonitorings", "monitoring.googleapis.com")
UNSERVED: Final = Kind("object", "objects of kinds that do not exist")
"""Any kind of Kubernetes that no release serves, where the kind that is meant is known."""

KINDS: Final = (
    CLUSTER,
    NODE_POOL,
    RESOURCE_POLICY,
    FILESTORE,
    LUSTRE,
    DISK,
    BUCKET,
    SUBNETWORK,
    RELEASE,
    RESOURCE_FLAVOR,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    COHORT,
    ADMISSION_CHECK,
    PROVISIONING_CONFIG,
    MULTIKUEUE_CONFIG,
    MULTIKUEUE_CLUSTER,
    WORKLOAD_PRIORITY,
    TOPOLOGY,
    PRIORITY_CLASS,
    JOBSET,
    JOB,
    NAMESPACE,
    SERVICE,
    POD,
    CONFIG_MAP,
    SECRET,
    VOLUME,
    CLAIM,
    STORAGE_CLASS,
    DEPLOYMENT,
    STATEFUL_SET,
    DAEMON_SET,
    DISRUPTION_BUDGET,
    CRON_JOB,
    LEADER_WORKER_SET,
    RAY_CLUSTER,
    RAY_JOB,
    RAY_SERVICE,
    COMPUTE_CLASS,
    POD_MONITORING,
)

KUEUE_KINDS: Final = tuple(kind for kind in KINDS if kind.group == CLUSTER_QUEUE.group)
"""The kinds that Kueue alone serves."""
RAY_KINDS: Final = (RAY_CLUSTER, RAY_JOB, RAY_SERVICE)
"""The kinds that KubeRay serves."""
CLUSTER_WIDE: Final = frozenset(
    {
        RESOURCE_FLAVOR,
        CLUSTER_QUEUE,
        COHORT,
        ADMISSION_CHECK,
        PROVISIONING_CONFIG,
        MULTIKUEUE_CONFIG,
        MULTIKUEUE_CLUSTER,
        WORKLOAD_PRIORITY,
        TOPOLOGY,
        PRIORITY_CLASS,
        NAMESPACE,
        VOLUME,
        STORAGE_CLASS,
        COMPUTE_CLASS,
    }
)
"""The kinds whose objects are in no namespace."""
_OTHERS_CLUSTER_WIDE: Final = frozenset(
    {
        *("ClusterIssuer", "ClusterPodMonitoring", "GatewayClass", "MutatingAdmissionPolicy", "Node"),
        *("MutatingAdmissionPolicyBinding", "VolumeSnapshotContent"),
        *("APIService", "ClusterRole", "ClusterRoleBinding", "CSIDriver", "CustomResourceDefinition", "DeviceClass"),
        *("FlowSchema", "IngressClass", "MutatingWebhookConfiguration", "PriorityLevelConfiguration", "RuntimeClass"),
        *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"),
        *("VolumeAttributesClass", "VolumeSnapshotClass"),
    }
)
"""The same for kinds that no rule knows, of Kubernetes 1.36, GKE, the Gateway API, snapshots and cert-manager. Source:
`kubectl api-resources` and their definitions, read 2026-11."""
QUEUED_KINDS: Final = (JOBSET, JOB, CRON_JOB, LEADER_WORKER_SET, RAY_CLUSTER, RAY_JOB)
"""Workloads that may name a queue of Kueue; of a CronJob its Jobs do."""
RUNS_OF_A_STACK: Final = (JOBSET, JOB, CRON_JOB, RAY_CLUSTER, RAY_JOB)
"""Those that the Kueue of a stack manages."""

_BY_TYPE: Final = {kind.type_: kind for kind in KINDS if kind.type_}
_BY_GROUP: Final = {(kind.group, kind.name): kind for kind in KINDS if not kind.type_}


def of_type(type_: str) -> Kind | None:
    """The kind of a resource of Google Cloud, or of a Helm release, by its type in Pulumi; None for all others."""
    return _BY_TYPE.get(type_)


def of_manifest(api_version: str, name: str) -> Kind | None:
    """The kind of a Kubernetes object, whatever the version; None for kinds that no rule knows.

    >>> of_manifest("kueue.x-k8s.io/v1beta1", "ClusterQueue").section
    'ClusterQueues'
    """
    group = api_version.rpartition("/")[0]
    return _BY_GROUP.get((group, name))


def kind_of(document: Mapping[str, object]) -> Kind | None:
    """The kind of a manifest; None for kinds that no rule knows.

    Raises:
        KeyError: it has no `apiVersion` or no `kind`.
    """
    return of_manifest(str(document["apiVersion"]), str(document["kind"]))


def labels_at(kind: Kind | None) -> tuple[str, ...]:
    """Where Kueue reads the labels of a run; of a CronJob those of its Jobs, which Kueue queues."""
    path = ("spec", "jobTemplate") if kind is CRON_JOB else ()
    return (*path, "metadata", "labels")


def is_cluster_wide(document: Mapping[str, object]) -> bool:
    """Whether the object of a manifest is in no namespace; a kind that is not known is taken to be in one.

    >>> is_cluster_wide({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"})
    True
    """
    return kind_of(document) in CLUSTER_WIDE or document["kind"] in _OTHERS_CLUSTER_WIDE

"""Names that GKE, Kueue and JobSet give meaning to, and limits of the GKE API.

One place for every label, taint and annotation key and every length limit, so that no other module spells one out.
It decides nothing: which pool gets which label is planning, which combination is refused is a rule.

Source: GKE cluster autoscaler `labels/system_labels.go`, GKE documentation "About TPUs in GKE", Kueue 0.16.2,
Kueue 0.19.2 and JobSet 0.12.0 API packages; read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

# --- node labels and taints that GKE sets
LABEL_NODE_POOL: Final = "cloud.google.com/gke-nodepool"
LABEL_TPU_ACCELERATOR: Final = "cloud.google.com/gke-tpu-accelerator"
LABEL_TPU_TOPOLOGY: Final = "cloud.google.com/gke-tpu-topology"
LABEL_ACCELERATOR_COUNT: Final = "cloud.google.com/gke-accelerator-count"
LABEL_GPU_ACCELERATOR: Final = "cloud.google.com/gke-accelerator"
LABEL_SPOT: Final = "cloud.google.com/gke-spot"
LABEL_PREEMPTIBLE: Final = "cloud.google.com/gke-preemptible"
LABEL_FLEX_START: Final = "cloud.google.com/gke-flex-start"
LABEL_PROVISIONING: Final = "cloud.google.com/gke-provisioning"
LABEL_QUEUED: Final = "cloud.google.com/gke-queued"
"""Key of the taint on nodes that come for ProvisioningRequests alone; GKE sets no label of that name by itself."""
LABEL_PROVISIONING_REQUEST: Final = "autoscaling.gke.io/provisioning-request"
"""On nodes that came for a ProvisioningRequest; its value is the name of the request's resize request."""
LABEL_RESERVATION_NAME: Final = "cloud.google.com/reservation-name"
LABEL_RESERVATION_PROJECT: Final = "cloud.google.com/reservation-project"
LABEL_RESERVATION_AFFINITY: Final = "cloud.google.com/reservation-affinity"
LABEL_MAX_RUN_SECONDS: Final = "cloud.google.com/gke-max-run-duration-seconds"
LABEL_COMPUTE_CLASS: Final = "cloud.google.com/compute-class"
LABEL_MACHINE_FAMILY: Final = "cloud.google.com/machine-family"
LABEL_INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
LABEL_REGION: Final = "topology.kubernetes.io/region"
LABEL_ZONE: Final = "topology.kubernetes.io/zone"
LABEL_HOSTNAME: Final = "kubernetes.io/hostname"

TAINT_TPU_KEY: Final = "google.com/tpu"
TAINT_TPU_VALUE: Final = "present"
TAINT_GPU_VALUE: Final = "present"
"""Value of the taint of nodes with GPUs, whose key is `RESOURCE_GPU` and whose effect is NoSchedule."""
QUEUED_VALUE: Final = "true"
"""Value of the taint `LABEL_QUEUED`, whose effect is NoSchedule."""

# --- resources that nodes offer and pods ask for
RESOURCE_TPU: Final = "google.com/tpu"
RESOURCE_GPU: Final = "nvidia.com/gpu"
RESOURCE_CPU: Final = "cpu"
RESOURCE_MEMORY: Final = "memory"
RESOURCE_DISK: Final = "ephemeral-storage"

# --- nodes that are asked for as a whole
QUEUED_PROVISIONING_CLASS: Final = "queued-provisioning.gke.io"
"""GKE's class of ProvisioningRequests: all nodes of a request come together, or none."""
DETAIL_RESIZE_REQUEST: Final = "ResizeRequestName"
"""Among the details in a ProvisioningRequest's status: what `LABEL_PROVISIONING_REQUEST` of its nodes says."""
PARAMETER_RUN_SECONDS: Final = "maxRunDurationSeconds"
"""Among a ProvisioningRequest's parameters: how long its nodes may live; GKE's own is 7 days."""
ANNOTATION_CONSUMES: Final = "autoscaling.x-k8s.io/consume-provisioning-request"
"""On pods: the ProvisioningRequest of their namespace whose nodes they are for."""

AUTOSCALED: Final = ("initialNodeCount", "nodeCount")
"""Fields of a pool that the cluster autoscaler may change, so that nobody must change them back."""

# --- Kueue and JobSet
LABEL_QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
"""On the Job or JobSet itself; Kueue reads it from labels only (Kueue 0.15 dropped the annotation)."""
LABEL_NAMESPACE: Final = "kubernetes.io/metadata.name"
"""The name of a namespace, which the API server sets on every namespace."""
LABEL_WORKLOAD_PRIORITY: Final = "kueue.x-k8s.io/priority-class"
"""On the Job or JobSet itself; names a WorkloadPriorityClass, not a PriorityClass."""
FIELD_SUSPEND: Final = "suspend"
"""A field of the spec of a Job or JobSet: Kueue clears it on admission and sets it on eviction."""
INJECTED_FIELDS: Final = ("nodeSelector", "tolerations", "schedulingGates")
"""Fields of a pod's spec that Kueue adds to the pod templates of a run on admission, from its flavors (Kueue,
pkg/podset). It adds labels and annotations to their metadata as well."""
KUEUE_DOMAIN: Final = "kueue.x-k8s.io/"
ANNOTATION_MIN_PARALLELISM: Final = f"{KUEUE_DOMAIN}job-min-parallelism"
"""On a Job: the fewest pods with which Kueue starts it, where quota for all of them is missing. Kueue refuses a number
that is not below the Job's parallelism (Kueue 0.19.2, pkg/controller/jobs/job)."""
KUEUE_KEYS: Final = (
    LABEL_QUEUE_NAME,
    LABEL_WORKLOAD_PRIORITY,
    ANNOTATION_MIN_PARALLELISM,
    *(
        f"{KUEUE_DOMAIN}{name}"
        for name in (
            *("elastic-job", "managed", "max-exec-time-seconds", "multikueue-origin", "prebuilt-workload-name"),
            *("pod-group-fast-admission", "pod-group-name", "pod-group-pod-index", "pod-group-pod-index-label"),
            *("pod-group-serving", "pod-group-total-count", "pod-index-offset", "pod-suspending-parent"),
            *("podset", "podset-group-name", "podset-preferred-topology", "podset-required-topology"),
            *("podset-slice-required-topology", "podset-slice-size", "podset-unconstrained-topology"),
            *("job-completions-equal-parallelism", "retriable-in-group", "role-hash", "tas"),
            *("cluster-queue-name", "local-queue-name", "safe-to-forcefully-terminate", "workload"),
            *("workload-slice-name", "workload-slice-replacement-for"),
            # with 0.17 to 0.19; the second took the place of safe-to-forcefully-terminate
            *("admission-gated-by", "safe-to-forcefully-delete", "podset-slice-required-topology-constraints"),
            *("is-group-workload", "multikueue-origin-uid", "multikueue-worker-workload-pod"),
            *("raycluster-generation", "raycluster-podset-replica-sizes", "stopping"),
        )
    ),
)
"""Labels and annotations of runs and pods that Kueue reads or sets."""
KUEUE_OWN_KEYS: Final = tuple(
    f"{KUEUE_DOMAIN}{name}"
    for name in (
        *("is-group-workload", "managed", "podset", "raycluster-generation", "raycluster-podset-replica-sizes"),
        *("role-hash", "stopping", "workload"),
    )
)
"""Those of them that nobody but Kueue writes."""
ANNOTATIONS_TOPOLOGY_AWARE: Final = (
    f"{KUEUE_DOMAIN}podset-required-topology",
    f"{KUEUE_DOMAIN}podset-slice-required-topology",
)
"""On a pod template: the level of a Topology within which Kueue keeps all pods, or those of each slice."""
ANNOTATION_EXCLUSIVE_TOPOLOGY: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
ANNOTATION_NODE_SELECTOR_STRATEGY: Final = "alpha.jobset.sigs.k8s.io/node-selector"
"""Beside it: the nodes have been labelled for each Job, and JobSet's webhook leaves its pods alone."""
"""On a JobSet or a replicated job's template: the node label by whose values its Jobs are kept apart."""
ANNOTATION_DYNAMIC_SLICE: Final = "cloud.google.com/gke-tpu-slice-topology"
"""On pods: the topology of a slice that GKE puts together for them."""
SLICE_LABELS_PREFIX: Final = "cloud.google.com/gke-tpu-"
"""Beginning of node labels that tell slices apart which are not node pools."""
PROVISIONING_CONTROLLER: Final = "kueue.x-k8s.io/provisioning-request"
"""The controller of admission checks that make ProvisioningRequests."""
ANNOTATION_NODE_SECONDS: Final = f"provreq.kueue.x-k8s.io/{PARAMETER_RUN_SECONDS}"
"""On the Job or JobSet itself; Kueue makes it that parameter of the ProvisioningRequest."""
LABEL_JOB_NAME: Final = "job-name"
"""On the pods of a Job, set by Kubernetes."""
LABEL_BATCH_JOB_NAME: Final = "batch.kubernetes.io/job-name"
"""The same, under its newer name."""
LABEL_POD_SECURITY: Final = "pod-security.kubernetes.io/enforce"
"""On a namespace: the Pod Security Standard that its pods must meet; privileged where there is none."""
LABEL_JOBSET_NAME: Final = "jobset.sigs.k8s.io/jobset-name"
LABEL_JOB_INDEX: Final = "jobset.sigs.k8s.io/job-index"
LABEL_REPLICATED_JOB_REPLICAS: Final = "jobset.sigs.k8s.io/replicatedjob-replicas"

# --- ports that TPU workloads listen on
PORT_TPU_RUNTIME: Final = 8471
"""gRPC between the TPU runtimes of one slice."""
PORT_MULTISLICE: Final = 8080
"""The coordinator of a multislice job (MEGASCALE_COORDINATOR_ADDRESS)."""
PORT_TPU_METRICS: Final = 8431
"""Where the TPU runtime of a host offers its metrics."""
PORT_REDIS: Final = 6379
PORT_WEBHOOK: Final = 9443
"""Where the webhook servers of Kueue and JobSet listen; a private cluster's control plane must be let through to it."""
PORT_KUEUE_VISIBILITY: Final = 8082
"""Where Kueue answers the API group visibility.kueue.x-k8s.io. While the control plane cannot reach it, every deletion
of a namespace waits for that group's discovery."""

# --- Google APIs
API_HOSTS: Final = ".googleapis.com"
"""The end of an API's host, after its short name; the host is the name by which it is switched on."""
PLATFORM_APIS: Final = ("compute", "container", "file")
"""Short names of the APIs that a platform calls and that a project has to switch on."""

# --- identity of nodes
SCOPE_CLOUD_PLATFORM: Final = "https://www.googleapis.com/auth/cloud-platform"
"""The one access scope of every node: what a node may do is decided by IAM. The default scopes refuse writes to
Cloud Storage whatever IAM grants, and scopes cannot be changed on a living pool."""
NODE_ROLES: Final = ("roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount")
"""Roles of nodes, and no more than they need: to pull the team's images, and to write its logs and metrics."""

ROLE_WRITE_BUCKET: Final = "roles/storage.objectUser"
"""The role that reads, writes and deletes objects of a bucket, and no more."""
ROLE_READ_SECRET: Final = "roles/secretmanager.secretAccessor"  # noqa: S105  a role
"""The role that reads the versions of a secret of Secret Manager, and no more."""
RESERVATION_KEY: Final = "compute.googleapis.com/reservation-name"
"""Key of a node pool's affinity to one reservation (GKE API: ReservationAffinity.key)."""
PROVISIONING_STANDARD: Final = "standard"
"""Value of the provisioning label of nodes that are neither spot nor flex-start."""
MANAGED_LABEL_DOMAINS: Final = ("kubernetes.io", "k8s.io", "google.com")
"""Domains of node labels that only Kubernetes and GKE set; theirs are refused or overwritten."""

# --- time
FLEX_START_RUN_SECONDS: Final = (600, 604_800)
"""How long a flex-start node may be asked to live: 10 minutes to 7 days (cluster autoscaler's source)."""
RUN_SECONDS: Final = (30, 120 * 86_400)
"""How long any other node may be asked to live: 30 seconds to 120 days."""
FLEX_START_SECONDS: Final = 604_800
"""How long a flex-start node lives at most, and when nothing else is said: 7 days."""
NODE_START_SECONDS: Final = 900
"""How long a new node may take until it serves pods: the autoscaler gives up on it after 15 minutes.

Source: kubernetes/autoscaler, FAQ of the cluster autoscaler, `max-node-provision-time`, read 2026-11.
"""
AUTOSCALER_PRIORITY_FLOOR: Final = -10
"""Pods of a lower priority than this do not make the cluster autoscaler add nodes."""

# --- limits
NODE_POOL_NAME_LENGTH: Final = 40
"""Characters of a node pool name (GKE API: NodePool.name)."""
CLUSTER_NAME_LENGTH: Final = 40
"""Characters of a cluster name (GKE API: Cluster.name)."""
KUBERNETES_LABEL_LENGTH: Final = 63
"""Characters of a DNS label: pod names that carry a hostname, Service names, label values."""
OBJECT_NAME_LENGTH: Final = 253
"""Characters of the name of a PersistentVolume and of most other objects (a DNS subdomain)."""
NETWORK_NAME_LENGTH: Final = 63
"""Characters of the name of a network, subnetwork, router, gateway or firewall rule (Compute Engine API)."""
SERVICE_ACCOUNT_ID_LENGTH: Final = 30
"""Characters of a service account's id (IAM API: account_id is 6 to 30 long)."""
NODE_ADDRESSES: Final = 256
"""Pod addresses that a node takes out of the pod range: a /24, for the default of 110 pods per node."""
NODES_UPGRADED_AT_ONCE: Final = 20
"""Most nodes by which a surge upgrade may exceed or fall short of a pool (UpgradeSettings.maxSurge)."""
CONTROL_PLANE_PREFIX: Final = 28
"""Prefix length that the GKE API demands of a private control plane's range."""
USER_PRIORITY_MAXIMUM: Final = 1_000_000_000
"""Largest value of a PriorityClass that is not the system's (kube-apiserver's validation)."""
SYSTEM_PRIORITY_PREFIX: Final = "system-"
"""Names of PriorityClasses that Kubernetes keeps for itself."""
DEFAULT_NAMESPACE: Final = "default"
"""The namespace that every cluster has for users."""
IN_EVERY_NAMESPACE: Final = frozenset(
    {("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt"), ("ResourceQuota", "gke-resource-quotas")}
)
"""Kind and name of what Kubernetes and GKE make in every namespace by themselves (Kubernetes 1.36,
pkg/controller/serviceaccount and pkg/controller/certificates/rootcacertpublisher; GKE's quota as
`kubectl get resourcequota` lists it, NVIDIA documentation "GPU Operator with Google GKE", read 2026-11)."""
API_SERVICE: Final = (DEFAULT_NAMESPACE, "kubernetes")
"""Namespace and name of the API server's own Service: it makes the Service when it starts and after a deletion, but it
does not undo changes (Kubernetes 1.36, pkg/controlplane/controller/kubernetesservice)."""
NODE_CONFIG_OF_LIVE_NODES: Final = ("labels", "taints", "resourceLabels", "tags")
"""Settings of a node pool's `config` that GKE changes on the nodes that there are. For all others, and for another
version, it makes the nodes anew. Source:
cloud.google.com/kubernetes-engine/docs/how-to/update-existing-nodepools."""
SYSTEM_NAMESPACES: Final = ("kube-", "gke-", "gmp-", "kueue-system", "jobset-system")
"""Beginnings of namespaces that belong to Kubernetes, GKE and the controllers."""

_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-[a-z0-9]+")
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})-gke\.(\d{1,9})")
_VERSION_ALIAS = re.compile(r"(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?")


def region_of(location: str) -> str:
    """The region of a zone; a region is its own.

    >>> region_of("us-west4-a"), region_of("us-west4")
    ('us-west4', 'us-west4')
    """
    match = _ZONE.fullmatch(location)
    return location if match is None else match.group(1)


def is_zone(location: str) -> bool:
    """Whether a location is a zone such as us-west4-a rather than a region."""
    return _ZONE.fullmatch(location) is not None


def parse_version(text: str) -> tuple[int, int, int, int]:
    """A full GKE version such as `1.33.0-gke.1712000` as numbers that compare in the order of the releases.

    >>> parse_version("1.33.0-gke.1712000") < parse_version("1.33.10-gke.1")
    True

    Raises:
        ValueError: `text` is not of the form MAJOR.MINOR.PATCH-gke.BUILD.
    """
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a full GKE version such as 1.33.0-gke.1712000")
    major, minor, patch, build = (int(part) for part in match.groups())
    return major, minor, patch, build


def is_at_least(version: str, floor: str) -> bool:
    """Whether a full GKE version is not older than another.

    >>> is_at_least("1.33.0-gke.1712000", "1.33.0-gke.1712000")
    True

    Raises:
        ValueError: one of them is not of the form MAJOR.MINOR.PATCH-gke.BUILD.
    """
    return parse_version(version) >= parse_version(floor)


def can_be_at_least(version: str, floor: str) -> bool:
    """Whether the version that GKE chooses for a stated one can be at least `floor`.

    For `1.33` GKE takes the newest 1.33.

    True for words such as `latest`, whose version is not known.

    >>> can_be_at_least("1.33", "1.33.0-gke.1712000"), can_be_at_least("1.32", "1.33.0-gke.1712000")
    (True, False)

    Raises:
        ValueError: `floor` is not a full version.
    """
    alias = _VERSION_ALIAS.fullmatch(version)
    if alias is not None:
        stated = tuple(int(part) for part in alias.groups() if part is not None)
        return stated >= parse_version(floor)[: len(stated)]
    return _VERSION.fullmatch(version) is None or is_at_least(version, floor)

"""Every name that is derived from a name in the stack file, and what the longest of them may be.

Names are never cut: a name that does not fit is a finding that shows the arithmetic.
"""

from __future__ import annotations

import re
from typing import Final

PODS_RANGE: Final = "pods"
SERVICES_RANGE: Final = "services"
REPLICATED_JOB: Final = "slice"
"""The one replicated job of a JobSet: a Job per slice."""
CONTAINER: Final = "jax-tpu"
TASK_CONTAINER: Final = "task"
"""The one container of a batch job's pod."""
CHECKPOINTS_VOLUME: Final = "checkpoints"
"""The volume of a pod with the memory of its host that multi-tier checkpointing looks after."""
DEFAULT_ACCOUNT: Final = "default"
"""The ServiceAccount that every namespace has."""
REDIS_CONTAINER: Final = "redis"
PASSWORD_KEY: Final = "password"  # noqa: S105  the key, not the password
"""The key of the password in a Redis's Secret."""
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_HASH: Final = "0123456789"
_POD_SUFFIX: Final = "-abcde"
"""The characters that Kubernetes appends to a pod's generated name: a hyphen and five characters."""


def subnetwork(network: str) -> str:
    """The subnetwork that nodes are in."""
    return f"{network}-nodes"


def router(network: str) -> str:
    """The router that carries NAT."""
    return f"{network}-router"


def nat(network: str) -> str:
    """The NAT gateway of private nodes."""
    return f"{network}-nat"


def private_services_range(network: str) -> str:
    """The range of addresses of Google's services that are reached without public addresses."""
    return f"{network}-private-services"


def lustre_firewall(network: str) -> str:
    """The firewall rule from Managed Lustre instances to nodes."""
    return f"{network}-lustre"


def network_path(network: str, project: str) -> str:
    """The full name of a network, which may be given by its name alone or by a link.

    >>> network_path("ml", "p")
    'projects/p/global/networks/ml'
    >>> network_path("https://www.googleapis.com/compute/v1/projects/host/global/networks/shared", "p")
    'projects/host/global/networks/shared'
    """
    _, found, rest = network.partition("projects/")
    return f"{found}{rest}" if found else f"projects/{project}/global/networks/{network}"


def checkpoint_configuration(cluster: str) -> str:
    """The object that configures multi-tier checkpointing."""
    return f"{cluster}-checkpoints"


def webhook_firewall(cluster: str) -> str:
    """The firewall rule from a private control plane to the controllers' servers."""
    return f"{cluster}-webhooks"


def node_account_id(cluster: str) -> str:
    """The id of the service account that nodes run as: 30 characters, so the cluster's name has 24 at most."""
    return f"{cluster}-nodes"


def workload_policy(cluster: str, topology: str) -> str:
    """The workload policy of slices of a topology."""
    return f"{cluster}-slices-{topology}"


def lustre_handle(project: str, location: str, instance: str) -> str:
    """How the driver of Managed Lustre names an instance."""
    return f"{project}/{location}/{instance}"


def disk_handle(project: str, zone: str, disk: str) -> str:
    """How the driver of disks names a disk."""
    return f"projects/{project}/zones/{zone}/disks/{disk}"


def persistent_volume(share: str, namespace: str, claim: str) -> str:
    """The PersistentVolume behind a claim; volumes of all namespaces are beside each other."""
    return f"{share}-{namespace}-{claim}"


def account_of(stated: str | None) -> str:
    """The ServiceAccount as which pods act that state this one."""
    return DEFAULT_ACCOUNT if stated is None else stated


def workload_identity(workload_pool: str, namespace: str, account: str = DEFAULT_ACCOUNT) -> str:
    """How IAM policies name the pods of a ServiceAccount that have a network of their own."""
    return f"serviceAccount:{workload_pool}[{namespace}/{account}]"


def account_email(account_id: str, project: str) -> str:
    """The address of a service account, which IAM derives from its id and project; a domain follows the project's name.

    >>> account_email("nodes", "my-project"), account_email("nodes", "example.com:my-project")
    ('nodes@my-project.iam.gserviceaccount.com', 'nodes@my-project.example.com.iam.gserviceaccount.com')
    """
    domain, _, name = project.rpartition(":")
    return f"{account_id}@{name}{'.' if domain else ''}{domain}.iam.gserviceaccount.com"


def slice_pools(name: str, slices: int | None, *, is_multi_host: bool) -> tuple[str, ...]:
    """The node pools of an entry of `tpu_slices`: one per multi-host slice, one for all single-host slices.

    >>> slice_pools("v5e", 2, is_multi_host=True), slice_pools("v5e", None, is_multi_host=True)
    (('v5e1', 'v5e2'), ('v5e',))
    """
    if slices is None or not is_multi_host:
        return (name,)
    return tuple(f"{name}{number}" for number in range(1, slices + 1))


def longest_pod(jobset: str, slices: int, hosts: int, replicated_job: str = REPLICATED_JOB) -> str:
    """The longest name among a JobSet's pods; it is also a hostname, so it has 63 characters at most.

    JobSet names a pod by the JobSet, the replicated job, the job's index, the pod's index and a suffix.

    >>> longest_pod("train", 12, 2)
    'train-slice-11-1-abcde'
    """
    return f"{jobset_job(jobset, slices - 1, replicated_job)}-{hosts - 1}{_POD_SUFFIX}"


def jobset_job(jobset: str, index: int, replicated_job: str = REPLICATED_JOB) -> str:
    """The name of one Job of a JobSet."""
    return f"{jobset}-{replicated_job}-{index}"


def longest_job_pod(job: str, hosts: int) -> str:
    """The longest hostname among a Job's pods, which Kubernetes makes of the Job and the pod's index.

    >>> longest_job_pod("train", 12)
    'train-11'
    """
    return f"{job}-{hosts - 1}"


def is_label(name: str) -> bool:
    """Whether the name is a DNS label that begins with a letter, as RFC 1035 has it, whatever its length.

    >>> is_label("run-7b"), is_label("7b")
    (True, False)
    """
    return _DNS_1035.fullmatch(name) is not None


def as_label(name: str) -> str:
    """A DNS label that is like the name.

    >>> as_label("7b_Large")
    'run-7b-large'
    """
    spelt = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return spelt if spelt[:1].isalpha() else f"run-{spelt}".rstrip("-")


def revision_label(stateful_set: str) -> str:
    """A label that Kubernetes gives the pods of a StatefulSet: its name and a hash of ten characters."""
    return f"{stateful_set}-{_HASH}"


def bucket_volume(number: int) -> str:
    """One of the volumes of a pod that are buckets."""
    return f"bucket-{number}"


def volume(kind: str, source: str) -> str:
    """The volume of a pod that shows an object of the namespace; a volume's name has no dots.

    >>> volume("config-map", "kube-root-ca.crt")
    'config-map-kube-root-ca-crt'
    """
    return f"{kind}-{source.replace('.', '-')}"


def secret_provider_class(secret: str, version: str) -> str:
    """The SecretProviderClass of a version of a secret of Secret Manager, and the volume with it.

    >>> secret_provider_class("HF_token", "latest"), secret_provider_class("HF_token", "3")
    ('secret-manager-hf-token', 'secret-manager-hf-token-3')
    """
    name = f"secret-manager-{secret.lower().replace('_', '-')}"
    return name if version == "latest" else f"{name}-{version}"


def redis_secret(redis: str) -> str:
    """The Secret with the password of a Redis."""
    return f"{redis}-password"


def in_namespace(namespace: str, name: str) -> str:
    """The name under which the engine knows an object of a namespace."""
    return f"{namespace}/{name}"

"""Configuration of the pods of every kind of workload, and of the accounts and Secrets that pods use."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.section import BELOW, Distinct, OptionalCount, Section, Variant, Variants
from components.model.config.values import (
    QUALIFIED_NAME,
    AmountText,
    BucketName,
    ImageReference,
    KubernetesName,
    Matching,
    MountPath,
    NodeLabelKey,
    NodeLabelValue,
    ResourceName,
    Text,
    VariableName,
)
from components.model.facts.gcs_fuse import Profile
from components.model.facts.gke import DEFAULT_NAMESPACE

# --- values of pods

AnnotationKey = Annotated[
    str,
    Matching(
        QUALIFIED_NAME,
        "is not a key that Kubernetes takes for an annotation",
        "Such as team, or example.com/team.",
    ),
]
ObjectName = Annotated[
    str,
    Matching(
        r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
        "is not a name that Kubernetes takes",
        "Lower-case letters, digits, hyphens and dots, beginning and ending with a letter or digit.",
    ),
]
KeyName = Annotated[
    str,
    Matching(
        r"(?!\.\.?$)(?!\.\.)[-._A-Za-z0-9]{1,253}",
        "is not a key of a Secret or a ConfigMap",
        "Up to 253 letters, digits, hyphens, underscores and dots, not beginning with two dots.",
    ),
]
"""Source: k8s.io/apimachinery 0.36, pkg/util/validation (IsConfigMapKey)."""
SecretId = Annotated[
    str,
    Matching(
        r"[-_A-Za-z0-9]{1,255}",
        "is not the name of a secret of Secret Manager",
        "Up to 255 letters, digits, hyphens and underscores.",
    ),
]
"""Source: Secret Manager API, projects.secrets.create, read 2026-11."""
RoleName = Annotated[
    str,
    Matching(
        r"((projects|organizations)/[-a-z0-9.:]+/)?roles/[A-Za-z0-9_.]+",
        "is not the name of a role",
        "Such as roles/bigquery.dataViewer.",
    ),
]
SecretVersion = Annotated[
    str,
    Matching(r"latest|[1-9][0-9]*", "is not a version of a secret", "A number in quotes, or latest."),
]
PodFieldPath = Annotated[
    str,
    Matching(
        r"metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)"
        r"|status\.(hostIP|hostIPs|podIP|podIPs)",
        "is not a field of a pod that a variable can have",
        "One of metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], "
        "metadata.annotations['KEY'], spec.nodeName, spec.serviceAccountName, status.hostIP and status.podIP.",
    ),
]
"""Source: Kubernetes 1.36, pkg/apis/core/validation (validEnvDownwardAPIFieldPathExpressions)."""
SubPath = Annotated[
    str,
    Matching(
        r"(?!/)(?!(.*/)?\.\.(/|$)).+",
        "is not a folder inside a volume",
        "A relative path without .., such as checkpoints/run-1.",
    ),
]
BucketFolder = Annotated[
    str,
    Matching(
        r"(?!.*(^|/)\.\.(/|$))[^/,\s][^,\s]*",
        "is not a folder of a bucket",
        "A relative path without commas, blanks and .., such as data/train.",
    ),
]


SCRATCH: Final = "scratch"
"""Name of an ephemeral folder that states none."""

# --- environment variables


class SecretKey(Section):
    """A value in a Secret of the namespace."""

    secret: ObjectName
    """Name of a Secret of the namespace, which has the value."""
    key: KeyName
    """The key of the value in the Secret."""


class ConfigMapKey(Section):
    """A value in a ConfigMap of the namespace."""

    config_map: ObjectName
    """Name of a ConfigMap of the namespace, which has the value."""
    key: KeyName
    """The key of the value in the ConfigMap."""


class PodField(Section):
    """A field of the pod itself."""

    field: PodFieldPath
    """A field of the pod, such as metadata.name or status.podIP."""


Value = Annotated[
    Annotated[str, Tag("|text")]
    | Annotated[SecretKey, Tag("|SecretKey")]
    | Annotated[ConfigMapKey, Tag("|ConfigMapKey")]
    | Annotated[PodField, Tag("|PodField")],
    Discriminator(
        Variants(
            Variant(SecretKey, ("secret",)),
            Variant(ConfigMapKey, ("config_map",)),
            Variant(PodField, ("field",)),
            takes_text=True,
        )
    ),
]
"""The value of a variable: text, or where the value is."""
Environment = dict[VariableName, Value]

# --- mounts


class _Mounted(Section):
    """The keys of every mount."""

    path: MountPath
    """Where the folder is in the container."""
    read_only: bool = False
    """The container cannot write to the folder."""
    sub_path: SubPath | None = None
    """A folder inside the volume; by default all of it is mounted."""


class ClaimMount(_Mounted):
    """A PersistentVolumeClaim of the namespace, as a folder."""

    claim: KubernetesName
    """Name of the PersistentVolumeClaim."""


class EphemeralMount(_Mounted):
    """An empty folder that lives as long as the pod."""

    ephemeral: AmountText
    """Size of an empty folder on the node's boot disk, such as 50Gi; it lives as long as the pod."""
    name: KubernetesName = SCRATCH
    """Containers of a pod that mount a folder of the same name share it."""
    in_memory: bool = False
    """The folder is in the memory of the node, and counts as memory of the pod."""


class SecretMount(_Mounted):
    """A Secret of the namespace: a file for each of its keys."""

    secret: ObjectName
    """Name of a Secret of the namespace; each of its keys is a file."""


class ConfigMapMount(_Mounted):
    """A ConfigMap of the namespace: a file for each of its keys."""

    config_map: ObjectName
    """Name of a ConfigMap of the namespace; each of its keys is a file."""


class BucketMount(Section):
    """A bucket as a folder, by Cloud Storage FUSE."""

    bucket: BucketName
    """Name of the bucket, one of `buckets`; the pods' service account is granted access to it."""
    path: MountPath
    """Where the folder is in the container."""
    read_only: bool = False
    """The pods can only read the bucket."""
    only_dir: BucketFolder | None = None
    """A folder of the bucket; by default all of it is mounted."""
    profile: Profile | None = None
    """What the mount is fast for: training reads many files once; checkpointing writes and reads large files; serving
    reads large files again and again. Metadata is then kept as long as the pod runs; by default for 60 seconds."""
    cache_gib: OptionalCount | None = None
    """Memory of the node for files that were read, in GiB. By default the profiles checkpointing and serving take
    what they need; others none."""
    metadata_ttl_seconds: Annotated[int, Field(ge=-1, lt=BELOW)] | None = None
    """How long names and sizes of files are kept, instead of what the profile says; -1 is as long as the pod runs."""
    parallel_download: bool | None = None
    """Whether a large file is read in several parts at once; it needs memory for files. By default the profile
    decides."""


class CheckpointsMount(Section):
    """The memory of the host that multi-tier checkpointing looks after, as a folder."""

    checkpoints: Literal[True]
    """The folder of multi-tier checkpointing, which `cluster.checkpoints` sets up."""
    path: MountPath
    """Where the folder is in the container; the program writes its checkpoints there."""


class SecretManagerMount(Section):
    """A secret of Secret Manager, as a file."""

    secret_manager: SecretId
    """Name of a secret of Secret Manager in the stack's project; it is a file of the same name."""
    version: SecretVersion = "latest"
    """Version of the secret: a number, or latest."""
    path: MountPath
    """The folder of the file."""


Mount = Annotated[
    Annotated[ClaimMount, Tag("|ClaimMount")]
    | Annotated[EphemeralMount, Tag("|EphemeralMount")]
    | Annotated[SecretMount, Tag("|SecretMount")]
    | Annotated[ConfigMapMount, Tag("|ConfigMapMount")]
    | Annotated[BucketMount, Tag("|BucketMount")]
    | Annotated[CheckpointsMount, Tag("|CheckpointsMount")]
    | Annotated[SecretManagerMount, Tag("|SecretManagerMount")],
    Discriminator(
        Variants(
            Variant(ClaimMount, ("claim",)),
            Variant(EphemeralMount, ("ephemeral",)),
            Variant(SecretMount, ("secret",)),
            Variant(ConfigMapMount, ("config_map",)),
            Variant(BucketMount, ("bucket",)),
            Variant(CheckpointsMount, ("checkpoints",)),
            Variant(SecretManagerMount, ("secret_manager",)),
        )
    ),
]
"""A volume as a folder of a container."""

# --- pods


class _ContainerKeys(Section):
    """The keys of every container."""

    env: Environment = Field(default_factory=dict[str, Value])
    """Environment variables of the container. A value is text, or names a Secret, a ConfigMap or a field of the pod."""
    mounts: tuple[Mount, ...] = ()
    """Volumes that the container mounts as folders."""
    resources: dict[ResourceName, AmountText] = Field(default_factory=dict[ResourceName, AmountText])
    """Resources of the container, as requests and as limits."""


class Sidecar(_ContainerKeys):
    """A container that runs beside the workload's own, and ends with it."""

    at_most_one = (("script", "command"), ("script", "args"))

    name: KubernetesName
    """Name of the container."""
    image: ImageReference
    """Image of the container."""
    script: Text | None = None
    """Lines for bash."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments."""
    args: tuple[Text, ...] | None = None
    """Arguments of the image's own program, or of `command`."""


class PodKeys(_ContainerKeys):
    """The keys that the pods of every kind of workload may have."""

    service_account: ObjectName | None = None
    """Name of a Kubernetes ServiceAccount of the namespace, as which the pods act; by default it is `default`."""
    sidecars: tuple[Sidecar, ...] = ()
    """Containers beside the workload's own. They start before it, and end when it ends."""
    grace_seconds: OptionalCount | None = None
    """Seconds between SIGTERM and SIGKILL when a pod is ended; by default Kubernetes gives 30."""
    image_pull_secrets: Annotated[tuple[ObjectName, ...], Distinct] = ()
    """Secrets of the namespace with which nodes pull the images."""
    labels: dict[NodeLabelKey, NodeLabelValue] = Field(default_factory=dict[str, str])
    """Labels of the workload and of its pods."""
    annotations: dict[AnnotationKey, str] = Field(default_factory=dict[str, str])
    """Annotations of the workload and of its pods."""


# --- accounts and Secrets


class ServiceAccount(Section):
    """A Kubernetes ServiceAccount, as which pods act."""

    name: ObjectName
    """Name of the ServiceAccount."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the pods that act as it."""
    roles: Annotated[tuple[RoleName, ...], Distinct] = ()
    """Roles of the project that its pods get by Workload Identity, such as roles/bigquery.dataViewer."""
    existing: bool = False
    """The account exists: the stack only grants it roles."""


class Secret(Section):
    """A Kubernetes Secret. The stack file has its values encrypted."""

    name: ObjectName
    """Name of the Secret."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the pods that read it."""
    data: Annotated[dict[KeyName, str], Field(min_length=1)]
    """The values by their keys. `pulumi config set --secret --path` encrypts a value; a value in clear is an error."""

"""The inputs for pods of a JobSet; a test compares them with `components/model/config/pods.py`."""

from typing import Any, NotRequired, TypedDict, cast

from components.model.places import Key
from package.variables import Variable


class Mount(TypedDict):
    """A volume as a folder of a container; the namespace has it, and the component makes nothing of it."""

    path: str
    """Where the folder is in the container."""
    claim: NotRequired[str]
    """Name of a PersistentVolumeClaim; either this or one of `ephemeral`, `secret`, `config_map`, `bucket` and
    `checkpoints`."""
    ephemeral: NotRequired[str]
    """Size of an empty folder that lives as long as the pod, such as `50Gi`."""
    secret: NotRequired[str]
    """Name of a Secret; each of its keys is a file."""
    config_map: NotRequired[str]
    """Name of a ConfigMap; each of its keys is a file."""
    bucket: NotRequired[str]
    """Name of a bucket, by Cloud Storage FUSE; the service account of the pods must have access to it."""
    checkpoints: NotRequired[bool]
    """`true` mounts the memory of the host that multi-tier checkpointing looks after."""
    read_only: NotRequired[bool]
    """Whether the container cannot write to the folder."""
    sub_path: NotRequired[str]
    """A folder inside a claim, an empty folder, a Secret or a ConfigMap."""
    name: NotRequired[str]
    """Of an empty folder: containers that mount a folder of the same name share it."""
    in_memory: NotRequired[bool]
    """Of an empty folder: whether it is in the memory of the node."""
    only_dir: NotRequired[str]
    """A folder of a bucket."""
    profile: NotRequired[str]
    """What the mount of a bucket is fast for: `training`, `checkpointing` or `serving`."""
    cache_gib: NotRequired[int]
    """Memory for files of a bucket, in GiB; left out, the profile decides."""
    metadata_ttl_seconds: NotRequired[int]
    """How long names and sizes of files of a bucket are kept; left out, the profile decides."""
    parallel_download: NotRequired[bool]
    """Whether a large file of a bucket is read in several parts at once; left out, the profile decides."""


class Sidecar(TypedDict):
    """A container that runs beside the workload's own, and ends with it."""

    name: str
    """Name of the container."""
    image: str
    """Image of the container."""
    script: NotRequired[str]
    """Lines for bash."""
    command: NotRequired[list[str]]
    """A program and its arguments."""
    args: NotRequired[list[str]]
    """Arguments of the image's own program, or of `command`."""
    env: NotRequired[dict[str, Variable]]
    """Environment variables of the container."""
    mounts: NotRequired[list[Mount]]
    """Volumes that the container mounts as folders."""
    resources: NotRequired[dict[str, str]]
    """Resources of the container, as requests and as limits."""


def in_stack_file(container: Any) -> dict[str, Any]:  # noqa: ANN401  a TypedDict
    """A container as a stack file has it: a variable is text, or says where the value is."""
    written = cast("dict[str, Any]", dict(container))
    if "env" in written:
        written["env"] = {name: _value(each) for name, each in written["env"].items()}
    if "sidecars" in written:
        written["sidecars"] = [in_stack_file(each) for each in written["sidecars"]]
    return written


def mounted_buckets(container: Any) -> dict[str, tuple[Key, ...]]:  # noqa: ANN401  a TypedDict
    """The buckets that a container and its sidecars mount, each with the path at which the first mount names it."""
    found: dict[str, tuple[Key, ...]] = {}
    for index, mount in enumerate(container.get("mounts", ())):
        if "bucket" in mount:
            found.setdefault(mount["bucket"], ("mounts", index, "bucket"))
    for index, sidecar in enumerate(container.get("sidecars", ())):
        for bucket, path in mounted_buckets(sidecar).items():
            found.setdefault(bucket, ("sidecars", index, *path))
    return found


def _value(variable: Variable) -> str | Variable:
    return variable["value"] if variable.keys() == {"value"} and "value" in variable else variable

"""Cloud Storage FUSE on GKE: buckets as folders of pods, and what makes a mount fast for one kind of work.

From 1.35.1-gke.1616000 on GKE also has StorageClasses for the three kinds of work (gcsfusecsi-training,
gcsfusecsi-checkpointing, gcsfusecsi-serving), for PersistentVolumes alone. The options of Google's sample volumes for
TPUs work on older clusters and in the pod itself, so a profile here is those options. `--profile=aiml-training` is for
machines without GKE: GKE's driver refuses it.

Sources, read 2026-11: GoogleCloudPlatform/gcsfuse, samples/gke-csi-yaml/tpu (options); Cloud Storage documentation
"Optimize Cloud Storage FUSE with sample YAML files" (their floor); GKE reference "Cloud Storage FUSE CSI driver volume
attributes"; GoogleCloudPlatform/gcs-fuse-csi-driver, docs/releases.md (floors of features) and pkg/csi_driver/utils.go
(which attribute becomes which option).
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

DRIVER: Final = "gcsfuse.csi.storage.gke.io"
ANNOTATION: Final = "gke-gcsfuse/volumes"
"""On pods, with the value "true": GKE adds the sidecar that mounts buckets."""
MEMORY_LIMIT: Final = "gke-gcsfuse/memory-limit"
SIDECAR_LIMITS: Final = ("gke-gcsfuse/cpu-limit", MEMORY_LIMIT, "gke-gcsfuse/ephemeral-storage-limit")
"""Annotations on pods; the sidecar's own limits slow transfers down."""
NO_LIMIT: Final = "0"
"""Value of those annotations on Standard clusters; Autopilot demands a limit."""
CACHE_VOLUME: Final = "gke-gcsfuse-cache"
"""Name of the volume of a pod in which the sidecar keeps files, if the pod has it."""
ROLE_READ: Final = "roles/storage.objectViewer"
"""The role that reads objects of a bucket."""
HOST_NETWORK_FLOOR: Final = "1.33.3-gke.1226000"
"""The first version in which a pod on its host's network reads a bucket as its own service account."""
PROFILE_FLOOR: Final = "1.32.2-gke.1297001"
"""The first version that knows every option of the profiles."""
PARALLEL_FLOOR: Final = "1.30.2-gke.1394000"
"""The first version with parallel downloads."""

Profile = Literal["training", "checkpointing", "serving"]
_METADATA: Final = (
    "implicit-dirs",
    "metadata-cache:negative-ttl-secs:0",
    "metadata-cache:ttl-secs:-1",
    "metadata-cache:stat-cache-max-size-mb:-1",
)
_READ_AHEAD: Final = "read_ahead_kb=1024"
RANGE_READ: Final = "file-cache:cache-file-for-range-read:true"
PARALLEL: Final = "file-cache:enable-parallel-downloads:true"
NOT_PARALLEL: Final = "file-cache:enable-parallel-downloads:false"
_FILES: Final = ("file-cache:max-size-mb:-1", RANGE_READ, PARALLEL, _READ_AHEAD)
_MIB_PER_GIB: Final = 1024
KEEPS_FOREVER: Final = -1
"""As a number of seconds."""


class Tuning(Struct, frozen=True, kw_only=True):
    """The mount options of a profile."""

    options: tuple[str, ...]
    has_file_cache: bool
    """Whether it keeps files in memory."""


PROFILES: Final[dict[Profile, Tuning]] = {
    "training": Tuning(options=_METADATA, has_file_cache=False),
    "checkpointing": Tuning(
        options=(
            *_METADATA,
            "metadata-cache:type-cache-max-size-mb:-1",
            *_FILES,
            "write:enable-streaming-writes:true",
        ),
        has_file_cache=True,
    ),
    "serving": Tuning(options=(*_METADATA, *_FILES), has_file_cache=True),
}
PLAIN: Final = Tuning(options=("implicit-dirs",), has_file_cache=False)
"""Options of a mount without a profile: folders are seen, all else is the driver's default."""


def tuning(profile: Profile | None) -> Tuning:
    """The options of a profile, or of a mount without one."""
    return PLAIN if profile is None else PROFILES[profile]


def kept_metadata(seconds: int) -> str:
    """The option by which metadata is kept so long."""
    return f"metadata-cache:ttl-secs:{seconds}"


def kept_files(gib: int) -> str:
    """The option by which files of so many GiB are kept."""
    return f"file-cache:max-size-mb:{gib * _MIB_PER_GIB}"


def owned_by(user: int | None) -> tuple[str, ...]:
    """The options by which files belong to a user, as programs that do not run as root need it; none for None."""
    return () if user is None else (f"uid={user}", f"gid={user}")


def option_name(option: str) -> str:
    """The name of an option, without its value.

    >>> option_name("metadata-cache:ttl-secs:-1"), option_name("read_ahead_kb=1024"), option_name("implicit-dirs")
    ('metadata-cache:ttl-secs', 'read_ahead_kb', 'implicit-dirs')
    """
    return option.rpartition(":")[0] if ":" in option else option.partition("=")[0]

"""Cloud Storage FUSE: a bucket, or a folder in it, as a volume.

A pod in the host's network reads its token from the node, and so is the node's service account, unless the volume says
`hostNetworkPodKSA`. Mount options other than the folder, and the caches, have no effect. The sidecar is not added.

Source: the texts of pkg/csi_driver/node.go and docs/troubleshooting.md of GoogleCloudPlatform/gcs-fuse-csi-driver; GKE
documentation of the driver, read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import section
from components.model.facts import gke
from simulator.cloud.api import CloudError
from simulator.pods.csi.request import Request, code_of
from simulator.pods.storage import Identity

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "gcsfuse.csi.storage.gke.io"
ANNOTATION: Final = "gke-gcsfuse/volumes"
_METADATA_SERVER: Final = "iam.gke.io/gke-metadata-server-enabled"
_ONLY_DIR: Final = "only-dir"
_TRUE: Final = "true"


def mount(request: Request) -> Path:
    """The folder of the bucket.

    Raises:
        VolumeError: there is no bucket, it may not be listed, or the pod or its node lacks what the driver needs.
    """
    bucket = request.attributes.get("bucketName", "") if request.is_inline else request.handle
    if not bucket:
        raise request.failed("InvalidArgument", "NodePublishVolume VolumeContext bucketName must be provided")
    folder = _checked(request, bucket)
    is_host = bool(section(request.pod, "spec").get("hostNetwork"))
    if not is_host and section(request.node, "metadata", "labels").get(_METADATA_SERVER) != _TRUE:
        raise request.failed(
            "FailedPrecondition",
            "Workload Identity Federation is not enabled on node. Please make sure this is enabled on both cluster and "
            "node pool level (https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity)",
        )
    if str(section(request.pod, "metadata", "annotations").get(ANNOTATION, "")).lower() != _TRUE:
        raise request.failed("FailedPrecondition", "failed to find the sidecar container in Pod spec")
    if is_host and request.attributes.get("hostNetworkPodKSA", "").lower() != _TRUE:
        _check_node(request, bucket)
    inside = _only_dir(request)
    found = folder / inside
    if not found.resolve().is_relative_to(folder.resolve()):
        raise request.failed("InvalidArgument", f"only-dir {inside} leads out of the bucket")
    found.mkdir(parents=True, exist_ok=True)
    return found


def _checked(request: Request, bucket: str) -> Path:
    try:
        return request.storage.bucket(bucket, request.identity)
    except CloudError as error:
        if "getAccessToken" in error.message:
            raise request.failed(
                "Unauthenticated",
                f"failed to prepare storage service: storage service manager failed to setup service: {error.in_words}",
            ) from None
        raise request.failed(code_of(error), f'failed to get GCS bucket "{bucket}": {error.in_words}') from None


def _check_node(request: Request, bucket: str) -> None:
    """Fail as gcsfuse itself does, which runs as the node in the host's network."""
    pool = section(request.node, "metadata", "labels").get(gke.LABEL_NODE_POOL, "")
    try:
        request.storage.bucket(bucket, Identity(pool=pool))
    except CloudError as error:
        raise request.failed(
            code_of(error),
            "gcsfuse failed with error: Error while mounting gcsfuse: mountWithArgs: mountWithStorageHandle: "
            f"fs.NewServer: create file system: SetUpBucket: Error in iterating through objects: {error.in_words}",
        ) from None


def _only_dir(request: Request) -> str:
    options = request.attributes.get("mountOptions", "").split(",")
    pairs = (each.replace("=", ":").partition(":") for each in options)
    return next((value for key, _, value in pairs if key.strip() == _ONLY_DIR), "").strip().strip("/")

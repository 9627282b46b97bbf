"""Multi-Tier Checkpointing: a folder of the node for the checkpoints of a workload, with a backup in a bucket.

A pod that starts again on the node finds its files there. On another node it finds those of the backup. What a pod
writes is backed up at once, where the real replicator does so from time to time; nothing is kept in memory.

The driver runs on the nodes that a CheckpointConfiguration selects, as a pod that mounts the bucket.

Source: GKE documentation "Multi-Tier Checkpointing" and GoogleCloudPlatform/high-scale-checkpointing-controller, read
2026-11; the sentences in brackets are ours.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from simulator.cloud.api import CloudError
from simulator.pods.csi.request import Request, VolumeError
from simulator.pods.selectors import untolerated
from simulator.pods.storage import Identity

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "multitier-checkpoint.csi.storage.gke.io"
NAMESPACE: Final = "gke-managed-checkpointing"
ACCOUNT: Final = "gke-checkpointing-multitier-node"
"""The Kubernetes service account of the driver, which writes the backups."""
CONFIGURATIONS: Final = "/apis/checkpointing.gke.io/v1/checkpointconfigurations"
_JOBSET: Final = "jobset.sigs.k8s.io/jobset-name"
_REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"
_JOB_INDEX: Final = "jobset.sigs.k8s.io/job-index"
_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_JOB: Final = "batch.kubernetes.io/job-name"


def mount(request: Request) -> Path:
    """The workload's folder on the node, filled from the backup when it is new.

    Raises:
        VolumeError: the driver does not run on the node.
    """
    backup = _backup(request)
    folder = request.kept / "checkpoints" / _place(request.pod)
    if not folder.exists():
        if backup.exists():
            shutil.copytree(backup, folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def back_up(request: Request) -> None:
    """Copy what is new in the workload's folder to the bucket, and remove there what the workload removed.

    Raises:
        VolumeError: the driver does not run on the node.
    """
    folder, backup = request.kept / "checkpoints" / _place(request.pod), _backup(request)
    if not folder.exists():
        return
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    for name, path in files.items():
        copy = backup / name
        if not copy.exists() or copy.stat().st_mtime_ns < path.stat().st_mtime_ns:
            copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copy2(path, copy)
    for path in [*backup.rglob("*")]:
        if path.is_file() and path.relative_to(backup) not in files:
            path.unlink()


def _backup(request: Request) -> Path:
    found = [each for each in request.api.items(CONFIGURATIONS) if _selects(each, request.node)]
    node = section(request.node, "metadata").get("name", "")
    if not found:
        raise _unregistered(request, f"no CheckpointConfiguration selects node {node}")
    bucket = str(section(found[0], "spec").get("cloudStorageBucketName", ""))
    try:
        root = request.storage.bucket(bucket, Identity(namespace=NAMESPACE, account=ACCOUNT))
    except CloudError as error:
        why = f'the driver\'s pod in {NAMESPACE} does not start: failed to get GCS bucket "{bucket}": {error.in_words}'
        raise _unregistered(request, why) from None
    return root / _place(request.pod)


def _selects(configuration: Document, node: Document) -> bool:
    spec = section(configuration, "spec")
    labels = section(node, "metadata", "labels")
    selected = all(labels.get(key) == value for key, value in section(spec, "nodeSelector").items())
    taints = [each for each in entries(node, "spec", "taints") if not _is_of_state(each["key"])]
    return selected and untolerated(taints, entries(spec, "tolerations")) is None


def _is_of_state(taint: str) -> bool:
    """Whether the taint says how its node fares, which every DaemonSet tolerates."""
    return taint.startswith("node.kubernetes.io/")


def _place(pod: Document) -> str:
    """Which files are the pod's: a pod of the same place in a later run of its workload finds them again."""
    metadata = pod["metadata"]
    labels = section(metadata, "labels")
    parts = [labels.get(name) for name in (_JOBSET, _REPLICATED_JOB, _JOB_INDEX, _INDEX)]
    if parts[0] is None:
        parts = [labels.get(_JOB) or metadata["name"], labels.get(_INDEX)]
    return "/".join([metadata["namespace"], *(str(part) for part in parts if part is not None)])


def _unregistered(request: Request, why: str) -> VolumeError:
    return VolumeError(
        f'MountVolume.SetUp failed for volume "{request.volume}" : kubernetes.io/csi: mounter.SetUpAt failed to get '
        f"CSI client: driver name {NAME} not found in the list of registered CSI drivers ({why})"
    )

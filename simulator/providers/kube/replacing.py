"""Which changes to a Kubernetes object need a new object, because the API server refuses them on the old one.

Name, namespace and kind always; beyond them only fields that the API declares immutable, for the kinds that a platform
declares itself. A custom resource is replaced only where the program asks for it (`replace_on_changes`).

Source: Kubernetes 1.34 API validation (ValidateXUpdate) of each kind, and what the official provider replaces.
"""

from __future__ import annotations

from typing import Final

from simulator.providers.differences import is_within

_ALWAYS: Final = ("apiVersion", "kind", "metadata.name", "metadata.namespace")
_BY_KIND: Final = {
    ("apps", "DaemonSet"): ("spec.selector",),
    ("apps", "Deployment"): ("spec.selector",),
    ("apps", "StatefulSet"): ("spec.selector", "spec.serviceName", "spec.podManagementPolicy"),
    ("batch", "Job"): ("spec.selector", "spec.template", "spec.completions", "spec.completionMode"),
    ("", "PersistentVolumeClaim"): ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    ("", "PersistentVolume"): ("spec.nfs", "spec.csi", "spec.storageClassName"),
    ("", "Pod"): ("spec",),
    ("", "Secret"): ("type",),
    ("", "Service"): ("spec.clusterIP",),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("scheduling.k8s.io", "PriorityClass"): ("value", "preemptionPolicy"),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
}


def needs_replacement(api_version: str, kind: str, path: str) -> bool:
    """Whether a change at property `path` of an object of that kind needs a new object."""
    group = api_version.rpartition("/")[0]
    immutable = (*_ALWAYS, *_BY_KIND.get((group, kind), ()))
    return any(is_within(path, field) for field in immutable)

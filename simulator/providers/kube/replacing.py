"""How the official provider carries out a change to a Kubernetes object: not at all, by an update or by a new object.

It makes a new object for another name, namespace or kind, and for the fields below. The API server refuses to change
more fields than these: their change fails as an update, unless the program replaces the object by options of its own
(`components/manifests/fixed_fields.py`). A custom resource is replaced only where the program asks for it.

Source: pulumi-kubernetes 4.32, forceNewProperties of provider/pkg/provider/diff.go, and its decisions on the objects of
this project (`tests/simulator/providers/official/`); read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from simulator.providers.differences import is_within

if TYPE_CHECKING:
    from simulator.providers.values import Properties

_ALWAYS: Final = ("apiVersion", "kind", "metadata.name", "metadata.namespace")
_BY_KIND: Final = {
    ("apps", "DaemonSet"): ("spec.selector",),
    ("apps", "Deployment"): ("spec.selector",),
    ("apps", "StatefulSet"): (
        *("spec.podManagementPolicy", "spec.revisionHistoryLimit", "spec.selector", "spec.serviceName"),
        "spec.volumeClaimTemplates",
    ),
    ("batch", "Job"): ("spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
    ("", "ConfigMap"): ("binaryData", "data"),
    ("", "PersistentVolumeClaim"): ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"),
    ("", "PersistentVolume"): ("spec.csi", "spec.hostPath", "spec.local", "spec.nfs"),
    ("", "Pod"): ("spec",),
    ("", "Secret"): ("data", "stringData", "type"),
    ("", "Service"): ("spec.clusterIP",),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner"),
}


def needs_replacement(api_version: str, kind: str, path: str) -> bool:
    """Whether a change at property `path` of an object of that kind needs a new object."""
    group = api_version.rpartition("/")[0]
    fields = (*_ALWAYS, *_BY_KIND.get((group, kind), ()))
    return any(is_within(path, field) for field in fields)


def as_compared(inputs: Properties) -> Properties:
    """`inputs` without a string that means the same empty as absent: the class of a PersistentVolume.

    The official provider reads objects of built-in kinds as Go's types, which leave such a string out. That does not
    apply to a claim, where an empty class differs from no class.
    """
    document: Document = dict(inputs)
    spec = section(document, "spec")
    if inputs.get("kind") == "PersistentVolume" and spec.get("storageClassName") == "":
        return {**inputs, "spec": {key: value for key, value in spec.items() if key != "storageClassName"}}
    return inputs

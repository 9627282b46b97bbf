"""An API server that holds what is applied to it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.kubeapi.server import Answer, Asked, FakeApiServer, Route, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi import Document
    from simulator.clusters.pki import ClusterFiles

QUEUE_VERSION: Final = "kueue.x-k8s.io/v1beta2"
_KINDS: Final[dict[str, list[tuple[str, str, bool]]]] = {
    "/api/v1": [
        ("ConfigMap", "configmaps", True),
        ("Namespace", "namespaces", False),
        ("PersistentVolumeClaim", "persistentvolumeclaims", True),
        ("Pod", "pods", True),
        ("Secret", "secrets", True),
        ("Service", "services", True),
    ],
    "/apis/apps/v1": [("Deployment", "deployments", True), ("StatefulSet", "statefulsets", True)],
    "/apis/batch/v1": [("Job", "jobs", True)],
}
_QUEUES: Final = [
    ("ClusterQueue", "clusterqueues", False),
    ("Cohort", "cohorts", False),
    ("LocalQueue", "localqueues", True),
    ("ResourceFlavor", "resourceflavors", False),
    ("WorkloadPriorityClass", "workloadpriorityclasses", False),
]
_COLLECTIONS: Final = {name for kinds in (*_KINDS.values(), _QUEUES) for _, name, _ in kinds} | {
    "customresourcedefinitions",
    "endpointslices",
}


def _group(version: str) -> Document:
    name, _, release = version.partition("/")
    served = {"groupVersion": version, "version": release}
    return {"name": name, "versions": [served], "preferredVersion": served}


class _Routes(dict[str, "Route"]):
    """Answers of a test for some requests, and the cluster's own for all others."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        super().__init__()
        self._answer = answer

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401  as the base class
        """The route of a request."""
        del default
        return super().get(key, self._answer)


@dataclass
class ApplyCluster:
    """Doubles an API server in what the provider asks of it: discovery, creating, applying, reading, deleting, watches.

    There are no controllers: `then` is called with what was stored and may change it after the answer. Namespaces must
    exist. Fields have no owners, but for what `conflict` says.
    """

    files: ClusterFiles
    objects: dict[str, Document] = field(default_factory=dict[str, "Document"])
    """By path."""
    has_queues: bool = True
    """Whether Kueue's CRDs are installed."""
    conflict: str | None = None
    """The message with which an apply without force is refused."""
    then: Callable[[Document], object] = str
    """What becomes of a document that was created or applied; nothing, unless a test says so."""

    def __post_init__(self) -> None:
        self.server = FakeApiServer(self.files, routes=_Routes(self._answer))
        self.put("/api/v1/namespaces/default", {"kind": "Namespace", "metadata": {"name": "default"}})

    @property
    def kubeconfig(self) -> str:
        """A kubeconfig of the cluster."""
        return self.server.kubeconfig()

    def put(self, path: str, document: Document) -> Document:
        """Store an object as the server would."""
        before = self.objects.get(path)
        version = 1 + max((int(each["metadata"]["resourceVersion"]) for each in self.objects.values()), default=0)
        metadata: Document = {
            "uid": f"uid-{version}",
            "generation": 1,
            **(before["metadata"] if before else {}),
            **document["metadata"],
            "resourceVersion": str(version),
            "managedFields": [{"manager": "somebody"}],
        }
        self.objects[path] = {**copy.deepcopy(document), "metadata": metadata}
        return self.objects[path]

    def sent(self, method: str) -> list[Asked]:
        """The requests of that method."""
        return [asked for asked in self.server.asked if asked.method == method]

    def _answer(self, asked: Asked) -> Answer:
        kinds = {**_KINDS, **({f"/apis/{QUEUE_VERSION}": _QUEUES} if self.has_queues else {})}
        if asked.path in kinds:
            found = kinds[asked.path]
            listed_kinds = [{"kind": kind, "name": name, "namespaced": spaced} for kind, name, spaced in found]
            version = asked.path.removeprefix("/apis/").removeprefix("/api/")
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": listed_kinds}
        if asked.path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if asked.path == "/apis":
            groups = [_group(path.removeprefix("/apis/")) for path in kinds if path.startswith("/apis/")]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        match asked.method:
            case "PATCH":
                return self._apply(asked)
            case "POST":
                return self._create(asked)
            case "DELETE":
                return self.objects.pop(asked.path, None) or self._missing(asked.path)
            case _:
                return self._read(asked)

    def _apply(self, asked: Asked) -> Answer:
        namespace = asked.body["metadata"].get("namespace")
        if namespace and f"/api/v1/namespaces/{namespace}" not in self.objects:
            return self._missing(f"/api/v1/namespaces/{namespace}")
        if self.conflict is not None and asked.query["force"] != "true":
            return 409, {"reason": "Conflict", "message": self.conflict}
        if "dryRun" in asked.query:
            return {**asked.body, "status": {"phase": "as a dry run leaves it"}}
        stored = self.put(asked.path, asked.body)
        answer = copy.deepcopy(stored)
        self.then(stored)
        return answer

    def _create(self, asked: Asked) -> Answer:
        name = asked.body["metadata"]["name"]
        path = f"{asked.path}/{name}"
        if path in self.objects:
            return 409, {"reason": "AlreadyExists", "message": f'"{name}" already exists'}
        stored = self.put(path, asked.body)
        answer = copy.deepcopy(stored)
        self.then(stored)
        return answer

    def _read(self, asked: Asked) -> Answer:
        *_, last = asked.path.split("/")
        if last not in _COLLECTIONS:
            found = self.objects.get(asked.path)
            return self._missing(asked.path) if found is None else copy.deepcopy(found)
        if "watch" in asked.query:
            return iter(())
        wanted = asked.query.get("fieldSelector", "").removeprefix("metadata.name=")
        items = [each for path, each in self.objects.items() if path.rpartition("/")[0] == asked.path]
        return listed("Thing", *(copy.deepcopy(each) for each in items if wanted in ("", each["metadata"]["name"])))

    def _missing(self, path: str) -> tuple[int, Document]:
        *_, plural, name = path.split("/")
        return 404, {"reason": "NotFound", "message": f'{plural} "{name}" not found'}

"""What GKE brings into a cluster's API server: kinds that every cluster has, and the objects of its add-ons.

`simulator/definitions/` has one file for each add-on with objects of its own; KubeRay's kinds are those of the pinned
release. The kinds of an add-on that is turned off stay, with the user's objects of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.kubeapi.discovery import DEFINITIONS, await_served
from components.model.facts import kinds
from components.model.facts.apis.fields import LIST, MAP, Field
from components.model.facts.apis.served import versions_of
from simulator.cloud.add_ons import RAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.kubeapi import Api
    from components.kubeapi.documents import Document

_FOLDER: Final = Path(__file__).parent.parent / "definitions"
_DEFINITION: Final = "CustomResourceDefinition"
_PATHS: Final = {
    "CSIDriver": "/apis/storage.k8s.io/v1/csidrivers",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    _DEFINITION: DEFINITIONS,
}
_TYPES: Final[Mapping[str, Document]] = {
    "text": {"type": "string"},
    "int": {"type": "integer"},
    "number": {"type": "number"},
    "bool": {"type": "boolean"},
    "quantity": {"x-kubernetes-int-or-string": True},
    "int-or-text": {"x-kubernetes-int-or-string": True},
}
_ANYTHING: Final[Document] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


class AddOns:
    """The objects of add-ons, by add-on."""

    def __init__(self, ray: Path) -> None:
        """`ray` is the folder with the definitions of KubeRay's kinds."""
        files = {path.stem: (path,) for path in sorted(_FOLDER.glob("*.yaml"))}
        self._files: Mapping[str, Sequence[Path]] = {**files, RAY: tuple(sorted(ray.glob("*.yaml")))}

    def install(self, api: Api, names: Sequence[str]) -> None:
        """Give a cluster the objects of the add-ons `names`, and take those of others away but for their kinds.

        Raises:
            ApiError, UnreachableError, WaitError: the API server did not take them.
        """
        for name in self._files:
            if name == RAY and name not in names:
                continue  # it has only kinds, which stay, and reading them takes a second
            for document in self._objects(name):
                if name in names:
                    apply(api, document)
                elif document["kind"] != _DEFINITION:
                    api.delete(f"{_PATHS[document['kind']]}/{document['metadata']['name']}")

    def _objects(self, name: str) -> Iterator[Document]:
        for path in self._files[name]:
            yield from filter(None, yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def apply(api: Api, document: Document) -> None:
    """Write one object; a kind is served when this returns.

    Raises:
        ApiError, UnreachableError: the API server did not take it.
        WaitError: the kind was not served in time.
    """
    path = f"{_PATHS[document['kind']]}/{document['metadata']['name']}"
    api.apply(path, document, manager="simulator", force=True)
    if document["kind"] == _DEFINITION:
        await_served(api, document["metadata"]["name"])


def compute_class() -> Document:
    """The definition of GKE's ComputeClass, from the fields that the rules know of it."""
    version = versions_of(kinds.COMPUTE_CLASS)["v1"]
    fields = {name: field for name, field in version.fields.items() if name not in ("apiVersion", "kind", "metadata")}
    schema: Document = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            **{name: _schema(field) for name, field in fields.items()},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": _DEFINITION,
        "metadata": {"name": "computeclasses.cloud.google.com"},
        "spec": {
            "group": "cloud.google.com",
            "scope": "Cluster",
            "names": {
                "kind": kinds.COMPUTE_CLASS.name,
                "listKind": f"{kinds.COMPUTE_CLASS.name}List",
                "plural": "computeclasses",
                "singular": "computeclass",
                "shortNames": ["cc", "ccs"],
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def _schema(field: Field) -> Document:
    kind = field.type_
    if kind.startswith(LIST):
        return {"type": "array", "items": _one(kind.removeprefix(LIST), field)}
    if kind.startswith(MAP):
        return {"type": "object", "additionalProperties": _one(kind.removeprefix(MAP), field)}
    return _one(kind, field)


def _one(kind: str, field: Field) -> Document:
    if kind in _TYPES:
        values: dict[str, Any] = {"enum": [*field.values]} if field.values else {}
        return {**_TYPES[kind], **values}
    if not field.fields:
        return _ANYTHING
    required = [name for name, each in field.fields.items() if each.is_required]
    inner: Document = {"type": "object", "properties": {name: _schema(each) for name, each in field.fields.items()}}
    return {**inner, "required": required} if required else inner

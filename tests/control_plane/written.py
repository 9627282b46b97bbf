"""Every field that a stack writes to Kubernetes, and what the API server says when it changes."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from components.kubeapi import Api, ApiError, Discovery, Document
from simulator.providers.differences import member
from tests.eventually import eventually
from tests.program.harness import Registered, run_committed
from tests.stacks import committed

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = str | int
_RUNS: Final = ("Job", "JobSet")
"""Replaced whenever anything of them changes."""
_IDENTITY: Final = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
_OF_ADD_ONS: Final = ("SecretProviderClass", "CheckpointConfiguration")
"""Kinds that only a cluster with an add-on serves, with definitions that say nothing of changes."""
_ORDER: Final = (
    *("Namespace", "PersistentVolume", "PersistentVolumeClaim", "Secret", "PriorityClass", "WorkloadPriorityClass"),
    *("ServiceAccount", "ProvisioningRequestConfig", "AdmissionCheck", "ComputeClass"),
    *("ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue", "StatefulSet", "Service"),
)
"""Each after what it refers to."""
_FIXED: Final = re.compile(
    r"immutable|may not be changed|Forbidden: updates to|only dynamically provisioned pvc can be resized"
)
_UNREAD: Final = re.compile(r"failed to (?:convert|create typed)|some validation rules were not checked")
"""The server did not get as far as to compare the change with what there is."""
_SUPPORTED: Final = re.compile(r'supported values: ((?:"\w+",? ?)+)')
_OTHERS: Final = ("9", "OQ==")
"""An amount, and what can be in a Secret."""


@dataclass(frozen=True)
class Written:
    """A field of an object that a stack declares."""

    resource: Registered
    path: tuple[Step, ...]
    value: Any
    others: list[Any]
    """Values that it has in other objects of the kind."""

    @property
    def field(self) -> tuple[str, str]:
        """Kind and path, with `*` for indices: what the field is in every object."""
        return self.kind, ".".join("*" if isinstance(step, int) else step for step in self.path)

    @property
    def kind(self) -> str:
        """Kind of the object."""
        return str(self.resource.inputs["kind"])

    @property
    def property(self) -> str:
        """The path as the engine writes it."""
        text = ""
        for step in self.path:
            text = f"{text}[{step}]" if isinstance(step, int) else member(text, step)
        return text

    def changed(self, value: object) -> Document:
        """The object with another value of the field."""
        document: Any = copy.deepcopy(self.resource.inputs)
        *parents, last = self.path
        at: Any = document
        for step in parents:
            at = at[step]
        at[last] = value
        return document


def written() -> list[Written]:
    """One of each field of all committed stacks, without those of runs and add-ons, and what an object is called."""
    found: dict[tuple[str, str], Written] = {}
    for resource in (each for stack in committed() for each in run_committed(stack).resources):
        kind = resource.inputs.get("kind")
        if not resource.type.startswith("kubernetes:") or kind is None or kind in (*_RUNS, *_OF_ADD_ONS):
            continue
        assert kind in _ORDER, f"{resource.reference}: {kind} has no place in the order"
        for path, value in _leaves(resource.inputs, ()):
            each = Written(resource, path, value, [])
            if path not in _IDENTITY:
                found.setdefault(each.field, each).others.append(value)
    return sorted(found.values(), key=lambda each: _ORDER.index(each.kind))


def fixed(api: Api, fields: list[Written]) -> Iterator[Written]:
    """Those that the server refuses to change on an object that is there; makes the objects."""
    discovery = Discovery(api)
    for resource in {each.resource.reference: each.resource for each in fields}.values():
        _make(api, discovery, resource.inputs)
    for each in fields:
        if _is_fixed(api, discovery.path(each.resource.inputs), each):
            yield each


def _leaves(value: object, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], object]]:
    match value:
        case dict():
            for key, item in cast("Document", value).items():
                yield from _leaves(item, (*path, key))
        case list():
            for index, item in enumerate(cast("list[object]", value)):
                yield from _leaves(item, (*path, index))
        case _:
            yield path, value


def _make(api: Api, discovery: Discovery, document: Document) -> None:
    namespace = document["metadata"].get("namespace")
    if namespace and api.find(f"/api/v1/namespaces/{namespace}") is None:
        api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    path = discovery.path(document)
    api.apply(path, document, manager="stack", force=True)
    if document["kind"] == "PersistentVolumeClaim":
        eventually(lambda: api.get(path)["status"].get("phase") == "Bound", what=f"{path} is bound")


def _is_fixed(api: Api, path: str, each: Written) -> bool:
    """Whether the server refuses a change for being one. Values that it does not even read say nothing of that."""
    tried = [each.value]
    match each.value:
        case bool():
            values = [not each.value]
        case int():
            values = [each.value + 1]
        case _:
            values = [*each.others, *_OTHERS, f"{each.value}x"]
    is_read = False
    while values:
        value = values.pop(0)
        if value in tried:
            continue
        tried.append(value)
        answer = _answer(api, path, each.changed(value))
        if answer is not None and _FIXED.search(answer):
            return True
        is_read |= answer is None or not _UNREAD.search(answer)
        values += [word for listed in _SUPPORTED.findall(answer or "") for word in re.findall(r"\w+", listed)]
    assert is_read, f"{each.resource.reference}: the server reads no value of {each.property} of {tried}"
    return False


def _answer(api: Api, path: str, document: Document) -> str | None:
    """The server's refusal, None if it takes the object; nothing changes."""
    try:
        api.apply(path, document, manager="stack", force=True, dry_run=True)
    except ApiError as error:
        return str(error)
    return None

"""Ordinary Kubernetes objects: written by server-side apply, read back in the shape of the program's inputs.

The API server checks every field: an unknown one is refused by server-side apply itself, and at preview the same
request is made as a dry run, so that a refusal by a webhook shows before anything is changed. Where the server cannot
check yet (the kind or the namespace will only exist after the update) the inputs stay as they are.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any, Final, cast

from components.kubeapi import ApiError, UnknownKindError
from components.kubeapi.documents import Document, section
from simulator.providers.base import (
    Change,
    Checked,
    Created,
    Difference,
    Failure,
    Found,
    PartlyCreatedError,
    ProviderError,
)
from simulator.providers.differences import changes_between, is_within
from simulator.providers.kube.awaiting import AwaitError, await_gone, await_ready, awaited_conditions
from simulator.providers.kube.replacing import as_compared, needs_replacement
from simulator.providers.values import Properties, Value, contains_unknown

if TYPE_CHECKING:
    from simulator.providers.base import Request
    from simulator.providers.kube.access import Access

_AUTONAMED: Final = "pulumi.com/autonamed"
_PROPAGATION: Final = "pulumi.com/deletionPropagationPolicy"
_FORCE: Final = "pulumi.com/patchForce"
_MANAGER: Final = "__fieldManager"
_INITIAL_VERSION: Final = "__initialApiVersion"
_NAME_LENGTH: Final = 8


class Objects:
    """Handles every type except Helm releases."""

    def __init__(self, access: Access, *, force: bool, namespace: str) -> None:
        """`force` takes over fields that another manager owns; `namespace` is used where an object names none."""
        self._access = access
        self._force = force
        self._namespace = namespace

    def check(self, request: Request) -> Checked:
        """Name and namespace filled in, and what says nothing left out; the rest is left to the API server."""
        new = request.new
        metadata = new.get("metadata")
        inputs: Properties = {**new, "metadata": dict(metadata) if isinstance(metadata, dict) else {}}
        failures = [
            Failure(key, f'"{key}" is required, as text')
            for key in ("apiVersion", "kind")
            if not isinstance(new.get(key), str)
        ]
        if section(cast("Document", inputs), "metadata").get("generateName") is not None:
            failures.append(Failure("metadata.generateName", "server-side apply needs a whole name: set metadata.name"))
        if (refusal := _unmodelled_wait(inputs)) is not None:
            failures.append(refusal)
        if not failures:
            self._name(request, inputs)
            self._place(request, inputs)
        return Checked(as_compared(inputs), failures)

    def diff(self, request: Request) -> Difference:
        """Changed properties; some replace the object, as with the official provider."""
        old, new = request.old, request.new
        api_version, kind = str(new.get("apiVersion")), str(new.get("kind"))
        changes: dict[str, Change] = {}
        for path, change in changes_between(as_compared(old), as_compared(new)):
            if not any(is_within(path, item) for item in request.ignored):
                replaces = needs_replacement(api_version, kind, path)
                changes[path] = Change(f"{change.value}-replace") if replaces else change
        replaced = any(change.replaces for change in changes.values())
        return Difference(changes, delete_before_replace=replaced and _identity(old) == _identity(new))

    def create(self, request: Request) -> Created:
        """The object applied and ready, or at preview as a dry run would leave it."""
        inputs = request.new
        if request.preview:
            # The object of this name is deleted before its successor is made: a dry run on it would prove nothing.
            there = not contains_unknown(inputs) and self._find(request, cast("Document", inputs)) is not None
            return Created(_id(inputs), inputs if there else self._previewed(request))
        live = self._apply(request, dry_run=False)
        return Created(_id(live), self._settled(request, live))

    def update(self, request: Request) -> Properties:
        """The object's new state."""
        if request.preview:
            return self._previewed(request)
        return self._settled(request, self._apply(request, dry_run=False))

    def read(self, request: Request) -> Found | None:
        """The object as it is, and the part of it that the program's inputs name; for an import all of it."""
        inputs = request.old
        live = self._find(request, cast("Document", inputs) if inputs else _imported(request))
        if live is None:
            return None
        seen = _as_read(inputs, live) if inputs else _as_declared(live)
        return Found(_id(live), seen, self._outputs(request, live))

    def delete(self, request: Request) -> None:
        """The object deleted with what it owns, and gone."""
        live = self._find(request, cast("Document", request.outputs or request.old))
        if live is None:
            return
        path = self._access.discovery.path(live)
        policy = section(live, "metadata", "annotations").get(_PROPAGATION, "foreground")
        options = {"propagationPolicy": str(policy).capitalize(), "preconditions": {"uid": live["metadata"]["uid"]}}
        try:
            self._access.ask(request.urn, lambda: self._access.api.delete(path, options))
            self._access.ask(
                request.urn, lambda: await_gone(self._access.api, path.rpartition("/")[0], live, request.timeout)
            )
        except (ApiError, AwaitError) as error:
            raise ProviderError(str(error)) from error

    def _find(self, request: Request, document: Document) -> Document | None:
        """The object as it is, None when it or its kind does not exist."""
        try:
            path = self._access.ask(request.urn, lambda: self._access.discovery.path(document))
            return self._access.ask(request.urn, lambda: self._access.api.find(path))
        except UnknownKindError:
            return None
        except ApiError as error:
            raise ProviderError(_explained(error, document)) from error

    def _name(self, request: Request, inputs: Properties) -> None:
        metadata = cast("Properties", inputs["metadata"])
        if metadata.get("name") is not None:
            return
        before = section(cast("Document", request.old), "metadata")
        if _AUTONAMED in section(before, "annotations"):
            metadata["name"] = before["name"]
        else:
            suffix = hashlib.sha256(request.seed + request.urn.encode()).hexdigest()[:_NAME_LENGTH]
            metadata["name"] = f"{request.name}-{suffix}"
        annotations = metadata.get("annotations")
        metadata["annotations"] = {**(annotations if isinstance(annotations, dict) else {}), _AUTONAMED: "true"}

    def _place(self, request: Request, inputs: Properties) -> None:
        """Write the namespace into the inputs of a namespaced object, where the cluster can say that it is one."""
        metadata = cast("Properties", inputs["metadata"])
        if metadata.get("namespace") is not None:
            return
        api_version, kind = str(inputs["apiVersion"]), str(inputs["kind"])
        try:
            if self._access.ask(request.urn, lambda: self._access.discovery.is_namespaced(api_version, kind)):
                metadata["namespace"] = self._namespace
        except UnknownKindError:
            return

    def _previewed(self, request: Request) -> Properties:
        if contains_unknown(request.new):
            return request.new
        try:
            return self._outputs(request, self._apply(request, dry_run=True))
        except _NotYetError:
            return request.new

    def _apply(self, request: Request, *, dry_run: bool) -> Document:
        document = cast("Document", request.new)
        force = self._force or section(document, "metadata", "annotations").get(_FORCE) == "true"
        manager = field_manager(request.urn)
        try:
            path = self._access.ask(request.urn, lambda: self._access.discovery.path(document))
            return self._access.ask(
                request.urn,
                lambda: self._access.api.apply(path, document, manager=manager, force=force, dry_run=dry_run),
            )
        except UnknownKindError as error:
            if dry_run:
                raise _NotYetError from error
            raise ProviderError(f"{error}. Is the CRD installed, and does the object depend on it?") from error
        except ApiError as error:
            if dry_run and (error.is_not_found or error.reason == "NamespaceLost"):
                raise _NotYetError from error
            raise ProviderError(_explained(error, document)) from error

    def _settled(self, request: Request, live: Document) -> Properties:
        collection = self._access.discovery.collection(
            live["apiVersion"], live["kind"], live["metadata"].get("namespace")
        )
        try:
            ready = self._access.ask(
                request.urn, lambda: await_ready(self._access.api, collection, live, request.timeout)
            )
        except AwaitError as error:
            reasons = str(error).splitlines()
            raise PartlyCreatedError(_id(live), request.new, self._outputs(request, live), reasons) from error
        return self._outputs(request, ready)

    def _outputs(self, request: Request, live: Document) -> Properties:
        kept = {key: value for key, value in live.items() if key != "metadata"}
        metadata = {key: value for key, value in live["metadata"].items() if key != "managedFields"}
        marks = {_MANAGER: field_manager(request.urn), _INITIAL_VERSION: live["apiVersion"]}
        return cast("Properties", {**kept, "metadata": metadata, **marks})


class _NotYetError(Exception):
    """The API server cannot check the object before something else exists."""


def _unmodelled_wait(inputs: Properties) -> Failure | None:
    if contains_unknown(inputs["metadata"]):
        return None
    try:
        awaited_conditions(cast("Document", inputs))
    except ValueError as error:
        return Failure('metadata.annotations["pulumi.com/waitFor"]', str(error))
    return None


def field_manager(urn: str) -> str:
    """The name under which the fields of one Pulumi resource are owned."""
    return f"pulumi-kubernetes-{hashlib.sha256(urn.encode()).hexdigest()[:_NAME_LENGTH]}"


def _identity(inputs: Properties) -> tuple[Any, Any]:
    metadata = section(cast("Document", inputs), "metadata")
    return metadata.get("namespace"), metadata.get("name")


def _id(inputs: Document | Properties) -> str:
    """`namespace/name`; empty, which means unknown to the engine, where a part of it is not known yet."""
    metadata = section(cast("Document", inputs), "metadata")
    if contains_unknown([metadata.get("name"), metadata.get("namespace")]):
        return ""
    name, namespace = str(metadata.get("name", "")), metadata.get("namespace")
    return f"{namespace}/{name}" if namespace else name


def _imported(request: Request) -> Document:
    """An import's object: its kind from the type token, its name from the id."""
    group_version, _, kind = request.type.removeprefix("kubernetes:").rpartition(":")
    namespace, _, name = request.id.rpartition("/")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": group_version.removeprefix("core/"), "kind": kind, "metadata": metadata}


def _explained(error: ApiError, document: Document) -> str:
    metadata = section(document, "metadata")
    where = f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else metadata.get("name")
    if error.reason == "Conflict" and "conflict" in str(error):
        return (
            f"server-side apply of {document['kind']} {where}: {error}\nAnother field manager has changed these"
            ' fields. Set enable_patch_force on the provider or the annotation pulumi.com/patchForce: "true".'
        )
    return f"{document['kind']} {where}: {error}"


def _as_read(inputs: Properties, live: Document) -> Properties:
    """The part of a live object that the program's inputs name.

    The strings of a Secret are read from its data, where the API server has put them.
    """
    seen = cast("Document", _cut(inputs, live))
    texts = section(cast("Document", inputs), "stringData")
    if live.get("kind") == "Secret" and texts:
        data = section(live, "data")
        seen["stringData"] = {key: base64.b64decode(data[key]).decode(errors="replace") for key in texts if key in data}
    return cast("Properties", seen)


def _as_declared(live: Document) -> Properties:
    """An object as a program would declare it: without status and the fields that the server fills in."""
    metadata = live["metadata"]
    kept = {key: metadata[key] for key in ("name", "namespace", "labels", "annotations") if key in metadata}
    return cast("Properties", {**{key: value for key, value in live.items() if key != "status"}, "metadata": kept})


def _cut(inputs: Value, live: Any) -> Any:  # noqa: ANN401  any part of a document
    """`live` reduced to the fields that `inputs` names.

    An empty value that the API server leaves out is kept.
    """
    if isinstance(inputs, dict) and isinstance(live, dict):
        found = cast("Document", live)
        there = {key: _cut(value, found[key]) for key, value in inputs.items() if key in found}
        return there | {key: value for key, value in inputs.items() if key not in found and _says_nothing(value)}
    if isinstance(inputs, list) and isinstance(live, list):
        items = cast("list[Any]", live)
        return [_cut(inputs[index], item) if index < len(inputs) else item for index, item in enumerate(items)]
    return live


def _says_nothing(value: Value) -> bool:
    return value in ("", [], {})

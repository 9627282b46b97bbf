"""The kind of a document: objects that rules know, a stack file, or something to skip.

Kubernetes objects come alone, in a list (`kind: List`, or a list of one kind as `kubectl get` prints it) or in a JSON
array; clusters, node pools and shares of Google Cloud as gcloud prints them. Objects that a controller made for another
object are skipped: their owner is checked.
"""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from components.model.facts import kinds
from components.model.project import KEY
from policies.lint.files import File, is_stack_name
from policies.lint.findings import WHOLE, breach, place_in
from policies.objects import api_names
from policies.objects.values import Unknown, Value
from policies.objects.world import Object, cloud_object, manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.findings import Finding
    from components.model.places import Key
    from components.model.stack_file.yaml_text import YamlText
    from policies.lint.documents import Document
    from policies.objects.api_names import Message

_LIST: Final = "List"
_CORE_LIST: Final = ("v1", _LIST)
_IDENTITY: Final = ("apiVersion", "kind")
_MESSAGES: Final = (api_names.NODE_POOL, api_names.CLUSTER, api_names.FILESTORE)
Identity = tuple[str, ...]
"""The identity of an object, which may exist only once in a cluster."""


class Source(Struct, frozen=True, kw_only=True):
    """Where an object, or a whole document, is written."""

    text: YamlText
    path: tuple[Key, ...] = ()
    """To the object within its document."""
    message: Message | None = None
    """The names of its fields there, if it is not a manifest."""
    label: str = ""
    """Kind and name of the object."""
    written: Written | None = None
    """The object that a kustomization made it of."""


class Written(Struct, frozen=True, kw_only=True):
    """An object in a file that a kustomization takes in, and what the kustomization made of it."""

    source: Source
    value: Mapping[str, Value]
    built: Mapping[str, Value]


class _Item(Struct, frozen=True):
    """A value that may be an object."""

    origin: str
    source: Source
    value: Mapping[str, Value]


class Recognised(Struct):
    """Everything that was found in all files."""

    objects: list[Object] = field(default_factory=list["Object"])
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    """By the origin of the places in it."""
    findings: list[Finding] = field(default_factory=list["Finding"])
    unknown: Counter[str] = field(default_factory=Counter[str])
    """Kinds that no rule knows, and how many objects of each there are."""
    made: int = 0
    """Objects that a controller made."""
    untranslated: set[str] = field(default_factory=set[str])
    """Fields of Google's objects that are not checked."""
    other: list[str] = field(default_factory=list[str])
    """Documents that hold no object, as people find them."""
    clusters: dict[str, str] = field(default_factory=dict[str, str])
    """The cluster of each object of Google Cloud, by its origin."""
    identities: dict[str, Identity] = field(default_factory=dict[str, Identity])
    """The identity of each object that has a name, by its origin."""

    def take(self, document: Document) -> bool:
        """Add what the document holds; False where it is empty, or a list of no object."""
        self.sources[document.origin] = Source(text=document.text)
        items = tuple(_items(document.origin, Source(text=document.text), document.value))
        for item in items:
            self._take(item)
        has_nothing = not items and is_empty(document.value)
        if not items and not has_nothing:
            self.other.append(document.origin)
        return not has_nothing

    def refuse(self, first: int) -> None:
        """Turn what is not an object, from a number on, into findings: it stands beside objects of Kubernetes."""
        for origin in self.other[first:]:
            says = "it is not an object, and the file has objects: kubectl refuses it."
            remedy = "Remove it, or state apiVersion, kind and metadata; anchors belong into the object that uses them."
            self.findings.append(breach(WHOLE, place_in(origin), says, remedy))
        del self.other[first:]

    def _take(self, item: _Item) -> None:
        for message in _MESSAGES:
            if message.describes(item.value):
                self._take_message(item, message)
                return
        self._take_manifest(item)

    def _take_message(self, item: _Item, message: Message) -> None:
        properties = message.properties(item.value)
        each = cloud_object(message.kind, properties, origin=item.origin)
        self.untranslated.update(key for key in message.untranslated if item.value.get(key))
        link = message.linked(item.value)
        if link is not None and message is not api_names.FILESTORE:  # a share is of a network, not of a cluster
            self.clusters[item.origin] = link.partition("/nodePools/")[0].rpartition("projects/")[2]
        self._add(each, item, message, (message.kind.name, str(link), each.name) if each.name else None)

    def _take_manifest(self, item: _Item) -> None:
        stated = _identity(item.value)
        if len(stated) < len(_IDENTITY):
            self.sources[item.origin] = item.source
            if _is_half(item.value):
                self.findings.append(_half(item, stated[0]))
            else:
                self.other.append(item.origin)
            return
        body = {key: value for key, value in item.value.items() if key != "status"}
        each = manifest(body, origin=item.origin)
        if each is None:
            self.unknown[str(item.value["kind"])] += 1
        elif _is_made(item.value):
            self.made += 1
        else:
            self._add(each, item, None, key_of(each))
            if not _is_named(item.value):
                self.findings.append(_nameless(item))

    def _add(self, each: Object, item: _Item, message: Message | None, identity: Identity | None) -> None:
        self.sources[item.origin] = Source(
            text=item.source.text, path=item.source.path, message=message, label=_label(each)
        )
        if identity is not None:
            self.identities[item.origin] = identity
        self.objects.append(each)


def key_of(each: Object) -> Identity | None:
    """The identity of an object; None where nobody knows its name yet."""
    metadata = each.value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    if not each.name or any(isinstance(named.get(key), Unknown) for key in ("name", "namespace")):
        return None
    return (each.kind.group or each.kind.type_, each.kind.name, each.namespace, each.name)


def may_be_objects(document: Document) -> bool:
    """Whether a document holds something that is an object, or was meant as one."""
    items = _items(document.origin, Source(text=document.text), document.value)
    return any(_is_object(each.value) for each in items)


def _is_object(value: Mapping[str, Value]) -> bool:
    if any(message.describes(value) for message in _MESSAGES):
        return True
    return len(_identity(value)) == len(_IDENTITY) or _is_half(value)


def _identity(value: Mapping[str, Value]) -> list[str]:
    return [key for key in _IDENTITY if isinstance(value.get(key), str)]


def _is_half(value: Mapping[str, Value]) -> bool:
    """Whether a mapping that states kind or apiVersion, but not both, was meant as an object."""
    return bool(_identity(value)) and ("metadata" in value or "spec" in value or all(key in value for key in _IDENTITY))


def is_stack(file: File, documents: list[Document]) -> bool:
    """Whether a file is a stack file, by its name or by a platform in its configuration."""
    if is_stack_name(PurePath(file.name).name):
        return True
    return len(documents) == 1 and any(_is_platform(key) for key in documents[0].text.keys(("config",)))


def _is_platform(key: str) -> bool:
    return key == KEY or key.endswith(f":{KEY}")


def _half(item: _Item, stated: str) -> Finding:
    missing = next(key for key in _IDENTITY if key != stated)
    return breach(
        WHOLE,
        place_in(item.origin),
        f"it states {stated} but not {missing}.",
        f"State {missing} as text; every Kubernetes object has both.",
    )


def _is_named(value: Mapping[str, Value]) -> bool:
    """Whether an object has a name, or lets the API server make one; another rule reports metadata of another type."""
    metadata = value.get("metadata")
    is_stated = isinstance(metadata, dict) and bool(metadata.get("name") or metadata.get("generateName"))
    return is_stated or not isinstance(metadata, dict | None)


def _nameless(item: _Item) -> Finding:
    return breach(
        WHOLE,
        place_in(item.origin, "metadata"),
        "the object has no name.",
        "State metadata.name, or metadata.generateName for an object that is created each time.",
    )


def _label(each: Object) -> str:
    """Kind and name, with the namespace where it is stated."""
    metadata = each.value.get("metadata")
    is_stated = isinstance(metadata, dict) and bool(metadata.get("namespace"))
    kind, _, name = each.name.partition("/") if each.kind is kinds.UNSERVED else (each.kind.name, "", each.name)
    if not name:
        return f"a {kind}"
    return f"{kind} {each.namespace}/{name}" if is_stated and each.namespace else f"{kind} {name}"


def _is_made(body: Mapping[str, Value]) -> bool:
    """Whether another object controls this one."""
    metadata = body.get("metadata")
    owners = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    return isinstance(owners, list) and any(
        isinstance(each, dict) and each.get("controller") is True for each in owners
    )


def _items(origin: str, source: Source, value: Value) -> Iterator[_Item]:
    """Everything in a document that may be an object; nothing for text, numbers and mappings that are empty."""
    if isinstance(value, list):
        yield from _each(origin, source, (), value)
    if not isinstance(value, dict) or not value:
        return
    items, pools = value.get("items"), value.get("nodePools")
    if _is_list(value) and isinstance(items, list):
        yield from _each(origin, source, ("items",), [_typed(each, value) for each in items])
        return
    yield _Item(origin, source, value)
    if isinstance(pools, list) and api_names.CLUSTER.describes(value):
        yield from _each(origin, source, ("nodePools",), pools)


def _each(origin: str, source: Source, path: tuple[Key, ...], values: list[Value]) -> Iterator[_Item]:
    for index, value in enumerate(values):
        keys = (*path, index)
        inner = Source(text=source.text, path=(*source.path, *keys))
        yield from _items(f"{origin}/{'/'.join(str(key) for key in keys)}", inner, value)


def is_empty(value: Value) -> bool:
    """Whether a document has no content, or is a list of nothing."""
    return value in (None, {}, []) or (isinstance(value, dict) and _is_list(value) and value.get("items") == [])


def _is_list(value: Mapping[str, Value]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and kind.endswith(_LIST) and "apiVersion" in value


def _typed(value: Value, of: Mapping[str, Value]) -> Value:
    """An item of a list of one kind, which need not say what it is."""
    if not isinstance(value, dict) or (of["apiVersion"], of["kind"]) == _CORE_LIST:
        return value
    return {"apiVersion": of["apiVersion"], "kind": str(of["kind"]).removesuffix(_LIST), **value}

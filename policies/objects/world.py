"""All objects, as somebody wrote them: what a program registered, or what files contain."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from components.model.facts import kinds
from components.model.places import Place, Root
from policies.objects.fields import unserved
from policies.objects.values import PLACEHOLDER, UNKNOWN_YET, Part, UndecidedError, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.facts.kinds import Kind
    from policies.objects.order import Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Object(Part):
    """One object of a kind that rules know.

    Those of Google Cloud have the properties of their Pulumi resource (`nodeConfig.machineType`), those of Kubernetes
    the fields of their manifest.
    """

    kind: Kind
    name: str
    """Empty where it is not known yet, or not stated."""
    namespace: str
    """Empty for what is in none; `default` where a manifest states none."""
    is_protected: bool = False
    """Whether the engine refuses to delete it."""
    derived: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)
    """The values that were read from it once for every rule that asks; filled by whoever reads it."""

    def __str__(self) -> str:
        """Kind and name, as messages name it."""
        return f"{self.kind.name} {self.name}" if self.name else f"a {self.kind.name}"


_DEFAULT = "default"


def cloud_object(
    kind: Kind, properties: Mapping[str, Value], *, origin: str, is_protected: bool = False, name: str = ""
) -> Object:
    """A resource of Google Cloud or a Helm release by its Pulumi properties; `name` stands in for one not stated."""
    stated = properties.get("name")
    return Object(
        value=properties,
        start=Place(root=Root.OBJECT, origin=origin),
        kind=kind,
        name=stated if isinstance(stated, str) else name,
        namespace="",
        is_protected=is_protected,
    )


def manifest(body: Mapping[str, Value], *, origin: str, is_protected: bool = False) -> Object | None:
    """A Kubernetes object by its manifest; None for kinds that no rule knows, and for values that are not objects."""
    api_version, name = body.get("apiVersion"), body.get("kind")
    if not isinstance(api_version, str) or not isinstance(name, str):
        return None
    kind = kinds.of_manifest(api_version, name)
    if kind is None and unserved(api_version, name) is None:
        return None
    stated = body.get("metadata")
    metadata = cast("Mapping[str, Value]", stated if isinstance(stated, dict) else {})
    own, namespace = _written(metadata.get("name")), _written(metadata.get("namespace"))
    return Object(
        value=body,
        start=Place(root=Root.OBJECT, origin=origin),
        kind=kinds.UNSERVED if kind is None else kind,
        name=_named(name if kind is None else "", own),
        namespace="" if kind in kinds.CLUSTER_WIDE else namespace if isinstance(namespace, str) else _DEFAULT,
        is_protected=is_protected,
    )


def _named(kind: str, name: Value) -> str:
    """The name of an object; with its kind, where that is one that no release serves."""
    own = name if isinstance(name, str) else ""
    return f"{kind}/{own}" if kind else own


def _written(value: Value) -> Value:
    """The text that stands for a name that is not known; what is not known from a program has none."""
    return value.text or value if isinstance(value, Unknown) else value


def _blank_at(each: Object, key: str) -> Place | None:
    """Where the object states a name or namespace that somebody fills in later; None where it does not."""
    metadata = each.value.get("metadata")
    value = metadata.get(key) if isinstance(metadata, dict) else None
    return each.place.at("metadata", key) if isinstance(value, Unknown) and value.text else None


class MissingError(Exception):
    """Somebody asks for objects of a kind that has no objects here, because they are elsewhere."""


class World:
    """All objects, in the order in which they were found."""

    def __init__(
        self,
        objects: Iterable[Object],
        unread: Iterable[Object] = (),
        *,
        order: Order | None = None,
        releases: Mapping[str, str] | None = None,
    ) -> None:
        """Sorts them by kind and by name; of several of one name the first counts.

        Those in `unread` are there too, but nobody knows yet which they are. `order` is the order of creation; None
        where it is not known. `releases` are those of controllers that none of the objects installs, by their names.
        """
        self.order = order
        self.releases: Mapping[str, str] = {} if releases is None else releases
        self.objects = tuple(objects)
        self._by_kind = _sorted(self.objects)
        self._unread = _sorted(unread)
        self._present = self._by_kind.keys() | self._unread.keys()
        self._elsewhere: frozenset[Kind] = frozenset()
        self._by_name: dict[tuple[Kind, str, str], Object] = {}
        self.blanks: dict[Kind, Place] = {}
        """Where an object of the kind has a namespace, or else a name, that somebody fills in later."""
        self._blank_namespaces: dict[str, Place] = {}
        for each in self.objects:
            self._by_name.setdefault((each.kind, each.name, each.namespace), each)
            namespace = _blank_at(each, "namespace")
            if namespace is not None:
                self._blank_namespaces.setdefault(each.namespace, namespace)
                self.blanks[each.kind] = namespace
            name = _blank_at(each, "name")
            if name is not None:
                self.blanks.setdefault(each.kind, name)

    def without(self, elsewhere: Iterable[Kind]) -> World:
        """The same objects; whoever asks for one of these kinds, which have no objects here, gets a `MissingError`."""
        narrowed = copy.copy(self)
        narrowed._elsewhere = frozenset(elsewhere)  # noqa: SLF001  its own class
        return narrowed

    def of(self, *wanted: Kind) -> tuple[Object, ...]:
        """The objects of some kinds.

        Raises:
            UndecidedError: there are more, which are not known yet.
            MissingError: they are elsewhere.
        """
        for each in self.unread(*wanted) if self._unread else ():
            raise UndecidedError(each.place, UNKNOWN_YET)
        return self.known(*wanted)

    def known(self, *wanted: Kind) -> tuple[Object, ...]:
        """The objects of some kinds, as far as they are known.

        Raises:
            MissingError: they are elsewhere.
        """
        if self._elsewhere and not self._elsewhere.isdisjoint(wanted):
            raise MissingError
        if len(wanted) == 1:
            return self._by_kind.get(wanted[0], ())
        return tuple(each for kind in wanted for each in self._by_kind.get(kind, ()))

    def unread(self, *wanted: Kind) -> tuple[Object, ...]:
        """The objects of some kinds that are not known yet."""
        return tuple(each for kind in wanted for each in self._unread.get(kind, ()))

    def has(self, *wanted: Kind) -> bool:
        """Whether there is an object of one of the kinds, known or not."""
        return not self._present.isdisjoint(wanted)

    def named(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """The object of that name; None where there is none.

        Raises:
            UndecidedError: it may be one that is not known yet.
            MissingError: it is elsewhere.
        """
        if kind in self._elsewhere:
            raise MissingError
        found = self._by_name.get((kind, name, namespace))
        for each in self.unread(kind) if found is None else ():
            raise UndecidedError(each.place, UNKNOWN_YET)
        place = self.blanks.get(kind) or self._blank_namespaces.get(namespace)
        if found is None and place is not None:
            raise UndecidedError(place, PLACEHOLDER)
        return found

    def lacks(self, needed: Iterable[Kind]) -> tuple[Kind, ...]:
        """The kinds that have no objects here."""
        return tuple([kind for kind in needed if kind not in self._present])


def _sorted(objects: Iterable[Object]) -> dict[Kind, tuple[Object, ...]]:
    of_kind: dict[Kind, list[Object]] = {}
    for each in objects:
        of_kind.setdefault(each.kind, []).append(each)
    return {kind: tuple(found) for kind, found in of_kind.items()}


def is_unknown(value: Value) -> bool:
    """Whether a value, or a part of it, is not known yet."""
    match value:
        case Unknown():
            return True
        case dict():
            return any(is_unknown(each) for each in value.values())
        case list():
            return any(is_unknown(each) for each in value)
        case _:
            return False

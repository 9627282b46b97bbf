"""What the engine hands to a policy, as the objects that rules judge.

Properties come as mappings that may be proxies of the policy SDK, with every number a float, secrets and assets wrapped
and a text of its own for each value that is not known yet. Reading an unknown value through such a proxy raises, and
the SDK then reports the whole policy as advisory, whatever its level; so the proxies are opened here, and only here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

import pulumi
from pulumi_policy import proxy
from pulumi_policy.secret import Secret

from components.model.findings import Place, Scope
from components.model.objects import kinds
from components.model.objects.values import SECRET, UNKNOWN, MalformedError, UndecidedError
from components.model.objects.world import Object, World, cloud_object, manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.objects.kinds import Kind
    from components.model.objects.order import Order
    from components.model.objects.values import Value

_UNKNOWN: Final = frozenset(
    {
        proxy.UNKNOWN_BOOLEAN_VALUE,
        proxy.UNKNOWN_NUMBER_VALUE,
        proxy.UNKNOWN_STRING_VALUE,
        proxy.UNKNOWN_ARRAY_VALUE,
        proxy.UNKNOWN_ASSET_VALUE,
        proxy.UNKNOWN_ARCHIVE_VALUE,
        proxy.UNKNOWN_OBJECT_VALUE,
    }
)
_OPEN: Final = "__target"
"""The key by which the SDK's proxies give what they stand for."""
_INTERNAL: Final = frozenset({"__defaults", "__fieldManager", "__initialApiVersion", "__inputs", "__meta"})
"""Keys that providers keep notes of their own under."""
_KUBERNETES: Final = "kubernetes:"
_HOMES: Final = frozenset({"kubernetes:core/v1:Secret", "kubernetes:helm.sh/v3:Release"})
"""Types of resources that take secrets."""
_PATCH: Final = "Patch"
"""Ending of the types that change a part of an object which somebody else made: what is not stated is not absent."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A resource of a kind that rules know."""

    object: Object
    secrets: frozenset[str]
    """Texts in it that no message may show."""
    unread: Place | None
    """What must be known before anybody can say which object it is; until then no rule that looks for objects of its
    kind is decided. None where it is known."""


@dataclass(slots=True)
class _Reader:
    """Reads properties, and remembers the secrets among them."""

    are_secrets_at_home: bool
    """Whether secrets belong where they are found: then they are not read at all."""
    secrets: set[str] = field(default_factory=set[str])

    def value(self, found: object) -> Value:
        """A property as rules read it.

        Raises:
            TypeError: it is nothing that the SDK is known to hand over.
        """
        if isinstance(found, str):
            return UNKNOWN if found in _UNKNOWN else found
        if isinstance(found, float) and found.is_integer():
            return int(found)
        if found is None or isinstance(found, bool | int | float):
            return found
        if isinstance(found, pulumi.Asset | pulumi.Archive):
            return UNKNOWN  # a file's content is not read
        if isinstance(found, Secret):
            return self._secret(found.value)
        if isinstance(found, Mapping):
            return self.mapping(cast("Mapping[str, Any]", found))
        if isinstance(found, Sequence):
            return [self.value(each) for each in cast("Sequence[Any]", opened(found))]
        raise TypeError(f"the policy SDK handed over a {type(found).__name__}, which is no property of a resource")

    def mapping(self, found: Mapping[str, Any]) -> dict[str, Value]:
        """Properties by their names, without the notes of providers."""
        inside = cast("Mapping[str, Any]", opened(found))
        return {key: self.value(each) for key, each in inside.items() if key not in _INTERNAL}

    def _secret(self, found: object) -> Value:
        """A secret: whatever depends on one is one too, so rules must read it; but no message may show it."""
        if self.are_secrets_at_home:
            return SECRET
        read = self.value(found)
        self.secrets.update(_texts(read))
        return read


def _texts(found: Value) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _texts(each)


def opened(found: Any) -> Any:  # noqa: ANN401  what a proxy stands for
    """What a proxy of the SDK stands for; anything else is itself."""
    if isinstance(found, Mapping | Sequence) and not isinstance(found, dict | list | str):
        return cast("Any", found)[_OPEN]
    return cast("Any", found)


def observe(type_: str, urn: str, found: Mapping[str, Any], *, is_protected: bool) -> Observed | None:
    """The object that a resource is; None for those of which no rule knows anything.

    Args:
        type_: the resource's type, such as `gcp:container/nodePool:NodePool`.
        urn: its URN, which becomes the origin of the object.
        found: its properties, as the SDK gives them.
        is_protected: whether the engine refuses to delete it.
    """
    kind = kinds.of_type(type_)
    if kind is None and (not type_.startswith(_KUBERNETES) or type_.endswith(_PATCH)):
        return None
    reader = _Reader(are_secrets_at_home=type_ in _HOMES)
    read = reader.mapping(found)
    if not read:
        return _unread(kind or _kind_of(type_), urn)
    if kind is not None:
        made = cloud_object(kind, read, origin=urn, is_protected=is_protected)
        return Observed(made, frozenset(reader.secrets), unread=None)
    stated = manifest(read, origin=urn, is_protected=is_protected)
    return None if stated is None else Observed(stated, frozenset(reader.secrets), unread=_unidentified(stated))


def _unidentified(stated: Object) -> Place | None:
    """What of a manifest's name and namespace is not known; None where both are."""
    for key in ("name", "namespace"):
        try:
            stated.raw("metadata", key)
        except UndecidedError as error:
            return error.place
        except MalformedError:
            return None  # rules say so
    return None


def _unread(kind: Kind | None, urn: str) -> Observed | None:
    """The object of a resource of which the engine shows nothing but its type."""
    if kind is None:
        return None
    nothing = Object(value={}, place=Place(scope=Scope.OBJECT, origin=urn), kind=kind, name="", namespace="")
    return Observed(nothing, frozenset(), unread=nothing.place)


def _kind_of(type_: str) -> Kind | None:
    """The kind of a Kubernetes type in Pulumi, such as `kubernetes:core/v1:Secret`."""
    _, _, rest = type_.partition(":")
    version, _, name = rest.partition(":")
    return kinds.of_manifest(version.removeprefix("core/"), name)


def world_of(there: Iterable[Observed], *, order: Order | None = None) -> World:
    """The world of what was observed; what nobody can name yet is in it, but not known."""
    seen = tuple(there)
    return World(
        [each.object for each in seen if each.unread is None],
        [replace(each.object, place=each.unread) for each in seen if each.unread is not None],
        order=order,
    )


def is_internal(key: str) -> bool:
    """Whether a provider keeps notes of its own under a key."""
    return key in _INTERNAL


def plain(found: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a resource's properties that may be changed and handed back: secrets and unknown values stay so."""
    return cast("dict[str, Any]", _copied(found))


def _copied(found: Any) -> Any:  # noqa: ANN401  any property
    inside = opened(found)
    if isinstance(inside, dict):
        return {key: _copied(each) for key, each in cast("dict[str, Any]", inside).items()}
    if isinstance(inside, list):
        return [_copied(each) for each in cast("list[Any]", inside)]
    return inside

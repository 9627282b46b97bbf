"""Resources as the objects that rules check, whoever read their properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import kinds
from components.model.places import Place, Root
from policies.objects.values import MalformedError, UndecidedError, Value
from policies.objects.world import Object, World, cloud_object, manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from components.model.facts.kinds import Kind
    from policies.objects.order import Order

_INTERNAL: Final = frozenset({"__defaults", "__fieldManager", "__initialApiVersion", "__inputs", "__meta"})
"""Keys that providers keep notes of their own under."""
_KUBERNETES: Final = "kubernetes:"
_HOMES: Final = frozenset({"kubernetes:core/v1:Secret", "kubernetes:helm.sh/v3:Release"})
"""Types of resources that take secrets."""
_PATCH: Final = "Patch"
"""Ending of the types that change a part of an object which somebody else made: what is not stated is not absent."""


class Read(Struct, frozen=True):
    """Properties of a resource, without the notes of providers."""

    value: Mapping[str, Value]
    secrets: frozenset[str] = frozenset()
    """Texts in it that no message may show."""


class Observed(Struct, frozen=True):
    """A resource of a kind that rules know."""

    object: Object
    secrets: frozenset[str]
    """Texts in it that no message may show."""
    unread: Place | None
    """The property without which nobody can say which object it is; until it is known, no rule that looks for objects
    of its kind is decided. None where it is known."""


def observed(type_: str, urn: str, read: Callable[[], Read], *, is_protected: bool) -> Observed | None:
    """The object that a resource is; None for types that no rule knows.

    Args:
        type_: the resource's type, such as `gcp:container/nodePool:NodePool`.
        urn: its URN, which becomes the origin of the object.
        read: reads its properties; it is called for types that rules know.
        is_protected: whether the engine refuses to delete it.
    """
    kind = kinds.of_type(type_)
    if kind is None and (not type_.startswith(_KUBERNETES) or type_.endswith(_PATCH)):
        return None
    found = read()
    if not found.value:
        return _unread(kind or _kind_of(type_), urn)
    if kind is not None:
        # Nothing refers to a release by its name, so that the one in the program will do where the engine makes one up.
        name = urn.rpartition("::")[2] if kind is kinds.RELEASE else ""
        made = cloud_object(kind, found.value, origin=urn, is_protected=is_protected, name=name)
        return Observed(made, found.secrets, unread=None)
    stated = manifest(found.value, origin=urn, is_protected=is_protected)
    return None if stated is None else Observed(stated, found.secrets, unread=_unidentified(stated))


def _unidentified(stated: Object) -> Place | None:
    """The part of a manifest's name and namespace that is not known; None where both are."""
    for key in ("name", "namespace"):
        try:
            stated.raw("metadata", key)
        except UndecidedError as error:
            return error.place
        except MalformedError:
            return None  # rules say so
    return None


def _unread(kind: Kind | None, urn: str) -> Observed | None:
    """The object of a resource if the engine shows nothing but its type."""
    if kind is None:
        return None
    nothing = Object(value={}, start=Place(root=Root.OBJECT, origin=urn), kind=kind, name="", namespace="")
    return Observed(nothing, frozenset(), unread=nothing.place)


def _kind_of(type_: str) -> Kind | None:
    """The kind of a Kubernetes type in Pulumi, such as `kubernetes:core/v1:Secret`."""
    _, _, rest = type_.partition(":")
    version, _, name = rest.partition(":")
    return kinds.of_manifest(version.removeprefix("core/"), name)


def world_of(there: Iterable[Observed], *, order: Order | None = None) -> World:
    """The world of the observed objects; an object without a known name is in it, but not known."""
    seen = tuple(there)
    return World(
        [each.object for each in seen if each.unread is None],
        [replace(each.object, start=each.unread) for each in seen if each.unread is not None],
        order=order,
    )


def is_internal(key: str) -> bool:
    """Whether a provider keeps notes of its own under a key."""
    return key in _INTERNAL


def takes_secrets(type_: str) -> bool:
    """Whether secrets belong in a resource of a type."""
    return type_ in _HOMES

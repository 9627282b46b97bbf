"""Reads the properties that the engine hands to a policy into values that rules check.

Properties come as mappings that may be proxies of the policy SDK, with every number a float, assets wrapped and a text
of its own for each value that is not known yet. Reading an unknown value through such a proxy raises, and the SDK then
reports the whole policy as advisory, whatever its level; so the proxies are opened here, and only here.

The SDK marks secrets only where a policy may change the resource (`remediate`). `secret_paths` finds them there, and
`observe` takes them where a policy validates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import pulumi
from msgspec import Struct, field
from pulumi_policy.secret import Secret

from components.model.facts.engine import UNKNOWN_TEXTS
from policies.objects.values import SECRET, UNKNOWN, Value
from policies.observed import Observed, Read, is_internal, observed, takes_secrets

if TYPE_CHECKING:
    from components.model.places import Key

    Path = tuple[Key, ...]

_OPEN: Final = "__target"
"""The key with which the SDK's proxies return the value behind them."""


class _Reader(Struct):
    """Reads properties, and remembers the secrets among them."""

    are_secrets_at_home: bool
    """Whether secrets belong where they are found: then they are not read at all."""
    secret_paths: Collection[Path]
    """Where there are secrets that are not marked."""
    secrets: set[str] = field(default_factory=set[str])

    def value(self, found: object, path: Path = ()) -> Value:
        """A property at a path, as rules read it.

        Raises:
            TypeError: it is nothing that the SDK is known to hand over.
        """
        if isinstance(found, str):
            return UNKNOWN if found in UNKNOWN_TEXTS else found
        if isinstance(found, float) and found.is_integer():
            return int(found)
        if found is None or isinstance(found, bool | int | float):
            return found
        if isinstance(found, pulumi.Asset | pulumi.Archive):
            return UNKNOWN  # a file's content is not read
        if isinstance(found, Secret):
            return self._secret(found.value)
        if isinstance(found, Mapping):
            return self.mapping(cast("Mapping[str, Any]", found), path)
        if isinstance(found, Sequence):
            inside = enumerate(cast("Sequence[Any]", opened(found)))
            return [self._at(each, (*path, index)) for index, each in inside]
        raise TypeError(f"the policy SDK handed over a {type(found).__name__}, which is not a property of a resource")

    def mapping(self, found: Mapping[str, Any], path: Path = ()) -> dict[str, Value]:
        """Properties by their names, without the notes of providers."""
        inside = cast("Mapping[str, Any]", opened(found))
        return {key: self._at(each, (*path, key)) for key, each in inside.items() if not is_internal(key)}

    def _at(self, found: object, path: Path) -> Value:
        return self._secret(found) if path in self.secret_paths else self.value(found, path)

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
    """The value behind a proxy of the SDK; anything else is itself."""
    if isinstance(found, Mapping | Sequence) and not isinstance(found, dict | list | str):
        return cast("Any", found)[_OPEN]
    return cast("Any", found)


def secret_paths(found: object, path: Path = ()) -> Iterator[Path]:
    """The paths of the marked secrets in properties, the outermost alone."""
    inside = opened(found)
    if isinstance(inside, Secret):
        yield path
    elif isinstance(inside, dict | list):
        items = (
            cast("dict[str, Any]", inside).items() if isinstance(inside, dict) else enumerate(cast("list[Any]", inside))
        )
        for key, each in items:
            yield from secret_paths(each, (*path, key))


def observe(
    type_: str, urn: str, found: Mapping[str, Any], *, is_protected: bool, secrets: Collection[Path] = ()
) -> Observed | None:
    """The object that a resource is; None for types that no rule knows.

    Args:
        type_: the resource's type, such as `gcp:container/nodePool:NodePool`.
        urn: its URN, which becomes the origin of the object.
        found: its properties, as the SDK gives them.
        is_protected: whether the engine refuses to delete it.
        secrets: the paths of secrets that are not marked.
    """

    def read() -> Read:
        reader = _Reader(are_secrets_at_home=takes_secrets(type_), secret_paths=secrets)
        return Read(reader.mapping(found), frozenset(reader.secrets))

    return observed(type_, urn, read, is_protected=is_protected)


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

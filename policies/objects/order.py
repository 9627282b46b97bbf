"""The order of creation: the relations between resources as a program registers them.

Files say nothing of order; the engine knows it, before anything is made and of a stored state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CUSTOM: Final = ("gcp:", "kubernetes:")
"""Beginnings of types that are one object each, and done without their children."""


class Registration(Struct, frozen=True, kw_only=True):
    """A resource among others, each named by its origin."""

    origin: str
    type_: str
    after: frozenset[str] = frozenset()
    """The resources that it depends on, by its options or by a value of one of its properties."""
    parent: str = ""
    provider: str = ""
    """Empty where it is a component, or where the provider is not known."""


class Order:
    """The order of creation: which resource follows which, directly or by way of others."""

    def __init__(self, registered: Iterable[Registration]) -> None:
        """The whole stack: also components, providers and resources that no rule knows."""
        self._by_origin = {each.origin: each for each in registered}
        self._children: dict[str, list[str]] = {}
        for each in self._by_origin.values():
            self._children.setdefault(each.parent, []).append(each.origin)
        self._before: dict[str, frozenset[str]] = {}

    def comes_after(self, later: str, earlier: str) -> bool:
        """Whether the engine begins with one resource only when the other is done."""
        if later not in self._before:
            self._before[later] = frozenset(self._reached(later))
        return earlier in self._before[later]

    def share_a_provider(self, one: str, other: str) -> bool:
        """Whether two objects are of one cluster, as far as their providers tell."""
        providers = {each.provider for each in map(self._by_origin.get, (one, other)) if each is not None}
        return len(providers - {""}) <= 1

    def _reached(self, later: str) -> Iterator[str]:
        """All that is done before: what it depends on, and what its parent and its provider do."""
        seen, waiting = {later}, [later]
        while waiting:
            for origin in self._next(waiting.pop()):
                if origin not in seen:
                    seen.add(origin)
                    waiting.append(origin)
                    yield origin

    def _next(self, origin: str) -> Iterator[str]:
        each = self._by_origin.get(origin)
        if each is None:
            return
        for depended in each.after:
            yield depended
            yield from self._inside(depended)
        yield from filter(None, (each.parent, each.provider))

    def _inside(self, origin: str) -> Iterator[str]:
        """The parts of a component: it is done when they are."""
        each = self._by_origin.get(origin)
        if each is None or (each.provider and each.type_.startswith(_CUSTOM)):
            return
        for child in self._children.get(origin, ()):
            yield child
            yield from self._inside(child)

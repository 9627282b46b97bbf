"""Where something was declared: in a stack file, or in an object that anybody wrote."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Key = str | int


class Root(Enum):
    """The root from which a place's keys start."""

    PLATFORM = "platform"
    """The stack's one object, `tpu-platform:platform`."""
    FILE = "file"
    """The stack file itself."""
    OBJECT = "object"
    """One resource or Kubernetes object, whoever wrote it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was declared."""

    keys: tuple[Key, ...] = ()
    root: Root = Root.PLATFORM
    origin: str = ""
    """Which object is meant, where it is not the stack's: its URN, or file and number of the document."""
    aliases: tuple[tuple[str, tuple[Key, ...]], ...] = field(default=(), compare=False, repr=False)
    """The names of keys of the stack file here, where the plan was made of objects."""
    phrases: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    """The phrases here for those with keys of the stack file, where the key alone does not say it."""

    def at(self, *keys: Key) -> Place:
        """The place `keys` further in.

        >>> str(Place().at("tpu_slices", 0).at("topology"))
        'tpu_slices[0].topology'
        >>> str(Place(aliases=(("topology", ("placementPolicy", "tpuTopology")),)).at("topology"))
        'placementPolicy.tpuTopology'
        """
        if not self.aliases:
            return Place(keys=(*self.keys, *keys), root=self.root, origin=self.origin)
        named = _renamed(keys, dict(self.aliases))
        return Place(keys=(*self.keys, *named), root=self.root, origin=self.origin)

    def with_key_names(self, **names: tuple[Key, ...]) -> Place:
        """The same place, with what keys of the stack file are called below it.

        What is in one of them may have a name of its own, which goes before.

        >>> names = {"checks": ("spec",), "checks[1]": ("spec", "extra", 0)}
        >>> str(Place().with_key_names(**names).at("checks", 1)), str(Place().with_key_names(**names).at("checks", 0))
        ('spec.extra[0]', 'spec[0]')
        """
        return dataclasses.replace(self, aliases=tuple(names.items()))

    def with_phrases(self, phrases: Mapping[str, str]) -> Place:
        """The same place, with what phrases with keys of the stack file are here."""
        return dataclasses.replace(self, phrases=tuple(phrases.items()))

    def display_name(self, phrase: str) -> str:
        """A key of the stack file, or a phrase with one, as people who wrote this place know it.

        >>> place = Place().with_key_names(upgrade=("spec", "settings")).with_phrases({"upgrade: fast": "speed: 10"})
        >>> place.display_name("upgrade"), place.display_name("upgrade: fast"), Place().display_name("upgrade: fast")
        ('spec.settings', 'speed: 10', 'upgrade: fast')
        """
        names = {key: str(Place(keys=keys)) for key, keys in self.aliases}
        return {**names, **dict(self.phrases)}.get(phrase, phrase)

    def __str__(self) -> str:
        """The path as a user would say it; empty for the whole."""
        parts = [f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys]
        return "".join(parts).removeprefix(".")


def _renamed(keys: tuple[Key, ...], names: Mapping[str, tuple[Key, ...]]) -> Iterator[Key]:
    """Keys by their other names."""
    rest = list(keys)
    while rest:
        key, *rest = rest
        item = f"{key}[{rest[0]}]" if rest else ""
        if item in names:
            rest = rest[1:]
            yield from names[item]
        else:
            yield from names.get(key, (key,)) if isinstance(key, str) else (key,)

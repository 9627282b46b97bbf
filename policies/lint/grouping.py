"""Which files are about the same cluster: the objects of a folder, a kustomization or a chart are a world of their own.

Two files of a folder may declare an object of the same name, as examples for two machines do. Then each of the two is
checked with all files that do not contradict it.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from policies.lint.kustomizations import roots, taken_in
from policies.lint.left_out import absolute
from policies.objects.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from policies.lint.files import File
    from policies.lint.left_out import Layout
    from policies.objects.world import Object

_CONTEXT: Final = 1_000
"""Objects that are checked again beside the files of a folder that contradict each other, and as many as it has."""
KUSTOMIZATION: Final = "kustomization"
"""How the name of such a group begins."""
FOLDER: Final = "folder"
"""So does that of the files of a folder."""
Key = tuple[str, ...]
"""What may exist only once."""


class Unit(Struct):
    """The objects of one file, each once."""

    objects: list[Object] = field(default_factory=list["Object"])
    keys: set[Key] = field(default_factory=set[Key])


def key_of(each: Object) -> Key | None:
    """What identifies an object; None where nobody knows its name yet."""
    metadata = each.value.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    if not each.name or any(isinstance(named.get(key), Unknown) for key in ("name", "namespace")):
        return None
    return (each.kind.group or each.kind.type_, each.kind.name, each.namespace, each.name)


def groups_of(layout: Layout, files: Iterable[File]) -> dict[str, tuple[str, ...]]:
    """The groups that each file belongs to, by its name."""
    found: dict[str, list[str]] = {}
    known = layout.kustomizations
    alike = {known[folder].resources: folder for folder in roots(known)}  # overlays that only patch their base
    for folder in alike.values():
        for path in sorted(taken_in(folder, known)):
            found.setdefault(path, []).append(f"{KUSTOMIZATION} {folder}")
    return {
        each.name: tuple(found.get(path, [_place(path, layout)])) for each in files for path in [absolute(each.name)]
    }


def _place(path: str, layout: Layout) -> str:
    chart = layout.chart_of(path)
    return f"chart {chart}" if chart is not None else f"{FOLDER} {posixpath.dirname(path)}"


def units(objects: Iterable[Object], key: Mapping[str, Key]) -> list[Unit]:
    """The objects of a file; each repetition of a name begins another unit. `key` is by origin."""
    made = [Unit()]
    seen = Counter[Key]()
    for each in objects:
        own = key.get(each.place.origin)
        level = 0 if own is None else seen[own]
        if own is not None:
            seen[own] += 1
        while len(made) <= level:
            made.append(Unit())
        made[level].objects.append(each)
        if own is not None:
            made[level].keys.add(own)
    return [each for each in made if each.objects]


def group(found: Sequence[Unit]) -> tuple[tuple[Object, ...], ...]:
    """The worlds of a group, where no name is twice: the first has every unit that contradicts none before it."""
    levels: list[list[Unit]] = [[]]
    taken = Counter[Key]()
    for unit in found:
        level = max((taken[key] for key in unit.keys), default=0)
        while len(levels) <= level:
            levels.append([])
        levels[level].append(unit)
        taken.update({key: level + 1 - taken[key] for key in unit.keys})
    return tuple(_worlds(levels))


def _worlds(levels: list[list[Unit]]) -> Iterator[tuple[Object, ...]]:
    first, left = levels[0], _CONTEXT + sum(len(unit.objects) for level in levels for unit in level)
    yield tuple(each for unit in first for each in unit.objects)
    for level in levels[1:]:
        keys = set[Key]().union(*(unit.keys for unit in level))
        beside = [unit for unit in first if keys.isdisjoint(unit.keys)] if left > 0 else []
        left -= sum(len(unit.objects) for unit in beside) + len(first)
        yield tuple(each for unit in (*level, *beside) for each in unit.objects)

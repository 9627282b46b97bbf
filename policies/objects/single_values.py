"""The single values within a nested value, such as the values of a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key
    from policies.objects.values import Part, Value

Leaf = tuple[tuple["Key", ...], str, "Value"]
"""The way to a value, the nearest name above it, and itself."""


def leaves(part: Part, *path: str) -> Iterator[Leaf]:
    """Every single value below `path`, its way from the part; what is not known yet is one too."""
    *above, name = path
    value = part.raw(*above)
    yield from _below(path, name, value.get(name) if isinstance(value, dict) else None)


def variables(container: Part) -> Iterator[tuple[str, Value]]:
    """Name and value of each variable of a container; an empty name where none is stated, None without a value."""
    for index, variable in enumerate(container.mappings("env")):
        name = variable.get("name")
        yield name if isinstance(name, str) else container.string("env", index, "name"), variable.get("value")


def _below(path: tuple[Key, ...], name: str, value: Value) -> Iterator[Leaf]:
    """Nesting is as deep as the loader of the object lets it be."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from _below((*path, key), key, inner)
        case list():
            for index, inner in enumerate(value):
                yield from _below((*path, index), name, inner)
        case _:
            yield path, name, value

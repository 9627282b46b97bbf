"""The plan for a resource, and how that differs from its present state.

A plan is the recorded outputs with the program's inputs laid over them. A property that the program leaves out keeps
its value when the cloud decides it, and is removed otherwise; a value that means the same as the recorded one keeps the
recorded form, so that nothing that depends on it seems to change. The differences between outputs and plan are the
diff; the plan is also what a preview shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from simulator.cloud.schema import Container, Package, Property, Shape
from simulator.providers.base import Change
from simulator.providers.bridged.fields import Compare, Field
from simulator.providers.differences import member
from simulator.providers.values import UNKNOWN, Properties, Unknown, Value, contains_unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_REPLACING = {
    Change.ADD: Change.ADD_REPLACE,
    Change.DELETE: Change.DELETE_REPLACE,
    Change.UPDATE: Change.UPDATE_REPLACE,
}
DEFAULTS_KEY = "__defaults"
"""Beside the inputs of each object, the names of those that the provider filled in."""


def plan(fields: Mapping[str, Field], outputs: Properties, inputs: Properties) -> Properties:
    """The planned outputs of a resource with these `outputs` for these `inputs`.

    Outputs that are not inputs stay as they are; the cloud decides them anew when the change is made.
    """
    planned: Properties = {name: value for name, value in outputs.items() if name not in fields}
    for name, field in fields.items():
        old, new = outputs.get(name), inputs.get(name)
        if new is None:
            new = field.default  # the check leaves a default out beside a property that excludes it; the plan does not
        value = old if new is None and (field.server or field.computed) else _planned(field, old, new)
        if value is not None:
            planned[name] = value
    return planned


def with_unknowns(fields: Mapping[str, Field], properties: Properties) -> Properties:
    """`properties` of a resource that does not exist yet, with `UNKNOWN` where only the cloud will know the value."""
    known = {name: value for name, value in properties.items() if name != DEFAULTS_KEY}
    for name, field in fields.items():
        value = known.get(name)
        if value is None and (field.server or field.computed):
            known[name] = UNKNOWN
        elif field.fields and isinstance(value, dict):
            known[name] = with_unknowns(field.fields, value)
        elif field.fields and isinstance(value, list):
            items = cast("list[Properties]", value)
            known[name] = [with_unknowns(field.fields, item) for item in items]
    return known


def same(field: Field, old: Value, new: Value) -> bool:
    """Whether two known values of a property mean the same."""
    match field.compare:
        case Compare.LINK if isinstance(old, str) and isinstance(new, str):
            return _link(old, new) == _link(new, old)
        case Compare.CASE if isinstance(old, str) and isinstance(new, str):
            return old.lower() == new.lower()
        case Compare.SET if isinstance(old, list) and isinstance(new, list):
            return _sorted(old) == _sorted(new) and not contains_unknown(new)
        case _:
            return old == new


def is_ignored(path: str, ignored: Sequence[str]) -> bool:
    """Whether a change at `path` falls under one of the `ignored` paths, in which `*` stands for any key or index.

    >>> is_ignored("nodeConfig.labels.team", ["nodeConfig.labels"]), is_ignored("nodeCount", ["node"])
    (True, False)
    """
    return any(
        re.match(rf"{re.escape(item).replace(re.escape('*'), '[^.]*')}(?:$|[.\[])", path) is not None
        for item in ignored
    )


def without_ignored(outputs: Properties, planned: Properties, ignored: Sequence[str], path: str = "") -> Properties:
    """`planned` with the properties as they are in `outputs` wherever their change is ignored."""
    kept: Properties = {}
    for name in (*planned, *(name for name in outputs if name not in planned)):
        here, old, new = member(path, name), outputs.get(name), planned.get(name)
        if is_ignored(here, ignored):
            new = old
        elif isinstance(old, dict) and isinstance(new, dict):
            new = without_ignored(old, new, ignored, here)
        if new is not None:
            kept[name] = new
    return kept


class Differ:
    """Differences between outputs and plans of the resources of one package."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def changes(
        self, properties: Mapping[str, Property], fields: Mapping[str, Field], old: Properties, new: Properties
    ) -> dict[str, Change]:
        """The differences of the modelled inputs by path, with those marked that cannot be made in place."""
        return dict(self._members(properties, fields, (old, new), ""))

    def _members(
        self,
        properties: Mapping[str, Property],
        fields: Mapping[str, Field],
        values: tuple[Properties, Properties],
        path: str,
    ) -> Iterator[tuple[str, Change]]:
        old, new = values
        for name, field in fields.items():
            if not field.computed:
                yield from self._value(properties[name], field, (old.get(name), new.get(name)), member(path, name))

    def _value(
        self, prop: Property, field: Field, values: tuple[Value, Value], path: str
    ) -> Iterator[tuple[str, Change]]:
        old, new = values
        if _is_empty(old) and _is_empty(new):
            return
        if old is None or new is None or isinstance(new, Unknown):
            kind = Change.ADD if old is None else Change.DELETE if new is None else Change.UPDATE
            yield path, self._marked(prop, field, kind, old if new is None else new)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._list(prop, field, (old, new), path)
        elif prop.container is Container.MAP and isinstance(old, dict) and isinstance(new, dict):
            yield from _map(prop, (old, new), path)
        elif prop.type_name and isinstance(old, dict) and isinstance(new, dict):
            yield from self._members(self._package.type(prop.type_name), field.fields, (old, new), path)
        elif old != new:
            forced = field.replaces is not None and field.replaces.forces(old, new)
            yield path, Change.UPDATE_REPLACE if forced else self._marked(prop, field, Change.UPDATE, new)

    def _list(
        self, prop: Property, field: Field, values: tuple[list[Value], list[Value]], path: str
    ) -> Iterator[tuple[str, Change]]:
        old, new = values
        for index in range(max(len(old), len(new))):
            here = f"{path}[{index}]"
            before = old[index] if index < len(old) else None
            after = new[index] if index < len(new) else None
            if prop.shape is Shape.OBJECT and isinstance(before, dict) and isinstance(after, dict) and prop.type_name:
                yield from self._members(self._package.type(prop.type_name), field.fields, (before, after), here)
            elif before != after:
                kind = Change.ADD if index >= len(old) else Change.DELETE if index >= len(new) else Change.UPDATE
                yield here, self._marked(prop, field, kind, after if before is None else before)

    def _marked(self, prop: Property, field: Field, kind: Change, value: Value) -> Change:
        return _REPLACING[kind] if self._forces(prop, field, value) else kind

    def _forces(self, prop: Property, field: Field, value: Value) -> bool:
        """Whether to add or remove `value` needs a new resource: for itself or for anything in it."""
        if prop.forces_replacement:
            return True
        if prop.type_name is None:
            return False
        inner = self._package.type(prop.type_name)
        items = value if isinstance(value, list) else [value]
        return any(
            self._forces(inner[name], child, item[name])
            for item in items
            if isinstance(item, dict)
            for name, child in field.fields.items()
            if not _is_empty(item.get(name)) and not child.computed
        )


def _planned(field: Field, old: Value, new: Value) -> Value:
    if new is None or isinstance(new, Unknown):
        return new
    if not field.fields:
        return old if old is not None and same(field, old, new) else new
    if field.compare is Compare.SET and old is not None and same(field, plain(old), plain(new)):
        return old
    if isinstance(new, list):
        before = old if isinstance(old, list) else []
        pairs = ((before[index] if index < len(before) else None, item) for index, item in enumerate(new))
        return [_object(field, one, item) for one, item in pairs]
    return _object(field, old, new)


def _object(field: Field, old: Value, new: Value) -> Value:
    if not isinstance(new, dict):
        return new
    inputs = {name: value for name, value in new.items() if name != DEFAULTS_KEY}
    return plan(field.fields, old if isinstance(old, dict) else {}, inputs)


def _map(prop: Property, values: tuple[Properties, Properties], path: str) -> Iterator[tuple[str, Change]]:
    old, new = values
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            kind = Change.ADD if key not in old else Change.DELETE if key not in new else Change.UPDATE
            yield member(path, key), _REPLACING[kind] if prop.forces_replacement else kind


def _is_empty(value: Value) -> bool:
    """Whether the value means the same as no value: the real providers do not distinguish the two."""
    return value is None or (not isinstance(value, Unknown) and value in ("", 0, False, [], {}))


def _link(text: str, other: str) -> str:
    """The part of a reference to compare: the path when the other is a path too, else the short name."""
    _, found, path = text.partition("projects/")
    return path if found and "projects/" in other else text.rsplit("/", 1)[-1]


def plain(value: Value) -> Value:
    """`value` without the marks of filled-in defaults."""
    match value:
        case list():
            return [plain(item) for item in value]
        case dict():
            return {name: plain(item) for name, item in value.items() if name != DEFAULTS_KEY}
        case _:
            return value


def _sorted(values: list[Value]) -> list[Any]:
    return sorted(values, key=repr)

"""Properties as a program writes them, and documents as the API has them: one table, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.cloud.api import Body
    from simulator.providers.bridged.fields import Field
    from simulator.providers.values import Properties


def to_api(fields: Mapping[str, Field], properties: Mapping[str, Any]) -> Body:
    """The API's document of known properties; properties that only the provider knows are left out."""
    body: Body = {}
    for name, field in fields.items():
        value = properties.get(name)
        if value is not None and not field.local and not field.computed:
            _put(body, (field.at or name).split("."), _encode(field, value))
    return body


def from_api(fields: Mapping[str, Field], body: Body) -> Properties:
    """The properties that the API's document holds, except empty lists."""
    properties: Properties = {}
    for name, field in fields.items():
        if field.local:
            continue
        raw = _get(body, (field.at or name).split("."))
        value = None if raw is None else _decode(field, raw)
        says_nothing = value == [] or (value == {} and not field.fields)
        if value is not None and (field.server or not says_nothing):
            properties[name] = value
    return properties


def merge_patch(old: Body, new: Body) -> Body:
    """The JSON merge patch (RFC 7386) from `old` to `new`.

    >>> merge_patch({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2, "d": 4}})
    {'a': None, 'b': {'d': 4}}
    """
    patch: Body = dict.fromkeys(sorted(old.keys() - new.keys()))
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            inner = merge_patch(cast("Body", before), cast("Body", value))
            if inner:
                patch[key] = inner
        elif before != value:
            patch[key] = value
    return patch


def _encode(field: Field, value: Any) -> Any:  # noqa: ANN401  any JSON value
    if field.fields and isinstance(value, list):
        value = [{**field.constant, **to_api(field.fields, item)} for item in cast("list[Body]", value)]
    elif field.fields:
        value = {**field.constant, **to_api(field.fields, value)}
    return field.encoded(value)


def _decode(field: Field, raw: Any) -> Any:  # noqa: ANN401  any JSON value
    value = field.decoded(raw)
    if not field.fields:
        return value
    if isinstance(value, list):
        return [from_api(field.fields, item) for item in cast("list[Body]", value)]
    if any(value.get(key) != constant for key, constant in field.constant.items()):
        return None
    return from_api(field.fields, value)


def _put(body: Body, path: list[str], value: Any) -> None:  # noqa: ANN401  any JSON value
    *parents, last = path
    for key in parents:
        body = body.setdefault(key, {})
    if isinstance(value, dict) and isinstance(body.get(last), dict):
        body[last].update(value)
    else:
        body[last] = value


def _get(body: Any, path: list[str]) -> Any:  # noqa: ANN401  any JSON value
    for key in path:
        if not isinstance(body, dict):
            return None
        body = cast("Body", body).get(key)
    return body

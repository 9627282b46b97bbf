"""Reading documents whose parts may be absent or null, as the API server sends them."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

Document = dict[str, Any]


def section(document: Document | None, *keys: str) -> Document:
    """The mapping below `keys`, empty when any step is absent or null.

    >>> section({"status": None}, "status", "loadBalancer")
    {}
    """
    for key in keys:
        document = (document or {}).get(key)
    return document or {}


def entries(document: Document | None, *keys: str) -> list[Document]:
    """The list of mappings below `keys`, empty when any step is absent or null.

    A CRD's `status.conditions` is null, not absent, right after it is created.
    """
    *path, last = keys
    return cast("list[Document]", section(document, *path).get(last) or [])


def condition(document: Document | None, type_: str) -> Document:
    """The status condition of that type, empty when there is none."""
    return next((c for c in entries(document, "status", "conditions") if c.get("type") == type_), Document())


def is_true(document: Document | None, type_: str) -> bool:
    """Whether the status condition of that type is True."""
    return condition(document, type_).get("status") == "True"


def describe(document: Document | None) -> str:
    """The state of an object in one line: its conditions with reasons and messages, or its phase."""
    if document is None:
        return "it does not exist"
    conditions = entries(document, "status", "conditions")
    if conditions:
        return "; ".join(_condition(each) for each in conditions)
    status = section(document, "status")
    return f"phase {status['phase']}" if "phase" in status else "no status yet"


def stamp(moment: float | None = None) -> str:
    """A moment in seconds since the epoch as the API writes times, in whole seconds; now by default.

    >>> stamp(1.5)
    '1970-01-01T00:00:01Z'
    """
    when = dt.datetime.now(dt.UTC) if moment is None else dt.datetime.fromtimestamp(moment, dt.UTC)
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"


def with_kind(item: Document, listed: Document) -> Document:
    """An object of a list with the apiVersion and kind that only the list states."""
    kind = str(listed.get("kind", "")).removesuffix("List")
    return {"apiVersion": listed.get("apiVersion"), "kind": kind, **item}


def _condition(each: Document) -> str:
    parts = [f"{each.get('type')}={each.get('status')}", each.get("reason"), each.get("message")]
    return ", ".join(str(part) for part in parts if part)

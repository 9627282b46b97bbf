"""Objects that a file, or a kustomization, declares twice with different values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policies.lint.findings import ONCE, breach, place_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from components.model.findings import Finding
    from policies.lint.recognising import Recognised
    from policies.objects.world import Object


def repeated(objects: Iterable[Object], seen: Recognised) -> Iterator[Finding]:
    """A finding for each object whose name another one of them has."""
    first = dict[tuple[str, ...], "Object"]()
    for each in objects:
        origin = each.place.origin
        identity = seen.identities.get(origin)
        if identity is None:
            continue
        before = first.setdefault(identity, each)
        if before is each or before.value == each.value:
            continue
        where = seen.sources[before.place.origin]
        span = where.text.span(where.path, is_about_key=False)
        line = "" if span is None else f":{span.line + 1}"
        yield breach(
            ONCE,
            place_in(origin),
            f"{where.text.name}{line} declares it too, with other values.",
            "Remove one of them, or give it another name.",
        )

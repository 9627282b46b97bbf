"""Files without a namespace whose runs are in a queue of one: they are applied with `kubectl -n`, or wait for ever."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from policies.lint.findings import HOME, breach
from policies.objects.ownership import queue_name
from policies.objects.values import MalformedError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from components.model.findings import Finding
    from policies.objects.world import Object

_DEFAULT: Final = "default"


def placed(objects: Collection[Object], file_of: Callable[[Object], str]) -> tuple[list[Object], list[Finding]]:
    """The objects, those of such files in the namespace of the queue, and a warning about each of their runs."""
    homes = dict[str, set[str]]()
    for each in objects:
        if each.kind is kinds.LOCAL_QUEUE and each.name:
            homes.setdefault(each.name, set()).add(each.namespace if _is_stated(each) else "")
    homeless = [(each, home) for each in objects if each.kind in kinds.QUEUED_KINDS and (home := _home(each, homes))]
    into = dict[str, set[str]]()
    for each, home in homeless:
        into.setdefault(file_of(each), set()).add(home)
    only = {file: next(iter(found)) for file, found in into.items() if len(found) == 1}
    return [_moved(each, only.get(file_of(each), "")) for each in objects], [
        breach(
            HOME,
            each.place.at("metadata", "namespace"),
            f"the only queue {queue_name(each)} here is in {home}.",
            f"State namespace: {home}, or apply it with -n {home}.",
        )
        for each, home in homeless
        if file_of(each) in only
    ]


def _home(run: Object, homes: Mapping[str, Collection[str]]) -> str:
    """The one namespace that has the queue of a run which states none; empty where there is no such namespace."""
    try:
        queue = None if _is_stated(run) else queue_name(run)
    except (UndecidedError, MalformedError):
        return ""
    found = homes.get(queue, ()) if queue is not None else ()
    return next(iter(found)) if len(found) == 1 and run.namespace not in found else ""


def _is_stated(each: Object) -> bool:
    """Whether an object is in a namespace of its own choice, or of its kustomization's."""
    metadata = each.value.get("metadata")
    return each.namespace != _DEFAULT or (isinstance(metadata, dict) and "namespace" in metadata)


def _moved(each: Object, namespace: str) -> Object:
    return dataclasses.replace(each, namespace=namespace, derived={}) if namespace and not _is_stated(each) else each

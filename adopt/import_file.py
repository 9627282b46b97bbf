"""The file for `pulumi import --file`: what `pulumi preview --import-file` writes, with ids in place of marks.

An import has phases. Pulumi reads the objects in a cluster through a provider that needs the kubeconfig, and knows the
kubeconfig only once the cluster is in the state. So resources that depend on an unknown value are left for the next
phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from adopt.ids import has_id, import_id
from adopt.preview import PreviewError, Registered
from components.model.facts import engine
from components.model.findings import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A phase."""

    document: dict[str, Any]
    """The file's content."""
    resources: int
    """How many of its entries exist outside of the state."""
    later: tuple[str, ...]
    """Resources that depend on a value that this phase makes known, as `type name`."""
    made: tuple[str, ...]
    """Resources that exist only in the state; `pulumi up` creates them."""


def parsed(name: str, text: str) -> dict[str, Any]:
    """The import file that the preview wrote.

    Raises:
        PreviewError: it is not such a file.
    """
    try:
        document = engine.read(text)
    except ValueError as error:
        raise PreviewError(f"{name} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise PreviewError(f"{name} is not an import file: pulumi preview --import-file writes one")
    found = cast("dict[str, Any]", document)
    entries = found.get("resources", [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in cast("list[object]", entries)):
        raise PreviewError(f"{name} is not an import file: its resources are not a list of mappings")
    return found


def filled(document: Mapping[str, Any], resources: Iterable[Registered], project: str) -> Filled:
    """The entries whose ids are known, with their ids.

    Raises:
        PreviewError: the preview does not show an entry, or shows two resources that it may be.
    """
    shown = _by_type_and_name(resources)
    kept: list[dict[str, Any]] = []
    later: list[str] = []
    made: list[str] = []
    for entry in cast("list[dict[str, Any]]", document.get("resources", [])):
        type_, name = str(entry.get("type")), str(entry.get("logicalName", entry.get("name")))
        id_ = None if entry.get("component") else import_id(type_, _inputs(shown, type_, name), project)
        if entry.get("component"):
            kept.append(entry)
        elif not has_id(type_):
            made.append(f"{type_} {name}")
        elif id_ is None or engine.is_unknown(_provider(document, entry)):
            later.append(f"{type_} {name}")
        else:
            kept.append({**entry, "id": id_})
    return Filled(
        document=_document(document, kept),
        resources=sum("id" in each for each in kept),
        later=tuple(later),
        made=tuple(made),
    )


def _document(document: Mapping[str, Any], kept: list[dict[str, Any]]) -> dict[str, Any]:
    """The file without the names of unused providers."""
    named = {str(each[key]) for each in kept for key in ("parent", "provider") if key in each}
    tables = {
        key: {name: value for name, value in cast("dict[str, Any]", document.get(key, {})).items() if name in named}
        for key in ("nameTable", "providerInputs")
    }
    return {**{key: table for key, table in tables.items() if table}, "resources": kept}


def _provider(document: Mapping[str, Any], entry: Mapping[str, Any]) -> object:
    """The configuration of the provider that the entry's resource needs, where the file brings it."""
    return cast("dict[str, Any]", document.get("providerInputs", {})).get(str(entry.get("provider")))


def _inputs(shown: Mapping[tuple[str, str], list[Registered]], type_: str, name: str) -> Mapping[str, Any]:
    found = shown.get((type_, name), [])
    if len(found) != 1:
        raise PreviewError(
            f"the preview shows {counted(len(found), 'resource')} of type {type_} named {name}, but the import file "
            "has one of it"
        )
    return found[0].inputs


def _by_type_and_name(resources: Iterable[Registered]) -> dict[tuple[str, str], list[Registered]]:
    found: dict[tuple[str, str], list[Registered]] = {}
    for each in resources:
        found.setdefault((each.type, each.name), []).append(each)
    return found

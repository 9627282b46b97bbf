"""What a `kustomization.yaml` names: resources, further kustomizations, patches and its own configuration."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from policies.lint.documents import Document, documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from policies.lint.files import File
    from policies.objects.values import Value

_RESOURCES: Final = ("resources", "bases", "components")
_RENAMING: Final = ("namePrefix", "nameSuffix", "namespace")
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
_CONFIGURATION: Final = (
    "configurations",
    "replacements",
    "transformers",
    "generators",
    "validators",
    "crds",
    "openapi",
)


class Kustomization(Struct, frozen=True):
    """What one names, as absolute paths."""

    resources: tuple[str, ...]
    """Files, and folders of other kustomizations."""
    patches: tuple[str, ...]
    configuration: tuple[str, ...]
    namespace: str = ""
    """The namespace that it puts its objects into; empty where it leaves theirs."""
    is_renaming: bool = False
    """Whether it gives its objects other names, or another namespace."""


def kustomization_in(file: File, folder: str) -> Kustomization:
    """What the file names, as paths from `folder`; nothing where it cannot be read."""
    values = [each.value for each in documents(file) if isinstance(each, Document)]
    stated = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}

    def named(keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(posixpath.normpath(posixpath.join(folder, each)) for each in _paths(stated, keys))

    is_renaming = any(stated.get(key) for key in _RENAMING)
    namespace = stated.get("namespace")
    return Kustomization(
        named(_RESOURCES),
        named(_PATCHES),
        named(_CONFIGURATION),
        namespace=namespace if isinstance(namespace, str) else "",
        is_renaming=is_renaming,
    )


def _paths(stated: Mapping[str, Value], keys: Iterable[str]) -> Iterator[str]:
    """Paths in lists of text and of mappings with a `path`; a patch may also be written in place."""
    for key in keys:
        value = stated.get(key)
        for each in value if isinstance(value, list) else [value]:
            path = each.get("path") if isinstance(each, dict) else each
            if isinstance(path, str) and "\n" not in path and "://" not in path:
                yield path


def roots(known: Mapping[str, Kustomization]) -> Iterator[str]:
    """Each kustomization, by its folder, that no other one includes."""
    included = {path for each in known.values() for path in each.resources if path in known}
    return (folder for folder in known if folder not in included)


def taken_in(folder: str, known: Mapping[str, Kustomization]) -> frozenset[str]:
    """Every file that a kustomization takes in."""
    return frozenset(_closure(folder, known))


def renamed(known: Mapping[str, Kustomization]) -> frozenset[str]:
    """The files whose objects some kustomization renames."""
    return frozenset(path for folder, each in known.items() if each.is_renaming for path in _closure(folder, known))


def namespaces(folder: str, known: Mapping[str, Kustomization]) -> dict[str, str]:
    """The namespace that a kustomization, or one in it, puts the objects of each file into; the outermost decides."""
    found = dict[str, str]()
    seen, left = set[str](), [folder]
    for here in left:
        if here in seen or here not in known:
            continue
        seen.add(here)
        if known[here].namespace:
            for path in _closure(here, known):
                found.setdefault(path, known[here].namespace)
        left += known[here].resources
    return found


def _closure(folder: str, known: Mapping[str, Kustomization]) -> Iterator[str]:
    seen, left = set[str](), [folder]
    while left:
        here = left.pop()
        if here in seen:
            continue
        seen.add(here)
        for path in known[here].resources:
            if path in known:
                left.append(path)
            else:
                yield path

"""The resources and objects that gcloud and kubectl list, by kind, from untrusted files.

Links and names identify resources of Google Cloud; apiVersion and kind identify objects of Kubernetes. A file may
contain one list or several, as they were printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from policies.lint.documents import Document, documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from policies.lint.files import File

Item = dict[str, Any]
"""A document of an outside API."""

_LINKS: Final = {
    "cluster": re.compile(r"projects/[^/]+/(?:locations|zones)/[^/]+/clusters/[^/]+$"),
    "node pool": re.compile(r"projects/[^/]+/(?:locations|zones)/[^/]+/clusters/[^/]+/nodePools/[^/]+$"),
    "network": re.compile(r"projects/[^/]+/global/networks/[^/]+$"),
    "subnetwork": re.compile(r"projects/[^/]+/regions/[^/]+/subnetworks/[^/]+$"),
    "router": re.compile(r"projects/[^/]+/regions/[^/]+/routers/[^/]+$"),
    "share": re.compile(r"projects/[^/]+/locations/[^/]+/instances/[^/]+$"),
    "disk": re.compile(r"projects/[^/]+/zones/[^/]+/disks/[^/]+$"),
    "service": re.compile(r"projects/[^/]+/services/[^/]+\.googleapis\.com$"),
}
_LINK_KEYS: Final = ("selfLink", "name")
_PATH: Final = re.compile(r"projects/.*")


class ListingError(Exception):
    """The listings cannot be read, or do not say which platform is meant; the text says why and what would be right."""


class InexpressibleError(Exception):
    """The stack file cannot state the object; the text says which part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that the stack file does not state, or states without certainty."""

    what: str
    """The object that it is about."""
    says: str
    remedy: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.what}: {self.says} {self.remedy}"


def left_out(what: str, says: str) -> Remark:
    """The remark on an object that the stack file does not state; `says` is why, a sentence without its end."""
    return Remark(what=what, says=f"{says}.", remedy="The stack file leaves it out; it stays as it is.")


def stated(**fields: object) -> dict[str, Any]:
    """The keys of a stack file that say something: those that are false or empty are left out, and 0 is not."""
    return {key: value for key, value in fields.items() if value is not False and value not in (None, "", [], {})}


@dataclass(slots=True)
class Listings:
    """Everything that was listed."""

    cloud: dict[str, list[Item]] = field(default_factory=dict[str, list[Item]])
    """By kind as `_LINKS` calls it."""
    objects: dict[str, list[Item]] = field(default_factory=dict[str, list[Item]])
    """Kubernetes objects by kind."""

    def of(self, kind: str) -> list[Item]:
        """The resources of Google Cloud of that kind."""
        return self.cloud.get(kind, [])

    def kind(self, kind: str) -> list[Item]:
        """The Kubernetes objects of that kind."""
        return self.objects.get(kind, [])

    def take(self, item: Item) -> None:
        """Add a document; other kinds are ignored."""
        if isinstance(item.get("apiVersion"), str) and isinstance(item.get("kind"), str):
            self.objects.setdefault(item["kind"], []).append(item)
            return
        path = path_of(item)
        kind = next((kind for kind, link in _LINKS.items() if link.fullmatch(path)), None)
        if kind is not None:
            self.cloud.setdefault(kind, []).append(item)


def path_of(item: Item) -> str:
    """The full name of a resource of Google Cloud, `projects/...`; empty where it says none."""
    for key in _LINK_KEYS:
        found = _PATH.search(str(item.get(key, "")))
        if found is not None:
            return found[0]
    return ""


def segment(path: str, after: str) -> str:
    """The part of a full name behind `/after/`; empty where there is none.

    >>> segment("projects/p/locations/us-west4/clusters/c", "locations")
    'us-west4'
    """
    parts = path.split("/")
    return parts[parts.index(after) + 1] if after in parts[:-1] else ""


def listed(files: Iterable[File]) -> Listings:
    """What the files list.

    Raises:
        ListingError: one of them cannot be read.
    """
    found = Listings()
    for file in files:
        for document in documents(file):
            if not isinstance(document, Document):
                raise ListingError(f"{document.origin}: {document.problem}")
            for item in _items(document.value):
                found.take(item)
    return found


def _items(value: object) -> Iterator[Item]:
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _items(each)
    elif isinstance(value, dict):
        item = cast("Item", value)
        inner = item.get("items")
        if str(item.get("kind", "")).endswith("List") and isinstance(inner, list):
            kind = {"apiVersion": item.get("apiVersion"), "kind": str(item["kind"]).removesuffix("List")}
            of_kind = {} if kind["kind"] == "" else kind
            for each in cast("list[object]", inner):
                yield from _items({**of_kind, **cast("Item", each)} if isinstance(each, dict) else each)
        else:
            yield item


def section(item: object, *path: str) -> Item:
    """The mapping at a path; an empty one where there is none."""
    for key in path:
        item = cast("Item", item).get(key) if isinstance(item, dict) else None
    return cast("Item", item) if isinstance(item, dict) else {}


def entries(item: object, *path: str) -> list[Item]:
    """The mappings in the list at a path; none where there is no list."""
    found = section(item, *path[:-1]).get(path[-1])
    return (
        [cast("Item", each) for each in cast("list[object]", found) if isinstance(each, dict)]
        if isinstance(found, list)
        else []
    )


def name_of(item: Item) -> str:
    """The name of a Kubernetes object."""
    return str(section(item, "metadata").get("name", ""))


def namespace_of(item: Item) -> str:
    """Its namespace; empty where it has none."""
    return str(section(item, "metadata").get("namespace", ""))

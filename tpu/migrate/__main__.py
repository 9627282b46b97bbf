"""`tpu migrate`: objects of Kueue and JobSet in an older stored version; `--write` rewrites them.

A definition then states that no object of an older version is left.
Source: Kubernetes documentation "Versions in CustomResourceDefinitions", upgrade existing objects to a new stored
version, read 2026-11.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import Final

from components.kubeapi import Api, ApiError, Document
from components.kubeapi.discovery import DEFINITIONS
from components.kubeapi.documents import entries, section
from tpu.connect import CLUSTER_ERRORS, add_flags, connect

_GROUPS: Final = ("jobset.x-k8s.io", "kueue.x-k8s.io")
_PAGE: Final = 500
"""Objects of one answer."""
_REFUSED: Final = (400, 403, 422)
"""What the schema and admission webhooks answer; 403 is also what someone gets who may not write."""


def main() -> None:
    """Do what the command line says; exit code 1 when objects may be left in an older version."""
    arguments = parser().parse_args()
    try:
        api = connect(arguments)
        left = _written(api) if arguments.write else _left(read_definitions(api))
    except CLUSTER_ERRORS as error:
        print(f"migrate: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    if left:
        raise SystemExit(1)


def _left(definitions: list[Definition]) -> bool:
    for each in definitions:
        state = f", and perhaps as {' and '.join(each.older)}" if each.older else ""
        print(f"{each.name}: objects are stored as {each.storage}{state}")
    if not definitions:
        print("The cluster has no definition of Kueue or JobSet.")
    older = [each for each in definitions if each.older]
    if older:
        print(f"{len(older)} of {len(definitions)} may have objects of an older version: run again with --write.")
    return bool(older)


def _written(api: Api) -> bool:
    """Write what may be of an older version; whether an object was refused."""
    refused = False
    for each in read_definitions(api):
        if not each.older:
            continue
        try:
            print(f"{each.name}: {rewrite(api, each)} objects are stored as {each.storage} now", flush=True)
        except RefusedError as error:
            print(f"{each.name}: {error}", file=sys.stderr)
            refused = True
    if not refused:
        print("Every object of Kueue and JobSet is stored in the current version.")
    return refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A CustomResourceDefinition, at one moment."""

    name: str
    """Such as `workloads.kueue.x-k8s.io`."""
    collection: str
    """Path of its objects in all namespaces, in the version in which new ones are kept."""
    storage: str
    """That version."""
    stored: tuple[str, ...]
    """The versions in which objects may be kept, the oldest first."""
    resource_version: str

    @property
    def path(self) -> str:
        """Its own path in the API."""
        return f"{DEFINITIONS}/{self.name}"

    @property
    def older(self) -> tuple[str, ...]:
        """The versions in which no new object is kept, but an old one may be."""
        return tuple(version for version in self.stored if version != self.storage)


def read_definitions(api: Api) -> list[Definition]:
    """The definitions of Kueue and JobSet that the cluster has, by name.

    Raises:
        ApiError, UnreachableError: the cluster does not answer.
    """
    found = [each for each in api.items(DEFINITIONS) if section(each, "spec").get("group") in _GROUPS]
    return sorted((_definition(each) for each in found), key=lambda each: each.name)


def _definition(document: Document) -> Definition:
    spec, metadata = section(document, "spec"), section(document, "metadata")
    storage = next(str(version["name"]) for version in entries(spec, "versions") if version["storage"])
    return Definition(
        name=metadata["name"],
        collection=f"/apis/{spec['group']}/{storage}/{spec['names']['plural']}",
        storage=storage,
        stored=tuple(section(document, "status").get("storedVersions") or ()),
        resource_version=metadata["resourceVersion"],
    )


class RefusedError(Exception):
    """An object cannot be written as it is; the text says which and why."""


def rewrite(api: Api, definition: Definition) -> int:
    """Write every object of `definition` in its storage version; the result is how many there were.

    Nothing in an object changes: the patch is empty, and the API server writes the object because what it keeps differs
    in version. Objects that are created meanwhile are of that version already. A definition whose storage version
    changes meanwhile is left as it is.

    Raises:
        RefusedError: a webhook or the schema refuses an object; the definition still states the older versions.
        ApiError, UnreachableError: the cluster does not answer as it should.
    """
    paths = _objects(api, definition.collection)
    for path in paths:
        try:
            api.merge(path, {})
        except ApiError as error:
            if error.status in _REFUSED:
                raise RefusedError(f"{path}: {error}. Correct or delete the object, then run this again.") from error
            if not error.is_not_found:  # then it has been deleted
                raise
    metadata = {"resourceVersion": definition.resource_version}
    api.merge(f"{definition.path}/status", {"metadata": metadata, "status": {"storedVersions": [definition.storage]}})
    return len(paths)


def _objects(api: Api, collection: str) -> list[str]:
    """The paths of all objects, read before the first is written: a list is consistent for some minutes only."""
    root, _, plural = collection.rpartition("/")
    found: list[str] = []
    query = {"limit": str(_PAGE)}
    while True:
        page = api.get(collection, query)
        for each in entries(page, "items"):
            metadata = section(each, "metadata")
            within = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
            found.append(f"{root}/{within}{plural}/{metadata['name']}")
        token = section(page, "metadata").get("continue")
        if not token:
            return found
        query = {"limit": str(_PAGE), "continue": str(token)}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu migrate",
        description="For each kind of Kueue and JobSet, list the API versions in which objects may still be stored; "
        "with --write, rewrite them in the current one.",
        epilog="Example: tpu migrate --stack dev --write. "
        "Exit code 1: the cluster does not answer, or some objects may still be stored in an older version.",
    )
    made.add_argument("--write", action="store_true", help="rewrite such objects in the current version")
    add_flags(made)
    return made


if __name__ == "__main__":
    main()

"""Writing every object of a definition anew, and stating that none of an older version is left.

Source: Kubernetes documentation "Versions in CustomResourceDefinitions", upgrade existing objects to a new stored
version, read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubeapi import ApiError
from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from kubeapi import Api
    from operations.migrate.definitions import Definition

_PAGE: Final = 500
"""Objects of one answer."""
_REFUSED: Final = (400, 403, 422)
"""What the schema and admission webhooks answer; 403 is also what someone gets who may not write."""


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

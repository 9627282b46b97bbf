"""Cloud Storage buckets: names that are global, what their creator set, and objects, which are files in a folder.

Source of the texts: answers of the Cloud Storage JSON API as quoted in public issue reports, read 2026-11, except the
refusal of a malformed name, which is ours.
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from simulator.cloud.api import Body, CloudError, Kind, Operation
from simulator.cloud.names import parts_of
from simulator.cloud.service import FolderService, Request, merged

EMPTIED: Final = "emptied"
"""In an update: remove every object, for which the real API has a call for each of them."""
_NAME: Final = re.compile(r"[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]")


class Buckets(FolderService):
    """Buckets; the body names its project in `project`."""

    kind: ClassVar[Kind] = Kind.BUCKET
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("labels", "lifecycle", "versioning", "iamConfiguration", "storageClass", "softDeletePolicy", "retentionPolicy")
    ) | {EMPTIED}
    taken: ClassVar[str] = "Your previous request to create the named bucket succeeded and you already own it."
    missing: ClassVar[str] = "The specified bucket does not exist."

    def run(self, operation: Operation) -> None:
        """Nothing: the folder of a bucket is made when it is first used."""

    def admit_create(self, request: Request) -> Body:
        """Refused when the name is malformed."""
        short = parts_of(Kind.BUCKET, request.name)["name"]
        if _NAME.fullmatch(short) is None:
            raise CloudError(400, "INVALID_ARGUMENT", f"Invalid bucket name: '{short}'")
        now = self.now()
        document = {
            "storageClass": "STANDARD",
            "softDeletePolicy": {"retentionDurationSeconds": "604800"},
            **request.body,
            "name": short,
            "location": str(request.body["location"]).upper(),
            "selfLink": f"https://www.googleapis.com/storage/v1/{request.name}",
            "timeCreated": now,
            "updated": now,
        }
        access = {"uniformBucketLevelAccess": {"enabled": False}, "publicAccessPrevention": "inherited"}
        document["iamConfiguration"] = merged(access, request.body.get("iamConfiguration", {}))
        return document

    def admit_update(self, request: Request) -> Body:
        """The new settings; `emptied` removes every object."""
        if request.body.pop(EMPTIED, False):
            self._folders.remove(request.name)
        return {**merged(request.current, request.body), "updated": self.now()}

    def admit_delete(self, request: Request) -> Body:
        """Refused while the bucket has objects."""
        if not self._folders.is_empty(request.name):
            raise CloudError(409, "CONFLICT", "The bucket you tried to delete is not empty.")
        self._folders.remove(request.name)
        return request.current

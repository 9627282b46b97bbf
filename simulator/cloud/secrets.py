"""Secrets of Secret Manager and their versions. Their values lie in the cloud's own file, which only this user reads.

Source of the texts: answers of the Secret Manager API as quoted in public issue reports, read 2026-11, except the
refusal of a malformed name, which is ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud.api import Body, CloudApi, Kind, invalid, refusal
from simulator.cloud.names import api_name, parts_of
from simulator.cloud.service import Request, Service

if TYPE_CHECKING:
    from simulator.cloud.store import View

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,255}")
LATEST: Final = "latest"
"""The name of the newest version."""
OF_SCENARIO: Final = {"made-by": "scenario"}
"""The labels of a secret that a scenario makes in the place of its owner."""


class Secrets(Service):
    """Secrets without their values."""

    kind: ClassVar[Kind] = Kind.CONFIDENTIAL
    mutable: ClassVar[frozenset[str]] = frozenset(("labels", "annotations"))
    taken: ClassVar[str] = "Secret [{}] already exists."
    missing: ClassVar[str] = "Secret [{}] not found."

    def admit_create(self, request: Request) -> Body:
        """Refused when the name is malformed."""
        name = parts_of(Kind.CONFIDENTIAL, request.name)["name"]
        if _ID.fullmatch(name) is None:
            raise invalid(f"secretId {name}: 1 to 255 letters, digits, hyphens and underscores")
        document: Body = {"replication": {"automatic": {}}, **request.body, "name": request.name}
        return document | {"createTime": self.now()}

    def admit_delete(self, request: Request) -> Body:
        """A secret is deleted with its versions."""
        for version, _ in request.changes.list(Kind.CONFIDENTIAL_VERSION, f"{request.name}/"):
            request.changes.remove(version)
        return request.current


class SecretVersions(Service):
    """Values of secrets, in `payload.data`."""

    kind: ClassVar[Kind] = Kind.CONFIDENTIAL_VERSION
    mutable: ClassVar[frozenset[str]] = frozenset(("state",))
    missing: ClassVar[str] = "Secret Version [{}] not found."

    def admit_create(self, request: Request) -> Body:
        """Refused when there is no such secret."""
        parts = parts_of(Kind.CONFIDENTIAL_VERSION, request.name)
        secret = api_name(Kind.CONFIDENTIAL, project=parts["project"], name=parts["secret"])
        if request.changes.get(secret) is None:
            raise refusal("NOT_FOUND", Secrets.missing.format(secret))
        return {"state": "ENABLED", **request.body, "name": request.name, "createTime": self.now()}


def next_version(cloud: CloudApi, secret: str) -> str:
    """The API name of the version that follows those of a secret (an API name)."""
    versions = cloud.list(Kind.CONFIDENTIAL_VERSION, f"{secret}/")
    return f"{secret}/versions/{max((_number(each['apiName']) for each in versions), default=0) + 1}"


def is_of_scenario(secret: Body) -> bool:
    """Whether a scenario made the secret, and not a user."""
    return secret.get("labels") == OF_SCENARIO


def find_version(view: View, reference: str) -> Body | None:
    """The version of a secret by its API name, which may end with `latest`; None when there is none."""
    secret, _, version = reference.rpartition("/versions/")
    if version != LATEST:
        return view.get(reference)
    versions = dict(view.list(Kind.CONFIDENTIAL_VERSION, f"{secret}/"))
    return versions[max(versions, key=_number)] if versions else None


def _number(version: str) -> int:
    return int(version.rpartition("/")[2])

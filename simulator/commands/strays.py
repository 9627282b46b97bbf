"""What exists in the cloud and in the clusters, and in no stack's state: a provider that dies leaves it behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, UnreachableError
from components.kubeapi.documents import entries, section
from simulator.cloud.api import CloudApi, Kind
from simulator.files import BrokenFileError, read_json
from simulator.providers.gcp.types import TYPES

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.home import Home
    from simulator.providers.gcp.resource import Resource

RESOURCES: Final[dict[str, Resource]] = {each.type_name: each for each in TYPES}
"""The types of the Google Cloud provider, by their tokens."""
_AGAIN: Final = (Kind.CONFIDENTIAL, Kind.DISK, Kind.IAM_MEMBER, Kind.ROUTER, Kind.SERVICE)
"""Kinds that are made at once, so that no kill comes between, or whose second creation the cloud takes.

Secrets and disks may also be nobody's in a state: the `secret` command makes the one, claims make the other.
"""
_GIVEN: Final = "/networks/default"
"""How the network is named that every project has."""


def ids_elsewhere(home: Home, stack: str) -> set[str]:
    """Ids of the resources that other stacks have."""
    states = [path for path in home.backend.glob(".pulumi/stacks/*/*.json") if path.stem != stack and is_whole(path)]
    latest = [section(read_json(path), "checkpoint", "latest") for path in states]
    return {str(each["id"]) for state in latest for each in entries(state, "resources") if "id" in each}


def releases_in(api: Api) -> set[str]:
    """The Helm releases in a cluster, as `namespace/name`; none where it does not answer."""
    try:
        found = [each["metadata"] for each in api.items("/api/v1/secrets", {"labelSelector": "owner=helm"})]
    except (ApiError, UnreachableError):
        return set()
    return {f"{each['namespace']}/{each['labels']['name']}" for each in found}


def has_strays(cloud: CloudApi, known: set[str]) -> bool:
    """Whether the cloud has something that cannot be created a second time and whose id is not among these."""
    return any(
        not name.endswith(_GIVEN) and resource.id_of(name) not in known
        for resource in RESOURCES.values()
        if resource.kind not in _AGAIN
        for name in (body["apiName"] for body in cloud.list(resource.kind))
    )


def is_whole(path: Path) -> bool:
    """Whether there is such a file, of JSON."""
    try:
        read_json(path)
    except (BrokenFileError, FileNotFoundError):
        return False
    return True

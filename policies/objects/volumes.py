"""How claims, volumes and Filestore instances hang together, as far as they say so themselves."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import kinds
from policies.objects.values import MalformedError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.objects.world import Object, World

FILESTORE_DRIVER: Final = "filestore.csi.storage.gke.io"
"""Name of the CSI driver that mounts Filestore."""
_HANDLE: Final = re.compile(r"modeInstance/(?P<location>[^/]+)/(?P<instance>[^/]+)/(?P<share>[^/]+)")


def volume_of(claim: Object, world: World) -> Object | None:
    """The PersistentVolume that a claim names, or that names the claim; None where there is none."""
    named = claim.text("spec", "volumeName")
    if named is not None:
        return world.named(kinds.VOLUME, named)
    reserved = _reserved(world)
    found = reserved.of.get((claim.namespace, claim.name))
    if found is None and reserved.error is not None:
        raise reserved.error.with_traceback(None)
    return found


class _Reserved(NamedTuple):
    """Volumes for claims; every claim asks for them."""

    of: Mapping[tuple[str | None, str | None], Object]
    """By namespace and name of the claim; of several for one claim the first."""
    error: UndecidedError | MalformedError | None
    """Why a volume does not say which claim it is for; those after it are left out."""


@lru_cache(maxsize=1)
def _reserved(world: World) -> _Reserved:
    found: dict[tuple[str | None, str | None], Object] = {}
    for volume in world.of(kinds.VOLUME):
        try:
            claim = volume.text("spec", "claimRef", "namespace"), volume.text("spec", "claimRef", "name")
        except (UndecidedError, MalformedError) as error:
            return _Reserved(found, error)
        found.setdefault(claim, volume)
    return _Reserved(found, None)


def path_of(volume: Object) -> str | None:
    """Name of the share that a volume mounts by NFS; None for any other volume."""
    path = volume.text("spec", "nfs", "path")
    return None if path is None else path.strip("/").partition("/")[0]


def is_share(volume: Object) -> bool:
    """Whether a volume is a directory that many nodes can write at once."""
    return volume.part("spec", "nfs") is not None or volume.text("spec", "csi", "driver") == FILESTORE_DRIVER


def addresses_of(share: Object) -> tuple[str, ...]:
    """Addresses of a Filestore instance; none before it exists."""
    return tuple(address for network in share.parts("networks") for address in network.texts("ipAddresses"))


def share_of(volume: Object, world: World) -> Object | None:
    """The Filestore instance that a volume is on: by its handle, else the only one with a share of that name."""
    handle = _HANDLE.fullmatch(volume.string("spec", "csi", "volumeHandle"))
    if handle is not None:
        return world.named(kinds.FILESTORE, handle["instance"])
    path = path_of(volume)
    if path is None:
        return None
    found = [each for each in world.of(kinds.FILESTORE) if each.text("fileShares", "name") == path]
    return found[0] if len(found) == 1 else None

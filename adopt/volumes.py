"""The mounts of a stack file, as the volumes of listed pods show them."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic import ValidationError

from adopt.listings import InexpressibleError, Item, Listings, name_of, namespace_of, section
from components.manifests.volumes import SECRET_MANAGER_DRIVER
from components.model.config import BucketMount
from components.model.config.pods import SCRATCH
from components.model.facts import checkpointing, gcs_fuse
from components.model.places import Place
from components.model.planning.buckets import bucket_mount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.plan.pods import BucketMountPlan

_PROFILES: Final = (None, *get_args(gcs_fuse.Profile))
_MIB_PER_GIB: Final = 1024
_TTL: Final = gcs_fuse.option_name(gcs_fuse.kept_metadata(0))
_SIZE: Final = gcs_fuse.option_name(gcs_fuse.kept_files(0))
_PARALLEL: Final = gcs_fuse.option_name(gcs_fuse.PARALLEL)
_VERSION: Final = re.compile(
    r"resourceName:\s*[\"']?projects/[^/]+/secrets/(?P<secret>[^/]+)/versions/(?P<version>\w+)"
)


def mount(listings: Listings, namespace: str, mounted: Item, volume: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a mounted volume.

    Raises:
        InexpressibleError: no stack file states a volume of that kind.
    """
    driver = section(volume, "csi").get("driver")
    path = {"path": mounted.get("mountPath")}
    if driver == gcs_fuse.DRIVER:
        return {**_bucket(section(volume, "csi")), **path}
    if driver == checkpointing.DRIVER:
        return {"checkpoints": True, **path}
    if driver == SECRET_MANAGER_DRIVER:
        return {**_secret(listings, namespace, section(volume, "csi", "volumeAttributes")), **path}
    written = {**_source(volume), **path}
    if mounted.get("readOnly") is True:
        written["read_only"] = True
    if mounted.get("subPath"):
        written["sub_path"] = mounted["subPath"]
    return written


def _source(volume: Mapping[str, Any]) -> dict[str, Any]:
    """What a mount of the volume names."""
    match volume:
        case {"persistentVolumeClaim": {"claimName": name}}:
            return {"claim": name}
        case {"name": name, "emptyDir": {"sizeLimit": size, **others}}:
            named = {} if name == SCRATCH else {"name": name}
            return {"ephemeral": size, **named, **({"in_memory": True} if others.get("medium") == "Memory" else {})}
        case {"secret": {"secretName": name}}:
            return {"secret": name}
        case {"configMap": {"name": name}}:
            return {"config_map": name}
        case _:
            kinds = [key for key in volume if key != "name"]
            raise InexpressibleError(
                f"it mounts a volume of kind {', '.join(kinds) or 'none'}, which a stack file does not state so"
            )


def _bucket(volume: Item) -> dict[str, Any]:
    """A bucket: the profile, and the keys beside it, by which the stack writes the same options."""
    attributes = section(volume, "volumeAttributes")
    stated = [each for each in str(attributes.get("mountOptions", "")).split(",") if each]
    options = tuple(each for each in stated if not each.startswith(("uid=", "gid=")))
    prefetches = attributes.get("gcsfuseMetadataPrefetchOnMount") == "true"
    for keys in _candidates(options):
        plan = _planned(keys)
        if plan is not None and (plan.options, plan.prefetches) == (options, prefetches):
            only_read = {"read_only": True} if volume.get("readOnly") is True else {}
            return {"bucket": attributes.get("bucketName"), **only_read, **keys}
    raise InexpressibleError(
        f"it mounts the bucket {attributes.get('bucketName')} with the options {','.join(stated) or 'of the driver'}, "
        "which no profile and no key of a mount sets"
    )


def _candidates(options: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Keys that may be stated, those with the fewest first."""
    values = {gcs_fuse.option_name(each): each.rpartition("=" if "=" in each else ":")[2] for each in options}
    folder = {"only_dir": values["only-dir"]} if "only-dir" in values else {}
    stated: list[tuple[str, object]] = []
    if (seconds := _whole(values.get(_TTL))) is not None:
        stated.append(("metadata_ttl_seconds", seconds))
    if (size := _whole(values.get(_SIZE))) is not None and size >= 0 and size % _MIB_PER_GIB == 0:
        stated.append(("cache_gib", size // _MIB_PER_GIB))
    if _PARALLEL in values:
        stated.append(("parallel_download", values[_PARALLEL] == "true"))
    for count in range(len(stated) + 1):
        for profile in _PROFILES:
            for chosen in combinations(stated, count):
                yield {**folder, **({} if profile is None else {"profile": profile}), **dict(chosen)}


def _planned(keys: Mapping[str, Any]) -> BucketMountPlan | None:
    """How the program would mount a bucket with these keys; None where a value cannot be stated."""
    try:
        return bucket_mount(BucketMount.model_validate({**keys, "bucket": "bucket", "path": "/bucket"}), Place())
    except ValidationError:
        return None


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.removeprefix("-").isdecimal() else None


def _secret(listings: Listings, namespace: str, attributes: Item) -> dict[str, Any]:
    """A version of a secret of Secret Manager, which the SecretProviderClass of the volume names."""
    wanted = str(attributes.get("secretProviderClass"))
    for each in listings.kind("SecretProviderClass"):
        if (namespace_of(each), name_of(each)) == (namespace, wanted):
            found = _VERSION.search(str(section(each, "spec", "parameters").get("secrets")))
            if found is None:
                break
            return {"secret_manager": found["secret"], **_version(found["version"])}
    raise InexpressibleError(
        f"it mounts secrets of Secret Manager by the SecretProviderClass {wanted}, which is not listed or names no "
        "version of a secret"
    )


def _version(version: str) -> dict[str, str]:
    return {} if version == "latest" else {"version": version}

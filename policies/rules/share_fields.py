"""Rules about what a Filestore instance says of itself; its capacity and location are rules of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, kinds
from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_API: Final = "Filestore API, Instance, as hashicorp/terraform-provider-google-beta @93c65b2d documents it"


@object_rule(
    "share-tier-exists",
    summary="the tier of a share exists",
    why="The API refuses others.",
    source=_API,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
)
def _share_tier_exists(share: Object) -> Iterator[Finding]:
    stated = share.text("tier")
    if stated is not None and filestore.named(stated) is None:
        known = [tier.name for tier in filestore.TIERS]
        yield Finding(
            place=share.place.at("tier"),
            says=f"there is no tier {stated}.",
            remedy=f"{did_you_mean(stated, known)}Known: {listing(known)}.",
        )


@object_rule(
    "share-name-is-short",
    summary=f"the name of a share has at most {filestore.SHARE_NAME_LENGTH} characters",
    why="The API refuses longer ones.",
    source=_API,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
)
def _share_name_is_short(share: Object) -> Iterator[Finding]:
    name = share.string("fileShares", "name")
    if len(name) > filestore.SHARE_NAME_LENGTH:
        yield Finding(
            place=share.place.at("fileShares", "name"),
            says=f"{name} has {len(name)} characters; a share's name has at most {filestore.SHARE_NAME_LENGTH}.",
            remedy=f"Such as {name[: filestore.SHARE_NAME_LENGTH].rstrip('_-')}.",
        )


@object_rule(
    "share-protocol-exists",
    summary="only a tier that supports NFSv4.1 states it",
    why="The API refuses it on the basic tiers.",
    source=_API,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
)
def _share_protocol_exists(share: Object) -> Iterator[Finding]:
    tier = filestore.named(share.string("tier"))
    if tier is not None and not tier.has_nfs_4 and share.text("protocol") == "NFS_V4_1":
        able = [each.name for each in filestore.TIERS if each.has_nfs_4]
        yield Finding(
            place=share.place.at("protocol"),
            says=f"{tier.name} supports only NFSv3.",
            remedy=f"Remove it, or use {listing(able, 'or')}.",
        )


SHARE_FIELD_RULES: Final = (_share_tier_exists, _share_name_is_short, _share_protocol_exists)

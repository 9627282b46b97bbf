"""Identity, enabled APIs, Filestore and Cloud Storage."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields, single
from simulator.providers.gcp.tables.common import DELETION_POLICY, PROJECT

ACCOUNT: Final[Fields] = {
    "accountId": Field(local=True, pattern="^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])$"),
    "createIgnoreAlreadyExists": Field(local=True),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "disabled": Field(),
    "displayName": Field(),
    "project": PROJECT,
}

IAM_MEMBER: Final[Fields] = {"member": Field(local=True, compare=Compare.CASE), "role": Field(local=True)}
"""Every kind of IAM member has these, and one more that names the resource."""

SERVICE: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "disableDependentServices": Field(local=True),
    "disableOnDestroy": Field(local=True),
    "project": PROJECT,
    "service": Field(local=True),
}

FILESTORE: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "deletionProtectionEnabled": Field(),
    "deletionProtectionReason": Field(),
    "description": Field(),
    "fileShares": Field(codec=single(), fields={"capacityGb": Field(codec=INT64), "name": Field()}),
    "labels": Field(local=True),
    "location": Field(local=True, server=True),
    "name": Field(local=True),
    "networks": Field(
        fields={
            "connectMode": Field(
                default="DIRECT_PEERING",
                choices=("DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS", "PRIVATE_SERVICE_CONNECT"),
            ),
            "ipAddresses": Field(computed=True),
            "modes": Field(),
            "network": Field(compare=Compare.LINK),
            "reservedIpRange": Field(server=True),
        }
    ),
    "project": PROJECT,
    "protocol": Field(default="NFS_V3", choices=("NFS_V3", "NFS_V4_1")),
    "tier": Field(),
}

BUCKET: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "forceDestroy": Field(local=True, default=False),
    "labels": Field(local=True),
    "lifecycleRules": Field(
        at="lifecycle.rule",
        fields={
            "action": Field(fields={"storageClass": Field(), "type": Field()}),
            "condition": Field(fields={"age": Field(), "numNewerVersions": Field()}),
        },
    ),
    "location": Field(compare=Compare.CASE),
    "name": Field(),
    "project": PROJECT,
    "publicAccessPrevention": Field(
        at="iamConfiguration.publicAccessPrevention", server=True, choices=("enforced", "inherited")
    ),
    "softDeletePolicy": Field(server=True, fields={"retentionDurationSeconds": Field(codec=INT64)}),
    "storageClass": Field(default="STANDARD"),
    "uniformBucketLevelAccess": Field(at="iamConfiguration.uniformBucketLevelAccess.enabled", server=True),
    "versioning": Field(server=True, fields={"enabled": Field()}),
}

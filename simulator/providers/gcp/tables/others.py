"""Identity, enabled APIs, Filestore, Cloud Storage, Managed Lustre, disks, private services access, Secret Manager."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields, single
from simulator.providers.gcp.tables import DELETION_POLICY, PROJECT

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

LUSTRE: Final[Fields] = {
    "capacityGib": Field(),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "filesystem": Field(),
    "gkeSupportEnabled": Field(),
    "instanceId": Field(local=True),
    "labels": Field(local=True),
    "location": Field(local=True),
    "network": Field(),
    "perUnitStorageThroughput": Field(),
    "project": PROJECT,
}

DISK: Final[Fields] = {
    "accessMode": Field(server=True, choices=("READ_WRITE_SINGLE", "READ_WRITE_MANY", "READ_ONLY_MANY")),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "labels": Field(local=True),
    "name": Field(),
    "physicalBlockSizeBytes": Field(codec=INT64, server=True),
    "project": PROJECT,
    "provisionedIops": Field(codec=INT64, server=True),
    "provisionedThroughput": Field(codec=INT64, server=True),
    "size": Field(at="sizeGb", codec=INT64, server=True, replaces=lambda old, new: new < old),
    "type": Field(default="pd-standard", compare=Compare.LINK),
    "zone": Field(local=True, server=True, compare=Compare.LINK),
}

GLOBAL_ADDRESS: Final[Fields] = {
    "address": Field(server=True),
    "addressType": Field(default="EXTERNAL", choices=("EXTERNAL", "INTERNAL")),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "ipVersion": Field(choices=("IPV4",), beyond=("IPV6",)),
    "labels": Field(local=True),
    "name": Field(),
    "network": Field(compare=Compare.LINK),
    "prefixLength": Field(server=True),
    "project": PROJECT,
    "purpose": Field(),
}

CONNECTION: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "network": Field(local=True, compare=Compare.LINK),
    "reservedPeeringRanges": Field(),
    "service": Field(local=True),
}

SECRET: Final[Fields] = {
    "annotations": Field(),
    "deletionPolicy": DELETION_POLICY,
    "deletionProtection": Field(local=True, default=False),
    "labels": Field(local=True),
    "project": PROJECT,
    "replication": Field(
        fields={
            "auto": Field(at="automatic", fields={"customerManagedEncryption": Field(fields={"kmsKeyName": Field()})})
        }
    ),
    "secretId": Field(local=True),
}

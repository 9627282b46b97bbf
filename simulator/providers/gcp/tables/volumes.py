"""Managed Lustre, disks, private services access and Secret Manager."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields
from simulator.providers.gcp.tables.common import DELETION_POLICY, PROJECT

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

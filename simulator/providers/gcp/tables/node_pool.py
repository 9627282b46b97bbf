"""`gcp:container/nodePool:NodePool`, and the settings of nodes, which a cluster's default pool has too."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields
from simulator.providers.gcp.tables import DELETION_POLICY, PROJECT

_TAINT_EFFECTS: Final = ("NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE")
_TAINT: Final[Fields] = {"effect": Field(choices=_TAINT_EFFECTS), "key": Field(), "value": Field()}

_GUEST_ACCELERATOR: Final[Fields] = {
    "count": Field(at="acceleratorCount", codec=INT64),
    "type": Field(at="acceleratorType", compare=Compare.LINK),
    "gpuDriverInstallationConfig": Field(
        server=True,
        fields={
            "gpuDriverVersion": Field(
                choices=("GPU_DRIVER_VERSION_UNSPECIFIED", "INSTALLATION_DISABLED", "DEFAULT", "LATEST")
            )
        },
    ),
    "gpuPartitionSize": Field(),
    "gpuSharingConfig": Field(
        fields={"gpuSharingStrategy": Field(), "maxSharedClientsPerGpu": Field(codec=INT64)},
    ),
}

NODE_CONFIG: Final[Fields] = {
    "diskSizeGb": Field(server=True),
    "diskType": Field(server=True),
    "effectiveTaints": Field(computed=True, fields=_TAINT),
    "flexStart": Field(),
    "gcfsConfig": Field(server=True, fields={"enabled": Field()}),
    "guestAccelerators": Field(at="accelerators", server=True, fields=_GUEST_ACCELERATOR),
    "gvnic": Field(fields={"enabled": Field()}),
    "hostMaintenancePolicy": Field(fields={"maintenanceInterval": Field()}),
    "imageType": Field(server=True, compare=Compare.CASE),
    "labels": Field(server=True),
    "loggingVariant": Field(
        at="loggingConfig.variantConfig.variant", server=True, choices=("DEFAULT", "MAX_THROUGHPUT")
    ),
    "machineType": Field(server=True),
    "maxRunDuration": Field(),
    "metadata": Field(server=True),
    "oauthScopes": Field(server=True, compare=Compare.SET),
    "preemptible": Field(default=False),
    "reservationAffinity": Field(
        fields={
            "consumeReservationType": Field(
                choices=(
                    "UNSPECIFIED",
                    "NO_RESERVATION",
                    "ANY_RESERVATION",
                    "SPECIFIC_RESERVATION",
                    "ANY_RESERVATION_THEN_FAIL",
                )
            ),
            "key": Field(),
            "values": Field(compare=Compare.SET),
        }
    ),
    "resourceLabels": Field(),
    "serviceAccount": Field(server=True),
    "shieldedInstanceConfig": Field(
        server=True,
        fields={"enableSecureBoot": Field(default=False), "enableIntegrityMonitoring": Field(default=True)},
    ),
    "spot": Field(default=False),
    "tags": Field(),
    "taints": Field(fields=_TAINT),
    "workloadMetadataConfig": Field(
        server=True, fields={"mode": Field(choices=("MODE_UNSPECIFIED", "GCE_METADATA", "GKE_METADATA"))}
    ),
}

_BLUE_GREEN: Final[Fields] = {
    "nodePoolSoakDuration": Field(server=True),
    "standardRolloutPolicy": Field(
        fields={
            "batchPercentage": Field(server=True),
            "batchNodeCount": Field(server=True),
            "batchSoakDuration": Field(server=True),
        }
    ),
}

NODE_POOL: Final[Fields] = {
    "autoscaling": Field(
        constant={"enabled": True},
        fields={
            "locationPolicy": Field(server=True, choices=("BALANCED", "ANY")),
            "maxNodeCount": Field(),
            "minNodeCount": Field(),
            "totalMaxNodeCount": Field(),
            "totalMinNodeCount": Field(),
        },
    ),
    "cluster": Field(local=True),
    "deletionPolicy": DELETION_POLICY,
    "ignoreNodeCountChanges": Field(local=True),
    "initialNodeCount": Field(server=True),
    "location": Field(local=True, server=True),
    "management": Field(server=True, fields={"autoRepair": Field(default=True), "autoUpgrade": Field(default=True)}),
    "maxPodsPerNode": Field(at="maxPodsConstraint.maxPodsPerNode", codec=INT64, server=True),
    "name": Field(server=True),
    "networkConfig": Field(
        server=True,
        fields={
            "enablePrivateNodes": Field(server=True),
            "podIpv4CidrBlock": Field(server=True),
            "podRange": Field(server=True),
            "subnetwork": Field(server=True),
        },
    ),
    "nodeConfig": Field(at="config", server=True, fields=NODE_CONFIG),
    "nodeCount": Field(local=True, server=True),
    "nodeLocations": Field(at="locations", server=True, compare=Compare.SET),
    "placementPolicy": Field(fields={"policyName": Field(), "tpuTopology": Field(), "type": Field()}),
    "project": PROJECT,
    "queuedProvisioning": Field(fields={"enabled": Field()}),
    "upgradeSettings": Field(
        server=True,
        fields={
            "blueGreenSettings": Field(server=True, fields=_BLUE_GREEN),
            "maxSurge": Field(server=True),
            "maxUnavailable": Field(server=True),
            "strategy": Field(default="SURGE", choices=("SURGE", "BLUE_GREEN")),
        },
    ),
    "version": Field(server=True),
}

"""The settings of nodes, the same in a node pool and in a cluster's default pool."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields

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

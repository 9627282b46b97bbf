"""`gcp:container/cluster:Cluster`."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields, keyed, only
from simulator.providers.gcp.tables import DELETION_POLICY, PROJECT
from simulator.providers.gcp.tables.node_pool import NODE_CONFIG

_NOT_ON_AUTOPILOT: Final = ("enableAutopilot",)
"""The properties that the real provider refuses beside `enableAutopilot`, whether that is true or false."""


def _switch(*, word: str = "enabled", conflicts: tuple[str, ...] = ()) -> Field:
    """An add-on or feature that is on or off, and that the cloud decides when the program does not."""
    return Field(server=True, fields={word: Field()}, conflicts=conflicts)


_ADDONS: Final[Fields] = {
    "dnsCacheConfig": _switch(conflicts=_NOT_ON_AUTOPILOT),
    "gcePersistentDiskCsiDriverConfig": _switch(),
    "gcpFilestoreCsiDriverConfig": _switch(),
    "gcsFuseCsiDriverConfig": _switch(),
    "highScaleCheckpointingConfig": _switch(),
    "horizontalPodAutoscaling": _switch(word="disabled"),
    "httpLoadBalancing": _switch(word="disabled"),
    "lustreCsiDriverConfig": Field(
        server=True, fields={"enabled": Field(), "enableLegacyLustrePort": Field(), "disableMultiNic": Field()}
    ),
    "networkPolicyConfig": _switch(word="disabled", conflicts=_NOT_ON_AUTOPILOT),
    "rayOperatorConfigs": Field(
        at="rayOperatorConfig",
        codec=only(),
        server=True,
        fields={
            "enabled": Field(),
            "rayClusterLoggingConfig": _switch(),
            "rayClusterMonitoringConfig": _switch(),
        },
    ),
}
_PROVISIONED_NODES: Final[Fields] = {
    "diskSize": Field(at="diskSizeGb"),
    "diskType": Field(),
    "imageType": Field(compare=Compare.CASE),
    "management": Field(server=True, fields={"autoRepair": Field(server=True), "autoUpgrade": Field(server=True)}),
    "oauthScopes": Field(server=True),
    "serviceAccount": Field(),
    "shieldedInstanceConfig": Field(
        fields={"enableSecureBoot": Field(default=False), "enableIntegrityMonitoring": Field(default=True)}
    ),
}
_AUTOSCALING: Final[Fields] = {
    "autoProvisioningDefaults": Field(at="autoprovisioningNodePoolDefaults", server=True, fields=_PROVISIONED_NODES),
    "autoProvisioningLocations": Field(at="autoprovisioningLocations", server=True),
    "autoscalingProfile": Field(default="BALANCED", choices=("BALANCED", "OPTIMIZE_UTILIZATION")),
    "defaultComputeClassEnabled": Field(at="defaultComputeClassConfig.enabled"),
    "enabled": Field(at="enableNodeAutoprovisioning", server=True),
    "resourceLimits": Field(
        conflicts=_NOT_ON_AUTOPILOT,
        fields={"resourceType": Field(), "minimum": Field(codec=INT64), "maximum": Field(codec=INT64)},
    ),
}
_MAINTENANCE: Final[Fields] = {
    "dailyMaintenanceWindow": Field(
        at="window.dailyMaintenanceWindow", fields={"startTime": Field(), "duration": Field(computed=True)}
    ),
    "maintenanceExclusions": Field(
        at="window.maintenanceExclusions",
        codec=keyed("exclusionName"),
        compare=Compare.SET,
        fields={
            "endTime": Field(),
            "exclusionName": Field(),
            "exclusionOptions": Field(
                at="maintenanceExclusionOptions",
                fields={
                    "scope": Field(choices=("NO_UPGRADES", "NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES")),
                    "endTimeBehavior": Field(),
                },
            ),
            "startTime": Field(),
        },
    ),
    "recurringWindow": Field(
        at="window.recurringWindow",
        fields={
            "endTime": Field(at="window.endTime"),
            "recurrence": Field(),
            "startTime": Field(at="window.startTime"),
        },
    ),
}
_PRIVATE: Final[Fields] = {
    "enablePrivateEndpoint": Field(),
    "enablePrivateNodes": Field(),
    "masterGlobalAccessConfig": _switch(),
    "masterIpv4CidrBlock": Field(server=True),
    "peeringName": Field(computed=True),
    "privateEndpoint": Field(computed=True),
    "privateEndpointSubnetwork": Field(server=True, compare=Compare.LINK),
    "publicEndpoint": Field(computed=True),
}

CLUSTER: Final[Fields] = {
    "addonsConfig": Field(server=True, fields=_ADDONS),
    "binaryAuthorization": Field(fields={"evaluationMode": Field()}),
    "clusterAutoscaling": Field(at="autoscaling", server=True, fields=_AUTOSCALING),
    "clusterIpv4Cidr": Field(server=True, conflicts=("ipAllocationPolicy",)),
    "controlPlaneEndpointsConfig": Field(
        server=True,
        fields={
            "dnsEndpointConfig": Field(
                server=True, fields={"endpoint": Field(server=True), "allowExternalTraffic": Field()}
            ),
            "ipEndpointsConfig": _switch(),
        },
    ),
    "costManagementConfig": _switch(),
    "datapathProvider": Field(at="networkConfig.datapathProvider", server=True),
    "defaultMaxPodsPerNode": Field(
        at="defaultMaxPodsConstraint.maxPodsPerNode", codec=INT64, server=True, conflicts=_NOT_ON_AUTOPILOT
    ),
    "deletionPolicy": DELETION_POLICY,
    "deletionProtection": Field(local=True, default=True),
    "description": Field(),
    "dnsConfig": Field(
        at="networkConfig.dnsConfig",
        fields={"clusterDns": Field(), "clusterDnsDomain": Field(), "clusterDnsScope": Field()},
    ),
    "enableAutopilot": Field(at="autopilot.enabled"),
    "enableIntranodeVisibility": Field(
        at="networkConfig.enableIntraNodeVisibility", server=True, conflicts=_NOT_ON_AUTOPILOT
    ),
    "enableMultiNetworking": Field(at="networkConfig.enableMultiNetworking", default=False),
    "enableShieldedNodes": Field(at="shieldedNodes.enabled", default=True, conflicts=_NOT_ON_AUTOPILOT),
    "gatewayApiConfig": Field(at="networkConfig.gatewayApiConfig", server=True, fields={"channel": Field()}),
    "initialNodeCount": Field(),
    "ipAllocationPolicy": Field(
        server=True,
        fields={
            "clusterIpv4CidrBlock": Field(server=True, conflicts=("ipAllocationPolicy.clusterSecondaryRangeName",)),
            "clusterSecondaryRangeName": Field(server=True),
            "servicesIpv4CidrBlock": Field(server=True, conflicts=("ipAllocationPolicy.servicesSecondaryRangeName",)),
            "servicesSecondaryRangeName": Field(server=True),
            "stackType": Field(default="IPV4", choices=("IPV4",), beyond=("IPV4_IPV6",)),
        },
    ),
    "location": Field(server=True),
    "loggingConfig": Field(
        server=True, fields={"enableComponents": Field(at="componentConfig.enableComponents", compare=Compare.SET)}
    ),
    "loggingService": Field(server=True),
    "maintenancePolicy": Field(fields=_MAINTENANCE),
    "masterAuth": Field(
        server=True,
        fields={
            "clientCertificate": Field(computed=True),
            "clientCertificateConfig": Field(fields={"issueClientCertificate": Field()}),
            "clientKey": Field(computed=True),
            "clusterCaCertificate": Field(computed=True),
        },
    ),
    "masterAuthorizedNetworksConfig": Field(
        server=True,
        constant={"enabled": True},
        fields={
            "cidrBlocks": Field(compare=Compare.SET, fields={"cidrBlock": Field(), "displayName": Field()}),
            "gcpPublicCidrsAccessEnabled": Field(server=True),
            "privateEndpointEnforcementEnabled": Field(server=True),
        },
    ),
    "minMasterVersion": Field(local=True),
    "monitoringConfig": Field(
        server=True,
        fields={
            "enableComponents": Field(at="componentConfig.enableComponents", server=True, compare=Compare.SET),
            "managedPrometheus": Field(at="managedPrometheusConfig", server=True, fields={"enabled": Field()}),
        },
    ),
    "monitoringService": Field(server=True),
    "name": Field(),
    "network": Field(at="networkConfig.network", default="default", compare=Compare.LINK),
    "networkingMode": Field(local=True, server=True, choices=("VPC_NATIVE",), beyond=("ROUTES",)),
    "nodeConfig": Field(server=True, fields=NODE_CONFIG),
    "nodeLocations": Field(at="locations", server=True, compare=Compare.SET),
    "nodePoolAutoConfig": Field(
        server=True, fields={"networkTags": Field(fields={"tags": Field(compare=Compare.SET)})}
    ),
    "nodeVersion": Field(at="currentNodeVersion", server=True),
    "privateClusterConfig": Field(server=True, fields=_PRIVATE),
    "project": PROJECT,
    "releaseChannel": Field(
        server=True, fields={"channel": Field(choices=("UNSPECIFIED", "RAPID", "REGULAR", "STABLE", "EXTENDED"))}
    ),
    "removeDefaultNodePool": Field(local=True, conflicts=_NOT_ON_AUTOPILOT),
    "resourceLabels": Field(local=True),
    "secretManagerConfig": Field(
        server=True,
        fields={
            "enabled": Field(),
            "rotationConfig": Field(server=True, fields={"enabled": Field(), "rotationInterval": Field(server=True)}),
        },
    ),
    "securityPostureConfig": Field(
        server=True, fields={"mode": Field(server=True), "vulnerabilityMode": Field(server=True)}
    ),
    "subnetwork": Field(at="networkConfig.subnetwork", server=True, compare=Compare.LINK),
    "verticalPodAutoscaling": _switch(),
    "workloadIdentityConfig": Field(server=True, fields={"workloadPool": Field()}),
}

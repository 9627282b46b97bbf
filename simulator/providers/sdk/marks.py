"""What the SDK's classes do not say: the properties whose change needs a new resource, and secrets inside objects.

By resource type or object type. On an object a mark is about adding or removing it.

Source: the schema of pulumi-gcp 9.35 and the `ForceNew` marks of Google's Terraform provider (google-beta), which the
official plugin is built from; read 2026-11.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT: Final = """\
compute.ResourcePolicyGroupPlacementPolicy
 gpuTopology tpuTopology
compute.ResourcePolicyWorkloadPolicy
 acceleratorTopology acceleratorTopologyMode maxTopologyDistance type
container.ClusterClusterAutoscalingAutoProvisioningDefaults
 bootDiskKmsKey
container.ClusterIpAllocationPolicy
 clusterIpv4CidrBlock clusterSecondaryRangeName podCidrOverprovisionConfig servicesIpv4CidrBlock
 servicesSecondaryRangeName
container.ClusterMasterAuth
 clientCertificateConfig
container.ClusterMasterAuthClientCertificateConfig
 issueClientCertificate
container.ClusterNodeConfig
 advancedMachineFeatures bootDiskKmsKey enableConfidentialStorage ephemeralStorageConfig
 ephemeralStorageLocalSsdConfig flexStart guestAccelerators hostMaintenancePolicy localNvmeSsdBlockConfig
 localSsdCount localSsdEncryptionMode maxRunDuration metadata minCpuPlatform nodeGroup oauthScopes preemptible
 reservationAffinity sandboxConfig secondaryBootDisks serviceAccount shieldedInstanceConfig soleTenantConfig
 spot
container.ClusterNodeConfigGuestAccelerator
 count gpuDriverInstallationConfig gpuPartitionSize gpuSharingConfig type
container.ClusterNodeConfigGuestAcceleratorGpuDriverInstallationConfig
 gpuDriverVersion
container.ClusterNodeConfigGuestAcceleratorGpuSharingConfig
 gpuSharingStrategy maxSharedClientsPerGpu
container.ClusterNodeConfigHostMaintenancePolicy
 maintenanceInterval
container.ClusterNodeConfigReservationAffinity
 consumeReservationType key values
container.ClusterNodeConfigShieldedInstanceConfig
 enableIntegrityMonitoring enableSecureBoot
container.ClusterPrivateClusterConfig
 masterIpv4CidrBlock privateEndpointSubnetwork
container.NodePoolNetworkConfig
 acceleratorNetworkProfile additionalNodeNetworkConfigs additionalPodNetworkConfigs createPodRange
 podCidrOverprovisionConfig podIpv4CidrBlock podRange subnetwork
container.NodePoolNodeConfig
 advancedMachineFeatures bootDiskKmsKey enableConfidentialStorage ephemeralStorageConfig
 ephemeralStorageLocalSsdConfig flexStart guestAccelerators hostMaintenancePolicy localNvmeSsdBlockConfig
 localSsdCount localSsdEncryptionMode maxRunDuration metadata minCpuPlatform nodeGroup oauthScopes preemptible
 reservationAffinity sandboxConfig secondaryBootDisks serviceAccount shieldedInstanceConfig soleTenantConfig
 spot
container.NodePoolNodeConfigGuestAccelerator
 count gpuDriverInstallationConfig gpuPartitionSize gpuSharingConfig type
container.NodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfig
 gpuDriverVersion
container.NodePoolNodeConfigGuestAcceleratorGpuSharingConfig
 gpuSharingStrategy maxSharedClientsPerGpu
container.NodePoolNodeConfigHostMaintenancePolicy
 maintenanceInterval
container.NodePoolNodeConfigReservationAffinity
 consumeReservationType key values
container.NodePoolNodeConfigShieldedInstanceConfig
 enableIntegrityMonitoring enableSecureBoot
container.NodePoolPlacementPolicy
 policyName
container.NodePoolQueuedProvisioning
 enabled
filestore.InstanceFileShares
 name sourceBackup sourceBackupdrBackup
filestore.InstanceNetwork
 connectMode modes network reservedIpRange
gcp:compute/disk:Disk
 architecture asyncPrimaryDisk description diskEncryptionKey enableConfidentialCompute
 eraseWindowsVssSignature guestOsFeatures image licenses multiWriter name params physicalBlockSizeBytes
 project snapshot sourceDisk sourceImageEncryptionKey sourceInstantSnapshot sourceSnapshotEncryptionKey
 sourceStorageObject storagePool type zone
gcp:compute/firewall:Firewall
 direction name params project
gcp:compute/globalAddress:GlobalAddress
 address addressType description ipVersion name network prefixLength project purpose
gcp:compute/network:Network
 autoCreateSubnetworks description internalIpv6Range name networkProfile params project
gcp:compute/resourcePolicy:ResourcePolicy
 project region
gcp:compute/router:Router
 encryptedInterconnectRouter name nccGateway network params project region
gcp:compute/routerNat:RouterNat
 endpointTypes initialNatIps name project region router type
gcp:compute/subnetwork:Subnetwork
 description externalIpv6Prefix internalIpv6Prefix name network params project region reservedInternalRange
 resolveSubnetMask
gcp:container/cluster:Cluster
 clusterIpv4Cidr confidentialNodes datapathProvider dataplaneOptimizationMode defaultMaxPodsPerNode
 description enableAutopilot enableKubernetesAlpha enableTpu initialNodeCount ipAllocationPolicy location name
 network networkingMode nodeConfig nodePools project subnetwork
gcp:container/nodePool:NodePool
 cluster initialNodeCount location maxPodsPerNode name namePrefix nodeConfig placementPolicy project
 queuedProvisioning
gcp:filestore/instance:Instance
 initialReplication kmsKeyName location networks project protocol tags tier
gcp:lustre/instance:Instance
 dynamicTierOptions filesystem gkeSupportEnabled instanceId kmsKey location network perUnitStorageThroughput
 placementPolicy project
gcp:projects/iAMMember:IAMMember
 condition member project role
gcp:projects/service:Service
 project service
gcp:secretmanager/secret:Secret
 project replication secretId tags
gcp:secretmanager/secretIamMember:SecretIamMember
 condition member project role secretId
gcp:serviceaccount/account:Account
 accountId project
gcp:serviceaccount/iAMMember:IAMMember
 condition member role serviceAccountId
gcp:servicenetworking/connection:Connection
 network service
gcp:storage/bucket:Bucket
 enableObjectRetention hierarchicalNamespace location name project
gcp:storage/bucketIAMMember:BucketIAMMember
 bucket condition member role
"""
REPLACED: Final[Mapping[str, tuple[str, ...]]] = {
    owner: tuple(names.split()) for owner, names in re.findall(r"^(\S+)\n((?: .*\n)+)", _TEXT, re.MULTILINE)
}
"""The properties whose change needs a new resource."""
SECRET: Final[Mapping[str, tuple[str, ...]]] = {"container.ClusterMasterAuth": ("clientKey",)}
"""Secrets that are not whole outputs of a resource, which the SDK names itself."""

"""The fields of kinds that GKE itself serves; no pinned module has them, so they are written by hand.

A field that is not here may be new: rules warn of it. A field without a type holds anything.

Sources, read 2026-11: the Go types of ComputeClasses (ComputeClassSpec) that Google publishes with its cluster
autoscaler, and for `buffers`, which they lack, the GKE reference "ComputeClass"; for PodMonitorings,
charts/operator/crds of GoogleCloudPlatform/prometheus-engine.
"""

from typing import Final

GROUPS: Final = """\
cloud.google.com BackendConfig v1 v1beta1
cloud.google.com ComputeClass v1
monitoring.googleapis.com ClusterNodeMonitoring v1
monitoring.googleapis.com ClusterPodMonitoring v1 v1alpha1
monitoring.googleapis.com ClusterRules v1 v1alpha1
monitoring.googleapis.com GlobalRules v1 v1alpha1
monitoring.googleapis.com OperatorConfig v1 v1alpha1
monitoring.googleapis.com PodMonitoring v1 v1alpha1
monitoring.googleapis.com Rules v1 v1alpha1
"""
"""As `TEXT` in `groups.py`; there may be more kinds."""
TEXT: Final = """\
ComputeClass
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  activeMigration
   configDrift type=bool
   ensureAllDaemonSetPodsRunning type=bool
   optimizeRulePriority type=bool
   reconciliationPolicy
    atomicGroupLabels type=[]text
    maxNodeDisruption type=int
    strategy type=text
  allocationStrategyDefaults
   flexStart type=text
   onDemand type=text
   spot type=text
  autopilot
   enabled type=bool
  autoscalingPolicy
   consolidationDelayMinutes type=int
   consolidationThreshold type=int
   gpuConsolidationThreshold type=int
  buffers
  description type=text
  minimumCapacity
   targetNodeCount type=int
  networkConfig
   subnetPriorities type=[]
    name type=text
    podRange type=text
  nodePoolAutoCreation
   dynamicBootDiskSize type=bool
   dynamicMaxPodsPerNode type=bool
   enabled type=bool
   shieldedInstanceConfig
    enableIntegrityMonitoring type=bool
    enableSecureBoot type=bool
  nodePoolConfig
   autoRepair type=bool
   autoUpgrade type=bool
   confidentialNodeType type=text
   containerdConfig
   customImageConfig
    imageName type=text
    imageProjectId type=text
   dra
    networking
     enabled type=bool
   gvnic
    enabled type=bool
   imageStreaming
    enabled type=bool
   imageType type=text
   instanceMetadata type={}text
   ipType type=text
   loggingConfig
    loggingVariantConfig
     variant type=text
   maintenanceExclusion type=text
   networkTags type=[]text
   nodeDrainConfig
    graceTerminationDuration type=text
    pdbTimeoutDuration type=text
    respectPdbDuringNodePoolDeletion type=bool
   nodeLabels type={}text
   nodeVersion type=text
   resourceManagerTags type=[]
    key type=text
    value type=text
   sandbox
    type type=text
   serviceAccount type=text
   taintConfig
    architectureTaintBehavior type=text
   taints type=[]
    effect type=text
    key type=text
    value type=text
   tpu
    driverMode type=text
   workloadMetadata type=text
   workloadType type=text
  nodePoolGroup
   name type=text
  priorities type=[]
   acceleratorNetworkProfile type=text
   allocationStrategy type=text
   capacityCheckWaitTimeSeconds type=int
   enableNestedVirtualization type=bool
   flexStart
    enabled type=bool
    nodeRecycling
     leadTimeSeconds type=int
   gpu
    count type=int
    driverVersion type=text
    gpuSharing
     gpuPartitionSize type=text
     maxSharedClientsPerGPU type=int
     sharingStrategy type=text
    topology type=text
    type type=text
   gpuDirect type=text
   instanceMetadata type={}text
   location
    locationPolicy type=text
    zoneTypes type=[]text
    zones type=[]text
   machineFamily type=text
   machineType type=text
   maxPodsPerNode type=int
   maxRunDurationSeconds type=int
   minCores type=int
   minCpuPlatform type=text
   minMemoryGb type=int
   minimumCapacity
    targetNodeCount type=int
   nodeLabels type={}text
   nodeSystemConfig
   nodepools type=[]text
   performanceMonitoringUnit type=text
   placement
    policyName type=text
   podFamily type=text
   priorityScore type=int
   reservations
    affinity type=text
    specific type=[]
     name type=text
     project type=text
     reservationBlock
      name type=text
      reservationSubBlock
       name type=text
     zones type=[]text
   spot type=bool
   storage
    bootDiskKMSKey type=text
    bootDiskProvisionedIops type=int
    bootDiskProvisionedThroughput type=int
    bootDiskSize type=int
    bootDiskStoragePools type=[]
     name type=text
     project type=text
     zone type=text
    bootDiskType type=text
    localSSDCount type=int
    localSsdEncryptionMode type=text
    secondaryBootDisks type=[]
     diskImageName type=text
     mode type=text
     project type=text
   taints type=[]
    effect type=text
    key type=text
    value type=text
   tpu
    count type=int
    topology type=text
    type type=text
  priorityDefaults
   enableNestedVirtualization type=bool
   location
    locationPolicy type=text
    zoneTypes type=[]text
    zones type=[]text
   nodeSystemConfig
  whenUnsatisfiable type=text
 status
PodMonitoring
 /v1
 /v1alpha1 deprecated
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  endpoints type=[]
   authorization
   basicAuth
   interval type=text
   metricRelabeling type=[]
    action type=text
    modulus type=int
    regex type=text
    replacement type=text
    separator type=text
    sourceLabels type=[]text
    targetLabel type=text
   oauth2
   params type={}[]text
   path type=text
   port type=int-or-text
   proxyUrl type=text
   scheme type=text
   timeout type=text
   tls
  filterRunning type=bool
  limits
   labelNameLength type=int
   labelValueLength type=int
   labels type=int
   samples type=int
  selector type=LabelSelector
  targetLabels
   fromPod type=[]
    from type=text
    to type=text
   metadata type=[]text
 status
"""

"""The fields of Kueue's API.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "0.16"
"""The oldest release that was read."""
RELEASE: Final = "0.19.2"
"""The newest."""
TEXT: Final = """\
AdmissionCheck
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  controllerName required
  parameters
   apiGroup required
   kind required
   name required
  retryDelayMinutes deprecated in=v1beta1
 status
ClusterQueue
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  admissionChecks in=v1beta1
  admissionChecksStrategy
   admissionChecks in=v1beta1
    name required
    onFlavors
   admissionChecks required most=64 in=v1beta2
    name required
    onFlavors most=64
  admissionScope
   admissionMode required
    =UsageBasedAdmissionFairSharing in=v1beta2
    =NoAdmissionFairSharing in=v1beta2
  cohort in=v1beta1
  fairSharing
   weight
  flavorFungibility
   preference
    =BorrowingOverPreemption
    =PreemptionOverBorrowing
   whenCanBorrow
    =MayStopSearch
    =TryNextFlavor
    =Borrow in=v1beta1
   whenCanPreempt
    =MayStopSearch
    =TryNextFlavor
    =Preempt in=v1beta1
  namespaceSelector
   matchExpressions
    key required
    operator required
    values
   matchLabels
  preemption
   borrowWithinCohort
    maxPriorityThreshold
    policy
     =Never
     =LowerPriority
   reclaimWithinCohort
    =Never
    =LowerPriority
    =Any
   withinClusterQueue
    =Never
    =LowerPriority
    =LowerOrNewerEqualPriority
  queueingStrategy
   =StrictFIFO
   =BestEffortFIFO
  resourceGroups most=16
   coveredResources required most=64
   flavors required most=64
    name required
    resources required most=64
     borrowingLimit
     lendingLimit
     name required
     nominalQuota required
  stopPolicy
   =None
   =Hold
   =HoldAndDrain
  cohortName in=v1beta2
  concurrentAdmissionPolicy since=0.18 in=v1beta2
   migration required
    constraints
     lastAcceptableFlavorName
    mode required
     =TryPreferredFlavors
     =RetainFirstAdmission
 status
Cohort
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  fairSharing
   weight
  parentName
  resourceGroups most=16
   coveredResources required most=64
   flavors required most=64
    name required
    resources required most=64
     borrowingLimit
     lendingLimit
     name required
     nominalQuota required
 status
LocalQueue
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  clusterQueue
  fairSharing
   weight
  stopPolicy
   =None
   =Hold
   =HoldAndDrain
 status
ProvisioningRequestConfig
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  managedResources most=100
  parameters most=100
  podSetMergePolicy
   =IdenticalPodTemplates
   =IdenticalWorkloadSchedulingRequirements
  podSetUpdates
   nodeSelector most=8
    key required
    valueFromProvisioningClassDetail required
  provisioningClassName required
  retryStrategy
   backoffBaseSeconds
   backoffLimitCount
   backoffMaxSeconds
ResourceFlavor
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  nodeLabels most=8
  nodeTaints most=8
   effect required
    =NoSchedule
    =PreferNoSchedule
    =NoExecute
   key required
   timeAdded
   value
  tolerations most=8
   effect
    =NoSchedule
    =PreferNoSchedule
    =NoExecute
   key
   operator
    =Equal
    =Exists
   tolerationSeconds
   value
  topologyName
Topology
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 kind
 metadata
 spec
  levels required most=16
   nodeLabel required
WorkloadPriorityClass
 /v1beta1 deprecated
 /v1beta2
 apiVersion
 description
 kind
 metadata
 value required
"""

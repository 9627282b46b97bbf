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
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  controllerName type=text required
  parameters
   apiGroup type=text required
   kind type=text required
   name type=text required
  retryDelayMinutes type=int deprecated in=v1beta1
 status
ClusterQueue
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  admissionChecks type=[]text in=v1beta1
  admissionChecksStrategy
   admissionChecks type=[] in=v1beta1
    name type=text required
    onFlavors type=[]text
   admissionChecks type=[] required most=64 in=v1beta2
    name type=text required
    onFlavors type=[]text most=64
  admissionScope
   admissionMode type=text required
    =UsageBasedAdmissionFairSharing in=v1beta2
    =NoAdmissionFairSharing in=v1beta2
  cohort type=text in=v1beta1
  fairSharing
   weight type=quantity
  flavorFungibility
   preference type=text
    =BorrowingOverPreemption
    =PreemptionOverBorrowing
   whenCanBorrow type=text
    =MayStopSearch
    =TryNextFlavor
    =Borrow in=v1beta1
   whenCanPreempt type=text
    =MayStopSearch
    =TryNextFlavor
    =Preempt in=v1beta1
  namespaceSelector
   matchExpressions type=[]
    key type=text required
    operator type=text required
    values type=[]text
   matchLabels type={}text
  preemption
   borrowWithinCohort
    maxPriorityThreshold type=int
    policy type=text
     =Never
     =LowerPriority
   reclaimWithinCohort type=text
    =Never
    =LowerPriority
    =Any
   withinClusterQueue type=text
    =Never
    =LowerPriority
    =LowerOrNewerEqualPriority
  queueingStrategy type=text
   =StrictFIFO
   =BestEffortFIFO
  resourceGroups type=[] most=16
   coveredResources type=[]text required most=64
   flavors type=[] required most=64
    name type=text required
    resources type=[] required most=64
     borrowingLimit type=quantity
     lendingLimit type=quantity
     name type=text required
     nominalQuota type=quantity required
  stopPolicy type=text
   =None
   =Hold
   =HoldAndDrain
  cohortName type=text in=v1beta2
  concurrentAdmissionPolicy since=0.18 in=v1beta2
   migration required
    constraints
     lastAcceptableFlavorName type=text
    mode type=text required
     =TryPreferredFlavors
     =RetainFirstAdmission
 status
Cohort
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  fairSharing
   weight type=quantity
  parentName type=text
  resourceGroups type=[] most=16
   coveredResources type=[]text required most=64
   flavors type=[] required most=64
    name type=text required
    resources type=[] required most=64
     borrowingLimit type=quantity
     lendingLimit type=quantity
     name type=text required
     nominalQuota type=quantity required
 status
LocalQueue
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  clusterQueue type=text
  fairSharing
   weight type=quantity
  stopPolicy type=text
   =None
   =Hold
   =HoldAndDrain
 status
MultiKueueCluster
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  clusterProfileRef in=v1beta1
   name type=text required
  kubeConfig required in=v1beta1
   location type=text required
   locationType type=text
    =Secret
    =Path
  clusterSource required in=v1beta2
   clusterProfileRef
    name type=text required
   kubeConfig
    location type=text required
    locationType type=text
     =Secret
     =Path
 status
MultiKueueConfig
 /v1beta1
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  clusters type=[]text required most=20
  quotaManagement type=text since=0.19 in=v1beta2
   =Manual
   =Automated
ProvisioningRequestConfig
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  managedResources type=[]text most=100
  parameters type={}text most=100
  podSetMergePolicy type=text
   =IdenticalPodTemplates
   =IdenticalWorkloadSchedulingRequirements
  podSetUpdates
   nodeSelector type=[] most=8
    key type=text required
    valueFromProvisioningClassDetail type=text required
  provisioningClassName type=text required
  retryStrategy
   backoffBaseSeconds type=int
   backoffLimitCount type=int
   backoffMaxSeconds type=int
ResourceFlavor
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  nodeLabels type={}text most=8
  nodeTaints type=[] most=8
   effect type=text required
    =NoSchedule
    =PreferNoSchedule
    =NoExecute
   key type=text required
   timeAdded type=text
   value type=text
  tolerations type=[] most=8
   effect type=text
    =NoSchedule
    =PreferNoSchedule
    =NoExecute
   key type=text
   operator type=text
    =Equal
    =Exists
   tolerationSeconds type=int
   value type=text
  topologyName type=text
Topology
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  levels type=[] required most=16
   nodeLabel type=text required
WorkloadPriorityClass
 /v1beta1 deprecated
 /v1beta2
 apiVersion type=text
 description type=text
 kind type=text
 metadata type=ObjectMeta
 value type=int required
"""

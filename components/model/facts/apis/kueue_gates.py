"""Kueue's feature gates.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "0.16"
"""The oldest release that was read."""
RELEASE: Final = "0.19.2"
"""The newest."""
TEXT: Final = """\
FeatureGates
 /kueue
 AdmissionFairSharing since=0.12
 AdmissionGatedBy since=0.17
 AssignQueueLabelsForPods since=0.17
 CleanupProvisioningRequestsOnEviction since=0.19
 ConcurrentAdmission since=0.18
 CustomMetricLabels since=0.17
 DeferRayServiceFinalizationForRedisCleanup since=0.19
 DisableWaitForPodsReady since=0.19
 ElasticJobsViaWorkloadSlices since=0.13
 ElasticJobsViaWorkloadSlicesWithTAS since=0.17
 FailureRecoveryPolicy since=0.15
 FairSharingPreemptWithinNominal since=0.17
 FairSharingPrioritizeNonBorrowing since=0.16
 FastQuotaReleaseInPodIntegration since=0.17
 FinishOrphanedWorkloads since=0.18
 FlavorFungibility since=0.5
 FlavorFungibilityPreserveScanProgress since=0.19
 HierarchicalCohorts since=0.11
 KueueDRAIntegration since=0.18
 KueueDRAIntegrationConsumableCapacity since=0.19
 KueueDRAIntegrationExtendedResource since=0.18
 KueueDRAIntegrationPartitionableDevices since=0.18
 KueueDRARejectWorkloadsWhenDRADisabled since=0.18
 LWSImmutableGroupSize since=0.19
 LocalQueueMetrics since=0.10
 ManagedJobsNamespaceSelectorAlwaysRespected since=0.13
 MetricForWorkloadCreationLatency since=0.18
 MetricsForCohorts since=0.18
 MultiKueue since=0.6
 MultiKueueAdaptersForCustomJobs since=0.14
 MultiKueueAllowInsecureKubeconfigs since=0.15
 MultiKueueClusterProfile since=0.15
 MultiKueueIncrementalDispatcherConfig since=0.19
 MultiKueueIncrementalDispatcherRespectConfigOrder since=0.19
 MultiKueueKubeConfigPathValidation since=0.19
 MultiKueueManagerQuotaAutomation since=0.18
 MultiKueueOrchestratedPreemption since=0.17
 MultiKueueRedoAdmissionOnEvictionInWorker since=0.16
 MultiKueueRemoteSpecSync since=0.19
 MultiKueueWaitForWorkloadAdmitted since=0.16
 ObjectRetentionPolicies since=0.12
 PartialAdmission since=0.4
 PodIntegrationValidateGroupOwner since=0.18
 PrioritizePreemptorWorkloads since=0.19
 PriorityBoost since=0.17
 PrioritySortingWithinCohort since=0.6
 PropagateBatchJobLabelsToWorkload since=0.15
 QuotaCheckStrategy since=0.18
 ReclaimablePods since=0.15
 RecomputeAssignmentUponPreemptionTargetsOverlap since=0.19
 RejectUpdatesToCQWithInvalidOnFlavors since=0.18
 RemoveFinalizersWithStrictPatch since=0.16
 SchedulerLibraryIntegration since=0.19
 SchedulerLongRequeueInterval since=0.17
 SchedulerTimestampPreemptionBuffer since=0.17
 SchedulingEquivalenceHashing since=0.17
 ShortWorkloadNames since=0.17
 SkipAncestorCheckForDeletedWorkloads since=0.19
 SkipFinalizersForPodsSuspendedByParent since=0.16
 SkipReassignmentForPodOwnedWorkloads since=0.19
 SparkApplicationIntegration since=0.17
 TASAssignmentsEncodingByHostnamePrefix since=0.19
 TASBalancedPlacement since=0.15
 TASCacheNodeMatchResults since=0.19
 TASCacheTopologyTree since=0.19
 TASCachingRemainingResources since=0.19
 TASFailedNodeReplacement since=0.12
 TASFailedNodeReplacementFailFast since=0.13
 TASHandleOverlappingFlavors since=0.18
 TASMultiLayerTopology since=0.17
 TASProfileMixed since=0.10
 TASRecomputeAssignmentWithinSchedulingCycle since=0.19
 TASReplaceNodeDueToNotReadyOverFixedTime since=0.17
 TASReplaceNodeOnNodeTaints since=0.16
 TASReplaceNodeOnPodTermination since=0.13
 TASRespectNodeAffinityPreferred since=0.18
 TASValidateWorkloadSliceSize since=0.19
 TLSOptions since=0.16
 TopologyAwareScheduling since=0.9
 UnadmittedWorkloadsExplicitStatus since=0.19
 UnadmittedWorkloadsObservability since=0.19
 ValidateRayAndSparkJobUpdates since=0.18
 VectorizedResourceRequests since=0.19
 VisibilityOnDemand since=0.6
 WorkloadIdentifierAnnotations since=0.18
 WorkloadPriorityClassDefaulting since=0.18
 WorkloadRequestUseMergePatch since=0.14
 WorkloadValidateResourcesAreNonNegative since=0.19
 WorkloadValidationForPodSetMetadata since=0.19
 DynamicResourceAllocation since=0.14 until=0.19
 LendingLimit since=0.6 until=0.19
 LocalQueueDefaulting since=0.10 until=0.19
 MultiKueueBatchJobWithManagedBy since=0.8 until=0.19
 SanitizePodSets since=0.13 until=0.19
 TASProfileLeastFreeCapacity since=0.10 until=0.19
"""

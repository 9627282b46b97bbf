"""The keys of Kueue's configuration file.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "0.16"
"""The oldest release that was read."""
RELEASE: Final = "0.19.2"
"""The newest."""
TEXT: Final = """\
Configuration
 /v1beta1
 /v1beta2
 kind
 apiVersion
 namespace
 webhook
  port
  host
  certDir
 leaderElection
  leaderElect
  leaseDuration
  renewDeadline
  retryPeriod
  resourceLock
  resourceName
  resourceNamespace
 metrics
  bindAddress
  enableClusterQueueResources
  customLabels since=0.17
   name
   sourceLabelKey
   sourceAnnotationKey
   sourceKind since=0.19 in=v1beta2
    =Cohort
    =LocalQueue
    =ClusterQueue
    =Workload
   trackedValues since=0.19 in=v1beta2
  localQueueMetrics since=0.17
   enable
   localQueueSelector
    matchLabels
    matchExpressions
     key
     operator
      =In
      =NotIn
      =Exists
      =DoesNotExist
     values
 health
  healthProbeBindAddress
  readinessEndpointName
  livenessEndpointName
 pprofBindAddress
 controller
  groupKindConcurrency
  cacheSyncTimeout
 tls
  minVersion
  cipherSuites
  curvePreferences since=0.19
 manageJobsWithoutQueueName
 managedJobsNamespaceSelector
  matchLabels
  matchExpressions
   key
   operator
    =In
    =NotIn
    =Exists
    =DoesNotExist
   values
 internalCertManagement
  enable
  webhookServiceName
  webhookSecretName
 waitForPodsReady
  enable in=v1beta1
  timeout
  blockAdmission
  requeuingStrategy
   timestamp
    =Creation
    =Eviction
   backoffLimitCount
   backoffBaseSeconds
   backoffMaxSeconds
  recoveryTimeout
 clientConnection
  qps
  burst
 integrations
  frameworks
  externalFrameworks
  podOptions deprecated in=v1beta1
   namespaceSelector
    matchLabels
    matchExpressions
     key
     operator
      =In
      =NotIn
      =Exists
      =DoesNotExist
     values
   podSelector
    matchLabels
    matchExpressions
     key
     operator
      =In
      =NotIn
      =Exists
      =DoesNotExist
     values
  labelKeysToCopy
 queueVisibility deprecated in=v1beta1
  clusterQueues
   maxCount
  updateIntervalSeconds
 multiKueue
  gcInterval
  origin
  workerLostTimeout
  dispatcherName
  externalFrameworks
   name
  clusterProfile in=v1beta2
   accessProviders since=0.19
    name
    execConfig
   credentialsProviders deprecated=0.19
    name
    execConfig
  incrementalDispatcherConfig since=0.19 in=v1beta2
   stepSize
 fairSharing
  enable in=v1beta1
  preemptionStrategies
 admissionFairSharing
  usageHalfLifeTime
  usageSamplingInterval
  resourceWeights
 resources
  excludeResourcePrefixes
  transformations
   input
   strategy
    =Retain
    =Replace
   multiplyBy
   outputs
  deviceClassMappings
   name
   deviceClassNames
   sources since=0.18 in=v1beta2
    counter
     name
     driver
     deviceSelector
    capacity since=0.19
     name
     driver
     deviceSelector
  quotaCheckStrategy since=0.18 in=v1beta2
   =BlockUndeclared
   =IgnoreUndeclared
 featureGates
 objectRetentionPolicies
  workloads
   afterFinished
   afterDeactivatedByKueue
 visibilityServer since=0.17 in=v1beta2
  bindAddress
  bindPort
"""

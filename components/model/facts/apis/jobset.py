"""The fields of JobSet's API.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "0.10"
"""The oldest release that was read."""
RELEASE: Final = "0.12.0"
"""The newest."""
TEXT: Final = """\
JobSet
 /v1alpha2
 apiVersion
 kind
 metadata
 spec
  coordinator
   jobIndex
   podIndex
   replicatedJob required
  failurePolicy
   maxRestarts
   restartStrategy
    =Recreate
    =BlockingRecreate
    =InPlaceRestart since=0.11
   rules
    action required
     =FailJobSet
     =RestartJobSet
     =RestartJobSetAndIgnoreMaxRestarts
     =RestartJob since=0.12
     =RestartJobAndIgnoreMaxRestarts since=0.12
    name required
    onJobFailureMessagePatterns
    onJobFailureReasons
    targetReplicatedJobs
  managedBy
  network
   enableDNSHostnames
   publishNotReadyAddresses
   subdomain
  replicatedJobs
   dependsOn most=5
    name required
    status required
     =Ready
     =Complete
   groupName
   name required
   replicas
   template required
  startupPolicy deprecated
   startupPolicyOrder required
    =AnyOrder
    =InOrder
  successPolicy
   operator required
    =All
    =Any
   targetReplicatedJobs
  suspend
  ttlSecondsAfterFinished
  volumeClaimPolicies most=50 since=0.11
   retentionPolicy
    whenDeleted
     =Delete
     =Retain
   templates most=50
 status
"""

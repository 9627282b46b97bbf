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
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  coordinator
   jobIndex type=int
   podIndex type=int
   replicatedJob type=text required
  failurePolicy
   maxRestarts type=int
   restartStrategy type=text
    =Recreate
    =BlockingRecreate
    =InPlaceRestart since=0.11
   rules type=[]
    action type=text required
     =FailJobSet
     =RestartJobSet
     =RestartJobSetAndIgnoreMaxRestarts
     =RestartJob since=0.12
     =RestartJobAndIgnoreMaxRestarts since=0.12
    name type=text required
    onJobFailureMessagePatterns type=[]text
    onJobFailureReasons type=[]text
    targetReplicatedJobs type=[]text
  managedBy type=text
  network
   enableDNSHostnames type=bool
   publishNotReadyAddresses type=bool
   subdomain type=text
  replicatedJobs type=[]
   dependsOn type=[] most=5
    name type=text required
    status type=text required
     =Ready
     =Complete
   groupName type=text
   name type=text required
   replicas type=int
   template type=JobTemplateSpec required
  startupPolicy deprecated
   startupPolicyOrder type=text required
    =AnyOrder
    =InOrder
  successPolicy
   operator type=text required
    =All
    =Any
   targetReplicatedJobs type=[]text
  suspend type=bool
  ttlSecondsAfterFinished type=int
  volumeClaimPolicies type=[] most=50 since=0.11
   retentionPolicy
    whenDeleted type=text
     =Delete
     =Retain
   templates type=[]PersistentVolumeClaim most=50
 status
"""

"""The fields of LeaderWorkerSet's API.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "0.9"
"""The oldest release that was read."""
RELEASE: Final = "0.9.0"
"""The newest."""
TEXT: Final = """\
LeaderWorkerSet
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  leaderWorkerTemplate required
   leaderTemplate type=PodTemplateSpec
   persistentVolumeClaimRetentionPolicy
    whenDeleted type=text
    whenScaled type=text
   restartPolicy type=text
    =Default
    =RecreateGroupOnPodRestart
    =RecreateGroupAfterStart
    =None
   size type=int
   subGroupPolicy
    subGroupPolicyType type=text
     =LeaderWorker
     =LeaderExcluded
    subGroupSize type=int
   volumeClaimTemplates type=[]PersistentVolumeClaim
   workerTemplate type=PodTemplateSpec required
  networkConfig
   subdomainPolicy type=text required
    =Shared
    =UniquePerReplica
  replicas type=int
  rolloutStrategy
   rollingUpdateConfiguration
    maxSurge type=int-or-text
    maxUnavailable type=int-or-text
    partition type=int
   type type=text
    =RollingUpdate
  startupPolicy type=text
   =LeaderCreated
   =LeaderReady
 status
"""

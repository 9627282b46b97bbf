"""The fields of KubeRay's API.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "1.6"
"""The oldest release that was read."""
RELEASE: Final = "1.6.2"
"""The newest."""
TEXT: Final = """\
RayCluster
 /v1
 /v1alpha1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  authOptions in=v1
   enableK8sTokenAuth type=bool
   mode type=text
    =disabled
    =token
   secretName type=text
  autoscalerOptions
   env type=[]
    name type=text required
    value type=text
    valueFrom
     configMapKeyRef
      key type=text required
      name type=text
      optional type=bool
     fieldRef
      apiVersion type=text
      fieldPath type=text required
     fileKeyRef
      key type=text required
      optional type=bool
      path type=text required
      volumeName type=text required
     resourceFieldRef
      containerName type=text
      divisor type=quantity
      resource type=text required
     secretKeyRef
      key type=text required
      name type=text
      optional type=bool
   envFrom type=[]
    configMapRef
     name type=text
     optional type=bool
    prefix type=text
    secretRef
     name type=text
     optional type=bool
   idleTimeoutSeconds type=int
   image type=text
   imagePullPolicy type=text
   resources
    claims type=[]
     name type=text required
     request type=text
    limits type={}quantity
    requests type={}quantity
   securityContext
    allowPrivilegeEscalation type=bool
    appArmorProfile
     localhostProfile type=text
     type type=text required
    capabilities
     add type=[]text
     drop type=[]text
    privileged type=bool
    procMount type=text
    readOnlyRootFilesystem type=bool
    runAsGroup type=int
    runAsNonRoot type=bool
    runAsUser type=int
    seLinuxOptions
     level type=text
     role type=text
     type type=text
     user type=text
    seccompProfile
     localhostProfile type=text
     type type=text required
    windowsOptions
     gmsaCredentialSpec type=text
     gmsaCredentialSpecName type=text
     hostProcess type=bool
     runAsUserName type=text
   upscalingMode type=text
    =Default
    =Aggressive
    =Conservative
   version type=text in=v1
    =v1
    =v2
   volumeMounts type=[]
    mountPath type=text required
    mountPropagation type=text
    name type=text required
    readOnly type=bool
    recursiveReadOnly type=text
    subPath type=text
    subPathExpr type=text
  enableInTreeAutoscaling type=bool
  gcsFaultToleranceOptions in=v1
   externalStorageNamespace type=text
   redisAddress type=text required
   redisPassword
    value type=text
    valueFrom
     configMapKeyRef
      key type=text required
      name type=text
      optional type=bool
     fieldRef
      apiVersion type=text
      fieldPath type=text required
     fileKeyRef
      key type=text required
      optional type=bool
      path type=text required
      volumeName type=text required
     resourceFieldRef
      containerName type=text
      divisor type=quantity
      resource type=text required
     secretKeyRef
      key type=text required
      name type=text
      optional type=bool
   redisUsername
    value type=text
    valueFrom
     configMapKeyRef
      key type=text required
      name type=text
      optional type=bool
     fieldRef
      apiVersion type=text
      fieldPath type=text required
     fileKeyRef
      key type=text required
      optional type=bool
      path type=text required
      volumeName type=text required
     resourceFieldRef
      containerName type=text
      divisor type=quantity
      resource type=text required
     secretKeyRef
      key type=text required
      name type=text
      optional type=bool
  headGroupSpec required
   enableIngress type=bool
   headService type=Service
   labels type={}text in=v1
   rayStartParams type={}text in=v1
   rayStartParams type={}text required in=v1alpha1
   resources type={}text in=v1
   serviceType type=text
   template type=PodTemplateSpec required
  headServiceAnnotations type={}text
  managedBy type=text in=v1
  rayVersion type=text
  suspend type=bool
  upgradeStrategy in=v1
   type type=text
    =Recreate
    =None
  workerGroupSpecs type=[]
   groupName type=text required
   idleTimeoutSeconds type=int in=v1
   labels type={}text in=v1
   maxReplicas type=int
   minReplicas type=int
   numOfHosts type=int in=v1
   rayStartParams type={}text in=v1
   rayStartParams type={}text required in=v1alpha1
   replicas type=int
   resources type={}text in=v1
   scaleStrategy
    workersToDelete type=[]text
   suspend type=bool in=v1
   template type=PodTemplateSpec required
 status
RayJob
 /v1
 /v1alpha1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  activeDeadlineSeconds type=int in=v1
  backoffLimit type=int in=v1
  clusterSelector type={}text
  deletionStrategy in=v1
   deletionRules type=[]
    condition required
     jobDeploymentStatus type=text
      =Failed
     jobStatus type=text
      =SUCCEEDED
      =FAILED
     ttlSeconds type=int
    policy type=text required
     =DeleteCluster
     =DeleteWorkers
     =DeleteSelf
     =DeleteNone
   onFailure
    policy type=text
     =DeleteCluster
     =DeleteWorkers
     =DeleteSelf
     =DeleteNone
   onSuccess
    policy type=text
     =DeleteCluster
     =DeleteWorkers
     =DeleteSelf
     =DeleteNone
  entrypoint type=text in=v1
  entrypoint type=text required in=v1alpha1
  entrypointNumCpus type=number
  entrypointNumGpus type=number
  entrypointResources type=text
  jobId type=text
  managedBy type=text in=v1
  metadata type={}text
  preRunningDeadlineSeconds type=int in=v1
  rayClusterSpec
   authOptions in=v1
    enableK8sTokenAuth type=bool
    mode type=text
     =disabled
     =token
    secretName type=text
   autoscalerOptions
    env type=[]
     name type=text required
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
    envFrom type=[]
     configMapRef
      name type=text
      optional type=bool
     prefix type=text
     secretRef
      name type=text
      optional type=bool
    idleTimeoutSeconds type=int
    image type=text
    imagePullPolicy type=text
    resources
     claims type=[]
      name type=text required
      request type=text
     limits type={}quantity
     requests type={}quantity
    securityContext
     allowPrivilegeEscalation type=bool
     appArmorProfile
      localhostProfile type=text
      type type=text required
     capabilities
      add type=[]text
      drop type=[]text
     privileged type=bool
     procMount type=text
     readOnlyRootFilesystem type=bool
     runAsGroup type=int
     runAsNonRoot type=bool
     runAsUser type=int
     seLinuxOptions
      level type=text
      role type=text
      type type=text
      user type=text
     seccompProfile
      localhostProfile type=text
      type type=text required
     windowsOptions
      gmsaCredentialSpec type=text
      gmsaCredentialSpecName type=text
      hostProcess type=bool
      runAsUserName type=text
    upscalingMode type=text
     =Default
     =Aggressive
     =Conservative
    version type=text in=v1
     =v1
     =v2
    volumeMounts type=[]
     mountPath type=text required
     mountPropagation type=text
     name type=text required
     readOnly type=bool
     recursiveReadOnly type=text
     subPath type=text
     subPathExpr type=text
   enableInTreeAutoscaling type=bool
   gcsFaultToleranceOptions in=v1
    externalStorageNamespace type=text
    redisAddress type=text required
    redisPassword
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
    redisUsername
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
   headGroupSpec required
    enableIngress type=bool
    headService type=Service
    labels type={}text in=v1
    rayStartParams type={}text in=v1
    rayStartParams type={}text required in=v1alpha1
    resources type={}text in=v1
    serviceType type=text
    template type=PodTemplateSpec required
   headServiceAnnotations type={}text
   managedBy type=text in=v1
   rayVersion type=text
   suspend type=bool
   upgradeStrategy in=v1
    type type=text
     =Recreate
     =None
   workerGroupSpecs type=[]
    groupName type=text required
    idleTimeoutSeconds type=int in=v1
    labels type={}text in=v1
    maxReplicas type=int
    minReplicas type=int
    numOfHosts type=int in=v1
    rayStartParams type={}text in=v1
    rayStartParams type={}text required in=v1alpha1
    replicas type=int
    resources type={}text in=v1
    scaleStrategy
     workersToDelete type=[]text
    suspend type=bool in=v1
    template type=PodTemplateSpec required
  runtimeEnvYAML type=text
  shutdownAfterJobFinishes type=bool
  submissionMode type=text in=v1
  submitterConfig in=v1
   backoffLimit type=int
  submitterPodTemplate type=PodTemplateSpec
  suspend type=bool
  ttlSecondsAfterFinished type=int
 status
RayService
 /v1
 /v1alpha1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec
  deploymentUnhealthySecondThreshold type=int
  excludeHeadPodFromServeSvc type=bool in=v1
  managedBy type=text in=v1
  rayClusterConfig required in=v1
   authOptions
    enableK8sTokenAuth type=bool
    mode type=text
     =disabled
     =token
    secretName type=text
   autoscalerOptions
    env type=[]
     name type=text required
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
    envFrom type=[]
     configMapRef
      name type=text
      optional type=bool
     prefix type=text
     secretRef
      name type=text
      optional type=bool
    idleTimeoutSeconds type=int
    image type=text
    imagePullPolicy type=text
    resources
     claims type=[]
      name type=text required
      request type=text
     limits type={}quantity
     requests type={}quantity
    securityContext
     allowPrivilegeEscalation type=bool
     appArmorProfile
      localhostProfile type=text
      type type=text required
     capabilities
      add type=[]text
      drop type=[]text
     privileged type=bool
     procMount type=text
     readOnlyRootFilesystem type=bool
     runAsGroup type=int
     runAsNonRoot type=bool
     runAsUser type=int
     seLinuxOptions
      level type=text
      role type=text
      type type=text
      user type=text
     seccompProfile
      localhostProfile type=text
      type type=text required
     windowsOptions
      gmsaCredentialSpec type=text
      gmsaCredentialSpecName type=text
      hostProcess type=bool
      runAsUserName type=text
    upscalingMode type=text
     =Default
     =Aggressive
     =Conservative
    version type=text
     =v1
     =v2
    volumeMounts type=[]
     mountPath type=text required
     mountPropagation type=text
     name type=text required
     readOnly type=bool
     recursiveReadOnly type=text
     subPath type=text
     subPathExpr type=text
   enableInTreeAutoscaling type=bool
   gcsFaultToleranceOptions
    externalStorageNamespace type=text
    redisAddress type=text required
    redisPassword
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
    redisUsername
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
   headGroupSpec required
    enableIngress type=bool
    headService type=Service
    labels type={}text
    rayStartParams type={}text
    resources type={}text
    serviceType type=text
    template type=PodTemplateSpec required
   headServiceAnnotations type={}text
   managedBy type=text
   rayVersion type=text
   suspend type=bool
   upgradeStrategy
    type type=text
     =Recreate
     =None
   workerGroupSpecs type=[]
    groupName type=text required
    idleTimeoutSeconds type=int
    labels type={}text
    maxReplicas type=int
    minReplicas type=int
    numOfHosts type=int
    rayStartParams type={}text
    replicas type=int
    resources type={}text
    scaleStrategy
     workersToDelete type=[]text
    suspend type=bool
    template type=PodTemplateSpec required
  rayClusterConfig in=v1alpha1
   autoscalerOptions
    env type=[]
     name type=text required
     value type=text
     valueFrom
      configMapKeyRef
       key type=text required
       name type=text
       optional type=bool
      fieldRef
       apiVersion type=text
       fieldPath type=text required
      fileKeyRef
       key type=text required
       optional type=bool
       path type=text required
       volumeName type=text required
      resourceFieldRef
       containerName type=text
       divisor type=quantity
       resource type=text required
      secretKeyRef
       key type=text required
       name type=text
       optional type=bool
    envFrom type=[]
     configMapRef
      name type=text
      optional type=bool
     prefix type=text
     secretRef
      name type=text
      optional type=bool
    idleTimeoutSeconds type=int
    image type=text
    imagePullPolicy type=text
    resources
     claims type=[]
      name type=text required
      request type=text
     limits type={}quantity
     requests type={}quantity
    securityContext
     allowPrivilegeEscalation type=bool
     appArmorProfile
      localhostProfile type=text
      type type=text required
     capabilities
      add type=[]text
      drop type=[]text
     privileged type=bool
     procMount type=text
     readOnlyRootFilesystem type=bool
     runAsGroup type=int
     runAsNonRoot type=bool
     runAsUser type=int
     seLinuxOptions
      level type=text
      role type=text
      type type=text
      user type=text
     seccompProfile
      localhostProfile type=text
      type type=text required
     windowsOptions
      gmsaCredentialSpec type=text
      gmsaCredentialSpecName type=text
      hostProcess type=bool
      runAsUserName type=text
    upscalingMode type=text
     =Default
     =Aggressive
     =Conservative
    volumeMounts type=[]
     mountPath type=text required
     mountPropagation type=text
     name type=text required
     readOnly type=bool
     recursiveReadOnly type=text
     subPath type=text
     subPathExpr type=text
   enableInTreeAutoscaling type=bool
   headGroupSpec required
    enableIngress type=bool
    headService type=Service
    rayStartParams type={}text required
    serviceType type=text
    template type=PodTemplateSpec required
   headServiceAnnotations type={}text
   rayVersion type=text
   suspend type=bool
   workerGroupSpecs type=[]
    groupName type=text required
    maxReplicas type=int
    minReplicas type=int
    rayStartParams type={}text required
    replicas type=int
    scaleStrategy
     workersToDelete type=[]text
    template type=PodTemplateSpec required
  rayClusterDeletionDelaySeconds type=int in=v1
  serveConfigV2 type=text
  serveService type=Service
  serviceUnhealthySecondThreshold type=int
  upgradeStrategy in=v1
   clusterUpgradeOptions
    gatewayClassName type=text required
    intervalSeconds type=int required
    maxSurgePercent type=int
    stepSizePercent type=int required
   type type=text
 status
"""

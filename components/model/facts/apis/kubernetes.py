"""The fields of Kubernetes' own API: kinds that rules check, and the types that they refer to.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "1.36"
"""The oldest release that was read."""
RELEASE: Final = "1.36.4"
"""The newest."""
TEXT: Final = """\
PriorityClass
 /v1
 apiVersion type=text
 description type=text
 globalDefault type=bool
 kind type=text
 metadata type=ObjectMeta
 preemptionPolicy type=text
  =PreemptLowerPriority
  =Never
 value type=int
Job
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=JobSpec
 status
Namespace
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=NamespaceSpec
 status
Service
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=ServiceSpec
 status
Pod
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=PodSpec
 status
ConfigMap
 /v1
 apiVersion type=text
 binaryData type={}text
 data type={}text
 immutable type=bool
 kind type=text
 metadata type=ObjectMeta
Secret
 /v1
 apiVersion type=text
 data type={}text
 immutable type=bool
 kind type=text
 metadata type=ObjectMeta
 stringData type={}text
 type type=text
PersistentVolume
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=PersistentVolumeSpec
 status
PersistentVolumeClaim
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=PersistentVolumeClaimSpec
 status
StorageClass
 /v1
 allowVolumeExpansion type=bool
 allowedTopologies type=[]TopologySelectorTerm
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 mountOptions type=[]text
 parameters type={}text
 provisioner type=text
 reclaimPolicy type=text
 volumeBindingMode type=text
Deployment
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=DeploymentSpec
 status
StatefulSet
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=StatefulSetSpec
 status
DaemonSet
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=DaemonSetSpec
 status
PodDisruptionBudget
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=PodDisruptionBudgetSpec
 status
CronJob
 /v1
 apiVersion type=text
 kind type=text
 metadata type=ObjectMeta
 spec type=CronJobSpec
 status
AWSElasticBlockStoreVolumeSource
 fsType type=text
 partition type=int
 readOnly type=bool
 volumeID type=text
Affinity
 nodeAffinity type=NodeAffinity
 podAffinity type=PodAffinity
 podAntiAffinity type=PodAntiAffinity
AppArmorProfile
 localhostProfile type=text
 type type=text
AzureDiskVolumeSource
 cachingMode type=text
 diskName type=text
 diskURI type=text
 fsType type=text
 kind type=text
 readOnly type=bool
AzureFilePersistentVolumeSource
 readOnly type=bool
 secretName type=text
 secretNamespace type=text
 shareName type=text
AzureFileVolumeSource
 readOnly type=bool
 secretName type=text
 shareName type=text
CSIPersistentVolumeSource
 controllerExpandSecretRef type=SecretReference
 controllerPublishSecretRef type=SecretReference
 driver type=text
 fsType type=text
 nodeExpandSecretRef type=SecretReference
 nodePublishSecretRef type=SecretReference
 nodeStageSecretRef type=SecretReference
 readOnly type=bool
 volumeAttributes type={}text
 volumeHandle type=text
CSIVolumeSource
 driver type=text
 fsType type=text
 nodePublishSecretRef type=LocalObjectReference
 readOnly type=bool
 volumeAttributes type={}text
Capabilities
 add type=[]text
 drop type=[]text
CephFSPersistentVolumeSource
 monitors type=[]text
 path type=text
 readOnly type=bool
 secretFile type=text
 secretRef type=SecretReference
 user type=text
CephFSVolumeSource
 monitors type=[]text
 path type=text
 readOnly type=bool
 secretFile type=text
 secretRef type=LocalObjectReference
 user type=text
CinderPersistentVolumeSource
 fsType type=text
 readOnly type=bool
 secretRef type=SecretReference
 volumeID type=text
CinderVolumeSource
 fsType type=text
 readOnly type=bool
 secretRef type=LocalObjectReference
 volumeID type=text
ClientIPConfig
 timeoutSeconds type=int
ClusterTrustBundleProjection
 labelSelector type=LabelSelector
 name type=text
 optional type=bool
 path type=text
 signerName type=text
ConfigMapEnvSource
 name type=text
 optional type=bool
ConfigMapKeySelector
 key type=text
 name type=text
 optional type=bool
ConfigMapProjection
 items type=[]KeyToPath
 name type=text
 optional type=bool
ConfigMapVolumeSource
 defaultMode type=int
 items type=[]KeyToPath
 name type=text
 optional type=bool
Container
 args type=[]text
 command type=[]text
 env type=[]EnvVar
 envFrom type=[]EnvFromSource
 image type=text
 imagePullPolicy type=text
 lifecycle type=Lifecycle
 livenessProbe type=Probe
 name type=text
 ports type=[]ContainerPort
 readinessProbe type=Probe
 resizePolicy type=[]ContainerResizePolicy
 resources type=ResourceRequirements
 restartPolicy type=text
 restartPolicyRules type=[]ContainerRestartRule
 securityContext type=SecurityContext
 startupProbe type=Probe
 stdin type=bool
 stdinOnce type=bool
 terminationMessagePath type=text
 terminationMessagePolicy type=text
 tty type=bool
 volumeDevices type=[]VolumeDevice
 volumeMounts type=[]VolumeMount
 workingDir type=text
ContainerPort
 containerPort type=int
 hostIP type=text
 hostPort type=int
 name type=text
 protocol type=text
ContainerResizePolicy
 resourceName type=text
 restartPolicy type=text
ContainerRestartRule
 action type=text
 exitCodes type=ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
 operator type=text
 values type=[]int
CronJobSpec
 concurrencyPolicy type=text
 failedJobsHistoryLimit type=int
 jobTemplate type=JobTemplateSpec
 schedule type=text
 startingDeadlineSeconds type=int
 successfulJobsHistoryLimit type=int
 suspend type=bool
 timeZone type=text
DaemonSetSpec
 minReadySeconds type=int
 revisionHistoryLimit type=int
 selector type=LabelSelector
 template type=PodTemplateSpec
 updateStrategy type=DaemonSetUpdateStrategy
DaemonSetUpdateStrategy
 rollingUpdate type=RollingUpdateDaemonSet
 type type=text
DeploymentSpec
 minReadySeconds type=int
 paused type=bool
 progressDeadlineSeconds type=int
 replicas type=int
 revisionHistoryLimit type=int
 selector type=LabelSelector
 strategy type=DeploymentStrategy
 template type=PodTemplateSpec
DeploymentStrategy
 rollingUpdate type=RollingUpdateDeployment
 type type=text
DownwardAPIProjection
 items type=[]DownwardAPIVolumeFile
DownwardAPIVolumeFile
 fieldRef type=ObjectFieldSelector
 mode type=int
 path type=text
 resourceFieldRef type=ResourceFieldSelector
DownwardAPIVolumeSource
 defaultMode type=int
 items type=[]DownwardAPIVolumeFile
EmptyDirVolumeSource
 medium type=text
 sizeLimit type=quantity
EnvFromSource
 configMapRef type=ConfigMapEnvSource
 prefix type=text
 secretRef type=SecretEnvSource
EnvVar
 name type=text
 value type=text
 valueFrom type=EnvVarSource
EnvVarSource
 configMapKeyRef type=ConfigMapKeySelector
 fieldRef type=ObjectFieldSelector
 fileKeyRef type=FileKeySelector
 resourceFieldRef type=ResourceFieldSelector
 secretKeyRef type=SecretKeySelector
EphemeralContainer
 args type=[]text
 command type=[]text
 env type=[]EnvVar
 envFrom type=[]EnvFromSource
 image type=text
 imagePullPolicy type=text
 lifecycle type=Lifecycle
 livenessProbe type=Probe
 name type=text
 ports type=[]ContainerPort
 readinessProbe type=Probe
 resizePolicy type=[]ContainerResizePolicy
 resources type=ResourceRequirements
 restartPolicy type=text
 restartPolicyRules type=[]ContainerRestartRule
 securityContext type=SecurityContext
 startupProbe type=Probe
 stdin type=bool
 stdinOnce type=bool
 targetContainerName type=text
 terminationMessagePath type=text
 terminationMessagePolicy type=text
 tty type=bool
 volumeDevices type=[]VolumeDevice
 volumeMounts type=[]VolumeMount
 workingDir type=text
EphemeralVolumeSource
 volumeClaimTemplate type=PersistentVolumeClaimTemplate
ExecAction
 command type=[]text
FCVolumeSource
 fsType type=text
 lun type=int
 readOnly type=bool
 targetWWNs type=[]text
 wwids type=[]text
FileKeySelector
 key type=text
 optional type=bool
 path type=text
 volumeName type=text
FlexPersistentVolumeSource
 driver type=text
 fsType type=text
 options type={}text
 readOnly type=bool
 secretRef type=SecretReference
FlexVolumeSource
 driver type=text
 fsType type=text
 options type={}text
 readOnly type=bool
 secretRef type=LocalObjectReference
FlockerVolumeSource
 datasetName type=text
 datasetUUID type=text
GCEPersistentDiskVolumeSource
 fsType type=text
 partition type=int
 pdName type=text
 readOnly type=bool
GRPCAction
 port type=int
 service type=text
GitRepoVolumeSource
 directory type=text
 repository type=text
 revision type=text
GlusterfsPersistentVolumeSource
 endpoints type=text
 endpointsNamespace type=text
 path type=text
 readOnly type=bool
GlusterfsVolumeSource
 endpoints type=text
 path type=text
 readOnly type=bool
HTTPGetAction
 host type=text
 httpHeaders type=[]HTTPHeader
 path type=text
 port type=int-or-text
 scheme type=text
HTTPHeader
 name type=text
 value type=text
HostAlias
 hostnames type=[]text
 ip type=text
HostPathVolumeSource
 path type=text
 type type=text
ISCSIPersistentVolumeSource
 chapAuthDiscovery type=bool
 chapAuthSession type=bool
 fsType type=text
 initiatorName type=text
 iqn type=text
 iscsiInterface type=text
 lun type=int
 portals type=[]text
 readOnly type=bool
 secretRef type=SecretReference
 targetPortal type=text
ISCSIVolumeSource
 chapAuthDiscovery type=bool
 chapAuthSession type=bool
 fsType type=text
 initiatorName type=text
 iqn type=text
 iscsiInterface type=text
 lun type=int
 portals type=[]text
 readOnly type=bool
 secretRef type=LocalObjectReference
 targetPortal type=text
ImageVolumeSource
 pullPolicy type=text
 reference type=text
JobSpec
 activeDeadlineSeconds type=int
 backoffLimit type=int
 backoffLimitPerIndex type=int
 completionMode type=text
 completions type=int
 managedBy type=text
 manualSelector type=bool
 maxFailedIndexes type=int
 parallelism type=int
 podFailurePolicy type=PodFailurePolicy
 podReplacementPolicy type=text
 selector type=LabelSelector
 successPolicy type=SuccessPolicy
 suspend type=bool
 template type=PodTemplateSpec
 ttlSecondsAfterFinished type=int
JobTemplateSpec
 metadata type=ObjectMeta
 spec type=JobSpec
KeyToPath
 key type=text
 mode type=int
 path type=text
LabelSelector
 matchExpressions type=[]LabelSelectorRequirement
 matchLabels type={}text
LabelSelectorRequirement
 key type=text
 operator type=text
 values type=[]text
Lifecycle
 postStart type=LifecycleHandler
 preStop type=LifecycleHandler
 stopSignal type=text
LifecycleHandler
 exec type=ExecAction
 httpGet type=HTTPGetAction
 sleep type=SleepAction
 tcpSocket type=TCPSocketAction
LocalObjectReference
 name type=text
LocalVolumeSource
 fsType type=text
 path type=text
ManagedFieldsEntry
 apiVersion type=text
 fieldsType type=text
 fieldsV1
 manager type=text
 operation type=text
 subresource type=text
 time type=text
NFSVolumeSource
 path type=text
 readOnly type=bool
 server type=text
NamespaceSpec
 finalizers type=[]text
NodeAffinity
 preferredDuringSchedulingIgnoredDuringExecution type=[]PreferredSchedulingTerm
 requiredDuringSchedulingIgnoredDuringExecution type=NodeSelector
NodeSelector
 nodeSelectorTerms type=[]NodeSelectorTerm
NodeSelectorRequirement
 key type=text
 operator type=text
 values type=[]text
NodeSelectorTerm
 matchExpressions type=[]NodeSelectorRequirement
 matchFields type=[]NodeSelectorRequirement
ObjectFieldSelector
 apiVersion type=text
 fieldPath type=text
ObjectMeta
 annotations type={}text
 creationTimestamp type=text
 deletionGracePeriodSeconds type=int
 deletionTimestamp type=text
 finalizers type=[]text
 generateName type=text
 generation type=int
 labels type={}text
 managedFields type=[]ManagedFieldsEntry
 name type=text
 namespace type=text
 ownerReferences type=[]OwnerReference
 resourceVersion type=text
 selfLink type=text
 uid type=text
ObjectReference
 apiVersion type=text
 fieldPath type=text
 kind type=text
 name type=text
 namespace type=text
 resourceVersion type=text
 uid type=text
OwnerReference
 apiVersion type=text
 blockOwnerDeletion type=bool
 controller type=bool
 kind type=text
 name type=text
 uid type=text
PersistentVolumeClaimSpec
 accessModes type=[]text
 dataSource type=TypedLocalObjectReference
 dataSourceRef type=TypedObjectReference
 resources type=VolumeResourceRequirements
 selector type=LabelSelector
 storageClassName type=text
 volumeAttributesClassName type=text
 volumeMode type=text
 volumeName type=text
PersistentVolumeClaimTemplate
 metadata type=ObjectMeta
 spec type=PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource
 claimName type=text
 readOnly type=bool
PersistentVolumeSpec
 accessModes type=[]text
 awsElasticBlockStore type=AWSElasticBlockStoreVolumeSource
 azureDisk type=AzureDiskVolumeSource
 azureFile type=AzureFilePersistentVolumeSource
 capacity type={}quantity
 cephfs type=CephFSPersistentVolumeSource
 cinder type=CinderPersistentVolumeSource
 claimRef type=ObjectReference
 csi type=CSIPersistentVolumeSource
 fc type=FCVolumeSource
 flexVolume type=FlexPersistentVolumeSource
 flocker type=FlockerVolumeSource
 gcePersistentDisk type=GCEPersistentDiskVolumeSource
 glusterfs type=GlusterfsPersistentVolumeSource
 hostPath type=HostPathVolumeSource
 iscsi type=ISCSIPersistentVolumeSource
 local type=LocalVolumeSource
 mountOptions type=[]text
 nfs type=NFSVolumeSource
 nodeAffinity type=VolumeNodeAffinity
 persistentVolumeReclaimPolicy type=text
 photonPersistentDisk type=PhotonPersistentDiskVolumeSource
 portworxVolume type=PortworxVolumeSource
 quobyte type=QuobyteVolumeSource
 rbd type=RBDPersistentVolumeSource
 scaleIO type=ScaleIOPersistentVolumeSource
 storageClassName type=text
 storageos type=StorageOSPersistentVolumeSource
 volumeAttributesClassName type=text
 volumeMode type=text
 vsphereVolume type=VsphereVirtualDiskVolumeSource
PhotonPersistentDiskVolumeSource
 fsType type=text
 pdID type=text
PodAffinity
 preferredDuringSchedulingIgnoredDuringExecution type=[]WeightedPodAffinityTerm
 requiredDuringSchedulingIgnoredDuringExecution type=[]PodAffinityTerm
PodAffinityTerm
 labelSelector type=LabelSelector
 matchLabelKeys type=[]text
 mismatchLabelKeys type=[]text
 namespaceSelector type=LabelSelector
 namespaces type=[]text
 topologyKey type=text
PodAntiAffinity
 preferredDuringSchedulingIgnoredDuringExecution type=[]WeightedPodAffinityTerm
 requiredDuringSchedulingIgnoredDuringExecution type=[]PodAffinityTerm
PodCertificateProjection
 certificateChainPath type=text
 credentialBundlePath type=text
 keyPath type=text
 keyType type=text
 maxExpirationSeconds type=int
 signerName type=text
 userAnnotations type={}text
PodDNSConfig
 nameservers type=[]text
 options type=[]PodDNSConfigOption
 searches type=[]text
PodDNSConfigOption
 name type=text
 value type=text
PodDisruptionBudgetSpec
 maxUnavailable type=int-or-text
 minAvailable type=int-or-text
 selector type=LabelSelector
 unhealthyPodEvictionPolicy type=text
PodFailurePolicy
 rules type=[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement
 containerName type=text
 operator type=text
 values type=[]int
PodFailurePolicyOnPodConditionsPattern
 status type=text
 type type=text
PodFailurePolicyRule
 action type=text
 onExitCodes type=PodFailurePolicyOnExitCodesRequirement
 onPodConditions type=[]PodFailurePolicyOnPodConditionsPattern
PodOS
 name type=text
PodReadinessGate
 conditionType type=text
PodResourceClaim
 name type=text
 resourceClaimName type=text
 resourceClaimTemplateName type=text
PodSchedulingGate
 name type=text
PodSchedulingGroup
 podGroupName type=text
PodSecurityContext
 appArmorProfile type=AppArmorProfile
 fsGroup type=int
 fsGroupChangePolicy type=text
 runAsGroup type=int
 runAsNonRoot type=bool
 runAsUser type=int
 seLinuxChangePolicy type=text
 seLinuxOptions type=SELinuxOptions
 seccompProfile type=SeccompProfile
 supplementalGroups type=[]int
 supplementalGroupsPolicy type=text
 sysctls type=[]Sysctl
 windowsOptions type=WindowsSecurityContextOptions
PodSpec
 activeDeadlineSeconds type=int
 affinity type=Affinity
 automountServiceAccountToken type=bool
 containers type=[]Container
 dnsConfig type=PodDNSConfig
 dnsPolicy type=text
 enableServiceLinks type=bool
 ephemeralContainers type=[]EphemeralContainer
 hostAliases type=[]HostAlias
 hostIPC type=bool
 hostNetwork type=bool
 hostPID type=bool
 hostUsers type=bool
 hostname type=text
 hostnameOverride type=text
 imagePullSecrets type=[]LocalObjectReference
 initContainers type=[]Container
 nodeName type=text
 nodeSelector type={}text
 os type=PodOS
 overhead type={}quantity
 preemptionPolicy type=text
 priority type=int
 priorityClassName type=text
 readinessGates type=[]PodReadinessGate
 resourceClaims type=[]PodResourceClaim
 resources type=ResourceRequirements
 restartPolicy type=text
 runtimeClassName type=text
 schedulerName type=text
 schedulingGates type=[]PodSchedulingGate
 schedulingGroup type=PodSchedulingGroup
 securityContext type=PodSecurityContext
 serviceAccount type=text
 serviceAccountName type=text
 setHostnameAsFQDN type=bool
 shareProcessNamespace type=bool
 subdomain type=text
 terminationGracePeriodSeconds type=int
 tolerations type=[]Toleration
 topologySpreadConstraints type=[]TopologySpreadConstraint
 volumes type=[]Volume
PodTemplateSpec
 metadata type=ObjectMeta
 spec type=PodSpec
PortworxVolumeSource
 fsType type=text
 readOnly type=bool
 volumeID type=text
PreferredSchedulingTerm
 preference type=NodeSelectorTerm
 weight type=int
Probe
 exec type=ExecAction
 failureThreshold type=int
 grpc type=GRPCAction
 httpGet type=HTTPGetAction
 initialDelaySeconds type=int
 periodSeconds type=int
 successThreshold type=int
 tcpSocket type=TCPSocketAction
 terminationGracePeriodSeconds type=int
 timeoutSeconds type=int
ProjectedVolumeSource
 defaultMode type=int
 sources type=[]VolumeProjection
QuobyteVolumeSource
 group type=text
 readOnly type=bool
 registry type=text
 tenant type=text
 user type=text
 volume type=text
RBDPersistentVolumeSource
 fsType type=text
 image type=text
 keyring type=text
 monitors type=[]text
 pool type=text
 readOnly type=bool
 secretRef type=SecretReference
 user type=text
RBDVolumeSource
 fsType type=text
 image type=text
 keyring type=text
 monitors type=[]text
 pool type=text
 readOnly type=bool
 secretRef type=LocalObjectReference
 user type=text
ResourceClaim
 name type=text
 request type=text
ResourceFieldSelector
 containerName type=text
 divisor type=quantity
 resource type=text
ResourceRequirements
 claims type=[]ResourceClaim
 limits type={}quantity
 requests type={}quantity
RollingUpdateDaemonSet
 maxSurge type=int-or-text
 maxUnavailable type=int-or-text
RollingUpdateDeployment
 maxSurge type=int-or-text
 maxUnavailable type=int-or-text
RollingUpdateStatefulSetStrategy
 maxUnavailable type=int-or-text
 partition type=int
SELinuxOptions
 level type=text
 role type=text
 type type=text
 user type=text
ScaleIOPersistentVolumeSource
 fsType type=text
 gateway type=text
 protectionDomain type=text
 readOnly type=bool
 secretRef type=SecretReference
 sslEnabled type=bool
 storageMode type=text
 storagePool type=text
 system type=text
 volumeName type=text
ScaleIOVolumeSource
 fsType type=text
 gateway type=text
 protectionDomain type=text
 readOnly type=bool
 secretRef type=LocalObjectReference
 sslEnabled type=bool
 storageMode type=text
 storagePool type=text
 system type=text
 volumeName type=text
SeccompProfile
 localhostProfile type=text
 type type=text
SecretEnvSource
 name type=text
 optional type=bool
SecretKeySelector
 key type=text
 name type=text
 optional type=bool
SecretProjection
 items type=[]KeyToPath
 name type=text
 optional type=bool
SecretReference
 name type=text
 namespace type=text
SecretVolumeSource
 defaultMode type=int
 items type=[]KeyToPath
 optional type=bool
 secretName type=text
SecurityContext
 allowPrivilegeEscalation type=bool
 appArmorProfile type=AppArmorProfile
 capabilities type=Capabilities
 privileged type=bool
 procMount type=text
 readOnlyRootFilesystem type=bool
 runAsGroup type=int
 runAsNonRoot type=bool
 runAsUser type=int
 seLinuxOptions type=SELinuxOptions
 seccompProfile type=SeccompProfile
 windowsOptions type=WindowsSecurityContextOptions
ServiceAccountTokenProjection
 audience type=text
 expirationSeconds type=int
 path type=text
ServicePort
 appProtocol type=text
 name type=text
 nodePort type=int
 port type=int
 protocol type=text
 targetPort type=int-or-text
ServiceSpec
 allocateLoadBalancerNodePorts type=bool
 clusterIP type=text
 clusterIPs type=[]text
 externalIPs type=[]text
 externalName type=text
 externalTrafficPolicy type=text
 healthCheckNodePort type=int
 internalTrafficPolicy type=text
 ipFamilies type=[]text
 ipFamilyPolicy type=text
 loadBalancerClass type=text
 loadBalancerIP type=text
 loadBalancerSourceRanges type=[]text
 ports type=[]ServicePort
 publishNotReadyAddresses type=bool
 selector type={}text
 sessionAffinity type=text
 sessionAffinityConfig type=SessionAffinityConfig
 trafficDistribution type=text
 type type=text
SessionAffinityConfig
 clientIP type=ClientIPConfig
SleepAction
 seconds type=int
StatefulSetOrdinals
 start type=int
StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted type=text
 whenScaled type=text
StatefulSetSpec
 minReadySeconds type=int
 ordinals type=StatefulSetOrdinals
 persistentVolumeClaimRetentionPolicy type=StatefulSetPersistentVolumeClaimRetentionPolicy
 podManagementPolicy type=text
 replicas type=int
 revisionHistoryLimit type=int
 selector type=LabelSelector
 serviceName type=text
 template type=PodTemplateSpec
 updateStrategy type=StatefulSetUpdateStrategy
 volumeClaimTemplates type=[]PersistentVolumeClaim
StatefulSetUpdateStrategy
 rollingUpdate type=RollingUpdateStatefulSetStrategy
 type type=text
StorageOSPersistentVolumeSource
 fsType type=text
 readOnly type=bool
 secretRef type=ObjectReference
 volumeName type=text
 volumeNamespace type=text
StorageOSVolumeSource
 fsType type=text
 readOnly type=bool
 secretRef type=LocalObjectReference
 volumeName type=text
 volumeNamespace type=text
SuccessPolicy
 rules type=[]SuccessPolicyRule
SuccessPolicyRule
 succeededCount type=int
 succeededIndexes type=text
Sysctl
 name type=text
 value type=text
TCPSocketAction
 host type=text
 port type=int-or-text
Toleration
 effect type=text
 key type=text
 operator type=text
 tolerationSeconds type=int
 value type=text
TopologySelectorLabelRequirement
 key type=text
 values type=[]text
TopologySelectorTerm
 matchLabelExpressions type=[]TopologySelectorLabelRequirement
TopologySpreadConstraint
 labelSelector type=LabelSelector
 matchLabelKeys type=[]text
 maxSkew type=int
 minDomains type=int
 nodeAffinityPolicy type=text
 nodeTaintsPolicy type=text
 topologyKey type=text
 whenUnsatisfiable type=text
TypedLocalObjectReference
 apiGroup type=text
 kind type=text
 name type=text
TypedObjectReference
 apiGroup type=text
 kind type=text
 name type=text
 namespace type=text
Volume
 awsElasticBlockStore type=AWSElasticBlockStoreVolumeSource
 azureDisk type=AzureDiskVolumeSource
 azureFile type=AzureFileVolumeSource
 cephfs type=CephFSVolumeSource
 cinder type=CinderVolumeSource
 configMap type=ConfigMapVolumeSource
 csi type=CSIVolumeSource
 downwardAPI type=DownwardAPIVolumeSource
 emptyDir type=EmptyDirVolumeSource
 ephemeral type=EphemeralVolumeSource
 fc type=FCVolumeSource
 flexVolume type=FlexVolumeSource
 flocker type=FlockerVolumeSource
 gcePersistentDisk type=GCEPersistentDiskVolumeSource
 gitRepo type=GitRepoVolumeSource
 glusterfs type=GlusterfsVolumeSource
 hostPath type=HostPathVolumeSource
 image type=ImageVolumeSource
 iscsi type=ISCSIVolumeSource
 name type=text
 nfs type=NFSVolumeSource
 persistentVolumeClaim type=PersistentVolumeClaimVolumeSource
 photonPersistentDisk type=PhotonPersistentDiskVolumeSource
 portworxVolume type=PortworxVolumeSource
 projected type=ProjectedVolumeSource
 quobyte type=QuobyteVolumeSource
 rbd type=RBDVolumeSource
 scaleIO type=ScaleIOVolumeSource
 secret type=SecretVolumeSource
 storageos type=StorageOSVolumeSource
 vsphereVolume type=VsphereVirtualDiskVolumeSource
VolumeDevice
 devicePath type=text
 name type=text
VolumeMount
 mountPath type=text
 mountPropagation type=text
 name type=text
 readOnly type=bool
 recursiveReadOnly type=text
 subPath type=text
 subPathExpr type=text
VolumeNodeAffinity
 required type=NodeSelector
VolumeProjection
 clusterTrustBundle type=ClusterTrustBundleProjection
 configMap type=ConfigMapProjection
 downwardAPI type=DownwardAPIProjection
 podCertificate type=PodCertificateProjection
 secret type=SecretProjection
 serviceAccountToken type=ServiceAccountTokenProjection
VolumeResourceRequirements
 limits type={}quantity
 requests type={}quantity
VsphereVirtualDiskVolumeSource
 fsType type=text
 storagePolicyID type=text
 storagePolicyName type=text
 volumePath type=text
WeightedPodAffinityTerm
 podAffinityTerm type=PodAffinityTerm
 weight type=int
WindowsSecurityContextOptions
 gmsaCredentialSpec type=text
 gmsaCredentialSpecName type=text
 hostProcess type=bool
 runAsUserName type=text
"""

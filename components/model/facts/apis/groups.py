"""Every kind that the pinned releases of Kubernetes and of the controllers serve.

Written by `python -m toolchain.apis`; each line has a group, a kind, and the versions, the best first.
"""

from typing import Final

CORE: Final = "core"
"""Stands for the group without a name."""
TEXT: Final = """\
core Binding v1
core ConfigMap v1
core Endpoints v1
core Event v1
core LimitRange v1
core Namespace v1
core Node v1
core PersistentVolume v1
core PersistentVolumeClaim v1
core Pod v1
core PodTemplate v1
core ReplicationController v1
core ResourceQuota v1
core Secret v1
core Service v1
core ServiceAccount v1
admissionregistration.k8s.io MutatingAdmissionPolicy v1 v1beta1 v1alpha1
admissionregistration.k8s.io MutatingAdmissionPolicyBinding v1 v1beta1 v1alpha1
admissionregistration.k8s.io MutatingWebhookConfiguration v1
admissionregistration.k8s.io ValidatingAdmissionPolicy v1
admissionregistration.k8s.io ValidatingAdmissionPolicyBinding v1
admissionregistration.k8s.io ValidatingWebhookConfiguration v1
apiextensions.k8s.io CustomResourceDefinition v1
apiregistration.k8s.io APIService v1
apps ControllerRevision v1
apps DaemonSet v1
apps Deployment v1
apps ReplicaSet v1
apps StatefulSet v1
authentication.k8s.io SelfSubjectReview v1
authentication.k8s.io TokenRequest v1
authentication.k8s.io TokenReview v1
authorization.k8s.io LocalSubjectAccessReview v1
authorization.k8s.io SelfSubjectAccessReview v1
authorization.k8s.io SelfSubjectRulesReview v1
authorization.k8s.io SubjectAccessReview v1
autoscaling HorizontalPodAutoscaler v2 v1
batch CronJob v1
batch Job v1
certificates.k8s.io CertificateSigningRequest v1
certificates.k8s.io ClusterTrustBundle v1beta1 v1alpha1
certificates.k8s.io PodCertificateRequest v1beta1
coordination.k8s.io Lease v1
coordination.k8s.io LeaseCandidate v1beta1 v1alpha2
disaggregatedset.x-k8s.io DisaggregatedSet v1
discovery.k8s.io EndpointSlice v1
events.k8s.io Event v1
flowcontrol.apiserver.k8s.io FlowSchema v1
flowcontrol.apiserver.k8s.io PriorityLevelConfiguration v1
internal.apiserver.k8s.io StorageVersion v1alpha1
jobset.x-k8s.io JobSet v1alpha2
kueue.x-k8s.io AdmissionCheck v1beta2 v1beta1
kueue.x-k8s.io ClusterQueue v1beta2 v1beta1
kueue.x-k8s.io Cohort v1beta2 v1beta1
kueue.x-k8s.io LocalQueue v1beta2 v1beta1
kueue.x-k8s.io MultiKueueCluster v1beta2 v1beta1
kueue.x-k8s.io MultiKueueConfig v1beta2 v1beta1
kueue.x-k8s.io ProvisioningRequestConfig v1beta2 v1beta1
kueue.x-k8s.io ResourceFlavor v1beta2 v1beta1
kueue.x-k8s.io Topology v1beta2 v1beta1
kueue.x-k8s.io Workload v1beta2 v1beta1
kueue.x-k8s.io WorkloadPriorityClass v1beta2 v1beta1
leaderworkerset.x-k8s.io LeaderWorkerSet v1
networking.k8s.io IPAddress v1 v1beta1
networking.k8s.io Ingress v1
networking.k8s.io IngressClass v1
networking.k8s.io NetworkPolicy v1
networking.k8s.io ServiceCIDR v1 v1beta1
node.k8s.io RuntimeClass v1
policy Eviction v1
policy PodDisruptionBudget v1
ray.io RayCluster v1 v1alpha1
ray.io RayCronJob v1
ray.io RayJob v1 v1alpha1
ray.io RayService v1 v1alpha1
rbac.authorization.k8s.io ClusterRole v1
rbac.authorization.k8s.io ClusterRoleBinding v1
rbac.authorization.k8s.io Role v1
rbac.authorization.k8s.io RoleBinding v1
resource.k8s.io DeviceClass v1 v1beta2 v1beta1
resource.k8s.io DeviceTaintRule v1beta2 v1alpha3
resource.k8s.io ResourceClaim v1 v1beta2 v1beta1
resource.k8s.io ResourceClaimTemplate v1 v1beta2 v1beta1
resource.k8s.io ResourcePoolStatusRequest v1alpha3
resource.k8s.io ResourceSlice v1 v1beta2 v1beta1
scheduling.k8s.io PodGroup v1alpha2
scheduling.k8s.io PriorityClass v1
scheduling.k8s.io Workload v1alpha2
storage.k8s.io CSIDriver v1
storage.k8s.io CSINode v1
storage.k8s.io CSIStorageCapacity v1
storage.k8s.io StorageClass v1
storage.k8s.io VolumeAttachment v1
storage.k8s.io VolumeAttributesClass v1 v1beta1
storagemigration.k8s.io StorageVersionMigration v1beta1
"""

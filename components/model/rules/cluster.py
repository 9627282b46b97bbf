"""Rules about the cluster: its control plane, its GKE version, the releases of its controllers.

Each feature in use has a first GKE version, and the cluster's minimum version must not be older.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import checkpointing, compute_classes, floors, gcs_fuse, gke, kinds, lustre, tpu, versions
from components.model.facts.apis.fields import minor
from components.model.findings import Finding, Severity, about_key
from components.model.plan.pods import BucketMountPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS


@rule(
    summary="the control plane's range is a /28, and stated for private nodes only",
    why="The API refuses every other size, and public nodes reach the control plane by its public address.",
    source="GKE API, PrivateClusterConfig.masterIpv4CidrBlock",
    kinds=(kinds.CLUSTER,),
)
def _control_plane_range(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if cluster.control_plane_cidr is None:
        return
    place = cluster.place.at("control_plane_cidr")
    if not cluster.private_nodes:
        yield about_key(
            place=place,
            says=f"it has no effect where {cluster.place.display_name('private_nodes')} is false.",
            remedy=f"Remove it, or set {cluster.place.display_name('private_nodes')}: true.",
        )
    elif IPv4Network(cluster.control_plane_cidr).prefixlen != gke.CONTROL_PLANE_PREFIX:
        address = cluster.control_plane_cidr.partition("/")[0]
        yield Finding(
            place=place,
            says=f"{cluster.control_plane_cidr} is not a /{gke.CONTROL_PLANE_PREFIX}, as a control plane takes.",
            remedy=f"Such as {address}/{gke.CONTROL_PLANE_PREFIX}.",
        )


@rule(
    summary="controllers are of a release that is supported",
    why="Another release may not understand what is written here, or understand it differently.",
    source="components/model/facts/versions.py",
    also_warns=True,
    kinds=(kinds.RELEASE,),
)
def _controller_release(plan: Plan) -> Iterator[Finding]:
    for controller, release in ((versions.JOBSET, plan.controllers.jobset), (versions.KUEUE, plan.controllers.kueue)):
        if release is None:
            continue
        number = versions.parse_release(release.version)
        minimum = controller.minimum_version
        is_too_old = minimum is not None and number < versions.parse_release(minimum)
        if is_too_old:
            says, severity = f"{release.version} is too old: {controller.why_minimum}.", Severity.ERROR
        elif not controller.supports(release.version):
            supported = f"{controller.oldest} to {minor(controller.version)}"
            says, severity = f"{release.version} is not one of the supported releases, {supported}.", Severity.WARNING
        else:
            continue
        yield Finding(
            place=release.place.at("version"),
            says=says,
            remedy=f"Use {controller.version}, which is tested.",
            severity=severity,
        )


class _Floor(NamedTuple):
    """Something in use, and the first version that has it."""

    what: str
    version: str


def _of_generations(plan: Plan) -> Iterator[_Floor]:
    machine_types = {pool.machine_type for pool in plan.slice_pools} | {flavor.machine_type for flavor in plan.flavors}
    for machine_type in sorted(filter(tpu.is_tpu_machine, machine_types)):
        generation = tpu.generation_of(machine_type)
        if generation.autopilot_minimum_version is not None and plan.cluster.mode == "autopilot":
            yield _Floor(f"{generation.marketing} on Autopilot", generation.autopilot_minimum_version)
        elif generation.minimum_version is not None:
            yield _Floor(generation.marketing, generation.minimum_version)


def _of_features(plan: Plan) -> Iterator[_Floor]:
    capacities = {pool.capacity for pool in plan.slice_pools} | {flavor.capacity for flavor in plan.flavors}
    if "flex-start" in capacities:
        yield _Floor("flex-start TPUs", floors.FLEX_START_TPU)
    if any(pool.flex_start is not None for pool in plan.node_pools):
        yield _Floor("flex-start GPUs", floors.FLEX_START_GPU)
    if any(pool.is_queued for pool in (*plan.slice_pools, *plan.node_pools)):
        yield _Floor("queued provisioning", floors.QUEUED_PROVISIONING)
    if any(work.slices > 1 for work in plan.tpu_runs):
        is_autopilot = plan.cluster.mode == "autopilot"
        yield (
            _Floor("multislice on Autopilot", floors.MULTISLICE_AUTOPILOT)
            if is_autopilot
            else _Floor("multislice", floors.MULTISLICE_STANDARD)
        )
    if plan.cluster.mode == "standard" and any(not work.is_privileged for work in plan.tpu_runs):
        yield _Floor("TPUs in containers that are not privileged", floors.UNPRIVILEGED_TPU)
    yield from _of_addons(plan)
    yield from _of_classes(plan)
    yield from _of_buckets(plan)


def _of_addons(plan: Plan) -> Iterator[_Floor]:
    if any(each.claims for each in plan.lustre):
        yield _Floor("Managed Lustre at its usual port", lustre.FLOOR)
    if plan.cluster.checkpoints is not None:
        yield _Floor("multi-tier checkpointing", checkpointing.FLOOR)
    if plan.cluster.has_ray_operator:
        yield _Floor("the Ray operator", floors.RAY_OPERATOR)
    if plan.cluster.has_secret_manager:
        yield _Floor("the Secret Manager add-on", floors.ADDON_FOR_SECRETS)


def _of_classes(plan: Plan) -> Iterator[_Floor]:
    made = [priority for each in plan.compute_classes for priority in each.made]
    if plan.compute_classes:
        yield _Floor("ComputeClasses", compute_classes.FLOOR)
    if any(priority.topology is not None for priority in made):
        yield _Floor("TPUs in ComputeClasses", compute_classes.TPU_FLOOR)
    if any(priority.reservation is not None for priority in made):
        yield _Floor("reservations in ComputeClasses", compute_classes.RESERVATION_FLOOR)
    is_flex_start = {priority.topology is not None for priority in made if priority.capacity == "flex-start"}
    if True in is_flex_start:
        yield _Floor("flex-start TPUs", floors.FLEX_START_TPU)
    if False in is_flex_start:
        yield _Floor("flex-start GPUs", floors.FLEX_START_GPU)


def _of_buckets(plan: Plan) -> Iterator[_Floor]:
    pods = [group.pod for group in plan.pod_groups]
    mounts = [mount for pod in pods for mount in pod.all_mounts if isinstance(mount, BucketMountPlan)]
    if any(mount.acts_as_pod for mount in mounts):
        yield _Floor("buckets in pods on their host's network", gcs_fuse.HOST_NETWORK_FLOOR)
    if any(mount.profile is not None for mount in mounts):
        yield _Floor("all options of the profiles of buckets", gcs_fuse.PROFILE_FLOOR)
    if any(mount.is_parallel for mount in mounts):
        yield _Floor("parallel downloads from buckets", gcs_fuse.PARALLEL_FLOOR)


@rule(
    summary="a stated minimum version has all that is in use",
    why="On an older control plane the API does not know the machine type or the setting.",
    source="components/model/facts/floors.py and tpu_catalogue.py",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _version_floor(plan: Plan) -> Iterator[Finding]:
    stated = plan.cluster.minimum_version
    if stated is None:
        return
    missed = [
        floor
        for floor in (*_of_generations(plan), *_of_features(plan))
        if not gke.can_be_at_least(stated, floor.version)
    ]
    for floor in missed:
        yield Finding(
            place=plan.cluster.place.at("minimum_version"),
            says=f"{stated} is older than the first version with {floor.what}.",
            remedy=f"Set {floor.version} or newer, or leave the version to the release channel.",
        )


@rule(
    summary="Autopilot clusters with TPUs are of the version that is advised for them",
    why="Older versions are known to have run TPUs on Autopilot, but are no longer what Google documents.",
    source='GKE documentation "Deploy TPU workloads on GKE Autopilot", read 2026-11',
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.CLUSTER,),
)
def _autopilot_tpu_version(plan: Plan) -> Iterator[Finding]:
    stated, advised = plan.cluster.minimum_version, floors.AUTOPILOT_TPU_ADVISED
    if stated is None or plan.cluster.mode != "autopilot" or gke.can_be_at_least(stated, advised):
        return
    if any(tpu.is_tpu_machine(flavor.machine_type) for flavor in plan.flavors):
        yield Finding(
            place=plan.cluster.place.at("minimum_version"),
            says=f"{stated} is older than the version that is advised for TPUs on Autopilot.",
            remedy=f"Set {advised} or newer.",
        )

"""The plan of the declared runs, of what happens when a part of one fails, and of the Redis beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypedDict, TypeVar

from msgspec import Struct, structs

from components.model import config, names
from components.model.facts import failures, gke, pathways, quantities
from components.model.plan.workloads import (
    BatchJobPlan,
    DependencyPlan,
    FailureRulePlan,
    JobSetPlan,
    ManifestPlan,
    MaxTextPlan,
    PodFailurePlan,
    Problem,
    RedisAddressPlan,
    RedisPlan,
    ReplicatedJobPlan,
    SuccessPlan,
    TpuJobPlan,
    WorkloadPlan,
)
from components.model.planning.pods import claim_mount, command, container_place, pod_plan
from components.model.planning.queueing import amounts
from components.model.planning.sections import plan_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Place
    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.nodes import ComputeClassPlan
    from components.model.plan.pods import PodPlan
    from components.model.plan.queues import FlavorPlan
    from components.model.plan.workloads import ManifestObject

    Amounts = Mapping[str, quantities.Quantity]


_Item = TypeVar("_Item")
_SURVIVES: Final = "maintenance"
"""Name of the failure rule that `maintenance` makes."""


def failure_policy(workload: config.JobSet) -> config.FailurePolicy:
    """The policy as the workload states it, by one key or by two."""
    if workload.failure_policy is not None:
        return workload.failure_policy
    return config.FailurePolicy(
        max_restarts=workload.max_restarts,
        restart_strategy=workload.restart_strategy,
    )


def failure_rules(
    workload: config.JobSet, rules: Sequence[config.FailureRule], workload_at: Place
) -> tuple[FailureRulePlan, ...]:
    """The rules of a JobSet in their order, that of `maintenance` first."""
    place = workload_at.at("failure_policy", "rules")
    survives = FailureRulePlan(
        place=workload_at.at("maintenance"),
        name=_SURVIVES,
        action=failures.RESTART_AND_IGNORE,
        conditions=(failures.DISRUPTION,),
    )
    stated = tuple(
        FailureRulePlan(
            place=place.at(index),
            name=failures.rule_name(index) if rule.name is None else rule.name,
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes),
            conditions=listed(rule.on_pod_conditions),
            reasons=listed(rule.on_reasons),
            messages=listed(rule.on_messages),
            replicated_jobs=listed(rule.replicated_jobs),
        )
        for index, rule in enumerate(rules)
    )
    return stated if workload.maintenance is None else (survives, *stated)


def pod_failure_rules(
    rules: Sequence[config.PodFailureRule], workload_at: Place, survival: config.Survival | None = None
) -> tuple[PodFailurePlan, ...]:
    """The rules of a Job in their order, that of `maintenance` first."""
    place = workload_at.at("pod_failure_policy")
    survives = PodFailurePlan(
        place=workload_at.at("maintenance"), action=failures.IGNORE, conditions=(failures.DISRUPTION,)
    )
    stated = tuple(
        PodFailurePlan(
            place=place.at(index),
            action=rule.action,
            exit_codes=_codes(rule.on_exit_codes if rule.except_exit_codes is None else rule.except_exit_codes),
            is_other_code=rule.except_exit_codes is not None,
            conditions=listed(rule.on_pod_conditions),
        )
        for index, rule in enumerate(rules)
    )
    return stated if survival is None else (survives, *stated)


def with_grace(pod: PodPlan, survival: config.Survival | None) -> PodPlan:
    """The pods with the time that a checkpoint takes, unless another one is stated."""
    if survival is None or pod.grace_seconds is not None or survival.checkpoint_seconds <= failures.GRACE_SECONDS:
        return pod
    return structs.replace(pod, grace_seconds=survival.checkpoint_seconds)


def success_policy(policy: config.SuccessPolicy | None, place: Place) -> SuccessPlan | None:
    """When the JobSet has succeeded; None where all of its Jobs decide."""
    if policy is None:
        return None
    return SuccessPlan(place=place, operator=policy.operator, replicated_jobs=listed(policy.replicated_jobs))


def listed(stated: tuple[_Item, ...] | None) -> tuple[_Item, ...]:
    """The items of a list that may be left out."""
    return () if stated is None else stated


def _codes(stated: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(sorted(listed(stated)))


_MULTISLICE_PORTS: Final = (gke.PORT_TPU_RUNTIME, gke.PORT_MULTISLICE)
_SLICE_PORTS: Final = (gke.PORT_TPU_RUNTIME, gke.PORT_TPU_METRICS)


class ReadObjects(Protocol):
    """Reads the objects of a file of the user."""

    def __call__(self, file: str, values: Mapping[str, str], /) -> tuple[ManifestObject, ...] | Problem:
        """The objects, with values in the place of `${...}`; or why there are none."""
        ...


def without_files(file: str, _values: Mapping[str, str]) -> Problem:
    """Reads no file, where a plan is made of something else than a stack file in a folder."""
    return Problem(says=f"{file} cannot be read here.", remedy="Declare it in a stack file.")


class Others(Struct, frozen=True, kw_only=True):
    """Parts of the plan that workloads refer to by name."""

    flavors: Mapping[str, FlavorPlan]
    classes: Mapping[str, ComputeClassPlan]
    redises: Mapping[tuple[str, str], config.Redis]
    """By namespace and name."""
    project: str
    read_objects: ReadObjects


def redises(workloads: Sequence[config.Workload]) -> dict[tuple[str, str], config.Redis]:
    """The Redis servers by namespace and name."""
    return {(work.namespace, work.name): work for work in workloads if isinstance(work, config.Redis)}


def workload_plan(workload: config.Workload, others: Others, cluster: ClusterPlan, place: Place) -> WorkloadPlan:
    """The workload; its numbers are 0 where its flavor does not exist."""
    match workload:
        case config.JobSet():
            return _jobset(workload, others, cluster, place)
        case config.TpuJob():
            return _tpu_job(workload, others, place)
        case config.BatchJob():
            return _batch_job(workload, others.redises, place)
        case config.Redis():
            return _redis(workload, place)
        case config.Manifest():
            return _manifest(workload, others, place)


def _is_on_host_network(workload: config.JobSet, cluster: ClusterPlan) -> bool:
    """Slices talk to each other over the data centre network, where the host's network is the faster way.

    Source: GKE documentation "TPU multislice", whose JobSets have hostNetwork on Standard and not on Autopilot, read
    2026-11.
    """
    if workload.host_network is not None:
        return workload.host_network
    return cluster.mode == "standard" and workload.slices > 1


class Slices(TypedDict):
    """The fields of a run on slices that follow from its flavor."""

    flavors: tuple[str, ...]
    slices: int
    hosts: int
    chips_per_host: int
    chips: int
    node_selector: Mapping[str, str]
    node_seconds: int | None


def _slices(names_of: Sequence[str], slices: int, flavor_of: Mapping[str, FlavorPlan]) -> Slices:
    """Slices of the first flavor; where there are several, all have its shape and Kueue selects the nodes."""
    flavor = flavor_of.get(next(iter(names_of), ""))
    hosts = 0 if flavor is None else flavor.hosts
    chips = 0 if flavor is None else flavor.chips_per_slice
    lives = [flavor_of[name].run_seconds for name in names_of if name in flavor_of]
    return {
        "flavors": tuple(names_of),
        "slices": slices,
        "hosts": hosts,
        "chips_per_host": 0 if flavor is None else flavor.chips_per_host,
        "chips": chips * slices,
        "node_selector": {} if flavor is None or len(names_of) > 1 else flavor.labels,
        "node_seconds": min((seconds for seconds in lives if seconds is not None), default=None),
    }


def _wanted(workload: config.JobSet, flavor_of: Mapping[str, FlavorPlan]) -> Slices:
    """The slices of a run that names one flavor or several."""
    single = () if workload.flavor is None else (workload.flavor,)
    return _slices(single if workload.flavors is None else workload.flavors, workload.slices, flavor_of)


def _of_class(name: str, slices: int, classes: Mapping[str, ComputeClassPlan]) -> Slices:
    """Slices of a class, shaped as the first kind that it brings; GKE selects the nodes."""
    found = classes.get(name)
    first = None if found is None else found.slice
    hosts = 0 if first is None else first.hosts
    chips = 0 if first is None else first.chips_per_host
    return {
        "flavors": (),
        "slices": slices,
        "hosts": hosts,
        "chips_per_host": chips,
        "chips": slices * hosts * chips,
        "node_selector": {gke.LABEL_COMPUTE_CLASS: name},
        "node_seconds": None,
    }


def _jobset(workload: config.JobSet, others: Others, cluster: ClusterPlan, place: Place) -> JobSetPlan:
    shape = (
        _wanted(workload, others.flavors)
        if workload.compute_class is None
        else _of_class(workload.compute_class, workload.slices, others.classes)
    )
    policy, own = failure_policy(workload), container_place(place, workload.script)
    if workload.failure_policy is not None:
        own = own.with_key_names(**{**dict(own.aliases), "max_restarts": ("failure_policy", "max_restarts")})
    return plan_from(
        JobSetPlan,
        workload,
        policy,
        place=own,
        command=command(workload.script, workload.command)
        if workload.maxtext is None
        else _maxtext_command(workload.maxtext),
        args=None,
        pod=with_grace(pod_plan(workload, container_place(place, workload.script)), workload.maintenance),
        **shape,
        lists_flavors=workload.flavors is not None,
        exclusive_topology=gke.LABEL_NODE_POOL if shape["hosts"] > 1 else None,
        maxtext=None
        if workload.maxtext is None
        else plan_from(MaxTextPlan, workload.maxtext, place=place.at("maxtext")),
        ports=_MULTISLICE_PORTS,
        failure_rules=failure_rules(workload, policy.rules, place),
        success=success_policy(workload.success_policy, place.at("success_policy")),
        depends_on=_dependencies(workload.depends_on, place),
        replicated_jobs=_replicated_jobs(workload, place),
        checkpoint_seconds=None if workload.maintenance is None else workload.maintenance.checkpoint_seconds,
        is_on_host_network=_is_on_host_network(workload, cluster),
        is_privileged=workload.privileged,
    )


def _replicated_jobs(workload: config.JobSet, place: Place) -> tuple[ReplicatedJobPlan, ...]:
    """The replicated jobs of the workload at the place, without its slices."""
    return tuple(
        _replicated_job(workload, each, place.at("replicated_jobs", index))
        for index, each in enumerate(workload.replicated_jobs)
    )


def _replicated_job(workload: config.JobSet, job: config.ReplicatedJob, place: Place) -> ReplicatedJobPlan:
    own = container_place(place, job.script)
    return plan_from(
        ReplicatedJobPlan,
        workload,
        job,
        place=own,
        command=command(job.script, job.command),
        pod=pod_plan(job, own),
        pods=job.replicas * job.pods,
        depends_on=_dependencies(job.depends_on, place),
        node_selector={},
    )


def _dependencies(waits: tuple[config.DependsOn, ...] | None, place: Place) -> tuple[DependencyPlan, ...]:
    """The replicated jobs that the one at the place waits for."""
    return tuple(
        plan_from(DependencyPlan, each, place=place.at("depends_on", index)) for index, each in enumerate(listed(waits))
    )


def _maxtext_command(maxtext: config.MaxText) -> tuple[str, ...]:
    """MaxText's trainer on made-up data, so that it needs no data set and leaves only its metrics."""
    return (
        "python3",
        "MaxText/train.py",
        "MaxText/configs/base.yml",
        "model_name=llama2-7b",
        f"run_name={maxtext.run_name}",
        f"steps={maxtext.steps}",
        f"base_output_directory=gs://{maxtext.bucket}",
        "dataset_path=gs://max-datasets-rogue",
        "max_target_length=4096",
        "dataset_type=synthetic",
        "enable_checkpointing=False",
    )


def _tpu_job(workload: config.TpuJob, others: Others, place: Place) -> TpuJobPlan:
    shape = (
        _slices(() if workload.flavor is None else (workload.flavor,), 1, others.flavors)
        if workload.compute_class is None
        else _of_class(workload.compute_class, 1, others.classes)
    )
    service = workload.name if workload.service is None else workload.service
    return plan_from(
        TpuJobPlan,
        workload,
        place=container_place(place, workload.script),
        command=command(workload.script, workload.command),
        pod=with_grace(pod_plan(workload, container_place(place, workload.script)), workload.maintenance),
        **shape,
        ports=_SLICE_PORTS if shape["hosts"] > 1 else (),
        is_privileged=workload.privileged,
        is_on_host_network=workload.host_network,
        service=service if shape["hosts"] > 1 else None,
        is_service_stated=workload.service is not None,
        pod_failures=pod_failure_rules(workload.pod_failure_policy, place, workload.maintenance),
        checkpoint_seconds=None if workload.maintenance is None else workload.maintenance.checkpoint_seconds,
    )


def _batch_job(
    workload: config.BatchJob, redis_of: Mapping[tuple[str, str], config.Redis], place: Place
) -> BatchJobPlan:
    gpu = workload.gpu
    gpus = {} if gpu is None else {gke.RESOURCE_GPU: quantities.whole(gpu.count)}
    return plan_from(
        BatchJobPlan,
        workload,
        place=container_place(place, workload.script),
        command=command(workload.script, workload.command),
        pod=pod_plan(workload, container_place(place, workload.script), gpus),
        gpu=None if gpu is None else gpu.type,
        node_selector=_selector_of(workload),
        redis=None
        if workload.redis is None
        else _address(workload.redis, redis_of.get((workload.namespace, workload.redis)), place.at("redis")),
        is_awaited=workload.awaited,
        pod_failures=pod_failure_rules(workload.pod_failure_policy, place),
    )


def _selector_of(workload: config.BatchJob) -> dict[str, str]:
    """The labels of its nodes; GKE refuses pods that select a GPU beside a class."""
    if workload.compute_class is not None:
        return {gke.LABEL_COMPUTE_CLASS: workload.compute_class}
    return {} if workload.gpu is None else {gke.LABEL_GPU_ACCELERATOR: workload.gpu.type}


def _address(name: str, redis: config.Redis | None, place: Place) -> RedisAddressPlan:
    return RedisAddressPlan(
        place=place,
        name=name,
        host="" if redis is None else redis.service,
        port=gke.PORT_REDIS,
        secret=names.redis_secret(name),
    )


def _redis(workload: config.Redis, place: Place) -> RedisPlan:
    return plan_from(
        RedisPlan,
        workload,
        place=place,
        secret=names.redis_secret(workload.name),
        port=gke.PORT_REDIS,
        requests=amounts(workload.resources),
        mounts=tuple(
            claim_mount(mount.claim, mount.path, place.at("mounts", index))
            for index, mount in enumerate(workload.mounts)
        ),
    )


def _manifest(workload: config.Manifest, others: Others, place: Place) -> ManifestPlan:
    found = others.read_objects(workload.file, _values(workload, others))
    return plan_from(
        ManifestPlan,
        workload,
        place=place,
        objects=found if isinstance(found, tuple) else (),
        problem=None if isinstance(found, tuple) else found,
    )


def _values(workload: config.Manifest, others: Others) -> dict[str, str]:
    """What `${...}` may stand for in the file of a manifest, by the words in the braces."""
    own = {
        "name": workload.name,
        "namespace": workload.namespace,
        "queue": workload.queue,
        "priority": workload.priority,
        "project": others.project,
    }
    return {
        **{key: value for key, value in own.items() if value is not None},
        **{f"values.{key}": value for key, value in workload.values.items()},
        **dict(_of_flavor(None if workload.flavor is None else others.flavors.get(workload.flavor))),
    }


def _of_flavor(flavor: FlavorPlan | None) -> Iterator[tuple[str, str]]:
    """What a file may say of the slices of a flavor; nothing where there is none."""
    if flavor is None:
        return
    numbers = {"hosts": flavor.hosts, "chips_per_host": flavor.chips_per_host}
    texts = {
        "machine_type": flavor.machine_type,
        "topology": flavor.topology,
        "accelerator": flavor.labels.get(gke.LABEL_TPU_ACCELERATOR, ""),
        "pathways_type": pathways.instance_type(flavor.machine_type, flavor.topology),
    }
    for key, value in {**texts, **numbers}.items():
        if value:
            yield f"flavor.{key}", str(value)

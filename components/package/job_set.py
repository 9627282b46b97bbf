"""JobSet of the package: a multislice workload that is submitted to a queue."""

from typing import Any, Final

import pulumi

from components.model.facts.gke import DEFAULT_NAMESPACE
from components.model.places import Key
from components.model.plan.workloads import JobSetPlan
from components.package.access import given_cluster, inside
from components.package.planning import NAME, Moves, Part, planned
from components.package.queues import SLICES, document_of
from components.workloads import Workloads

_NO_KEYS: Final = ("cluster", "ledger")
"""Inputs that are not keys of a workload."""


class JobSet(pulumi.ComponentResource):
    """A workload on whole TPU slices: one Job for each slice, one pod for each host, all started at once.

    It runs to completion. A changed declaration is another workload, and replaces the previous one.
    """

    job_set: str
    """Name of the JobSet, as namespace/name."""
    local_queue: str
    """The LocalQueue that it is submitted to, as namespace/name."""
    chips: int
    """Chips that it needs, all at once."""
    hosts: int
    """Hosts of each slice."""
    node_selector: dict[str, str]
    """The node selector of its pods; empty when Kueue picks the flavor."""

    def __init__(self, name: str, args: dict[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        """Submits the workload.

        Raises:
            RefusedError: the inputs break a rule; nothing is declared.
        """
        plan = planned(name, _part(name, args))
        super().__init__(f"{NAME}:index:JobSet", name, None, opts)
        cluster, within = given_cluster(plan, opts), inside(name, plan, self, opts)
        Workloads(name, plan.workloads, cluster=cluster, after=[], opts=within)
        run = plan.workloads[0]
        if not isinstance(run, JobSetPlan):
            raise TypeError(f"a workload of kind jobset became {type(run).__name__}")
        self.job_set = f"{run.namespace}/{run.name}"
        self.local_queue = f"{run.namespace}/{run.queue}"
        self.chips = run.chips
        self.hosts = run.hosts
        self.node_selector = dict(run.node_selector)
        self.register_outputs({})


def _part(name: str, args: dict[str, Any]) -> Part:
    run: dict[str, Any] = {"name": name, "kind": "jobset"}
    run |= _in_stack_file({key: value for key, value in args.items() if key not in _NO_KEYS})
    account = {"name": run.get("service_account"), "namespace": run.get("namespace", DEFAULT_NAMESPACE)}
    accounts = [{**account, "existing": True}] if "service_account" in run else []
    ledger, buckets = args["ledger"], _mounted_buckets(run)
    moves: Moves = {
        **{(key,): ("ledger", key) for key in document_of(ledger)},
        **{("buckets", index, "name"): path for index, path in enumerate(buckets.values())},
    }
    return Part(
        document={
            **document_of(ledger),
            "workloads": [run],
            "service_accounts": accounts,
            "buckets": [{"name": each} for each in buckets],
        },
        cluster=args["cluster"],
        has_other_slices="slices" not in ledger,
        moves={**moves, (SLICES,): ("ledger", "slices"), ("workloads", 0): (), ("workloads",): ()},
        reported_by_other_components=frozenset({"ledger", "cluster"}),
    )


def _in_stack_file(container: dict[str, Any]) -> dict[str, Any]:
    """A container as a stack file has it: a variable is text, or says where the value is."""
    written = dict(container)
    if "env" in written:
        written["env"] = {name: _variable(each) for name, each in written["env"].items()}
    if "sidecars" in written:
        written["sidecars"] = [_in_stack_file(each) for each in written["sidecars"]]
    return written


def _variable(given: dict[str, Any]) -> object:
    return given["value"] if given.keys() == {"value"} else given


def _mounted_buckets(container: dict[str, Any]) -> dict[str, tuple[Key, ...]]:
    """The buckets that a container and its sidecars mount, each with the path at which the first mount names it."""
    found: dict[str, tuple[Key, ...]] = {}
    for index, mount in enumerate(container.get("mounts", ())):
        if "bucket" in mount:
            found.setdefault(mount["bucket"], ("mounts", index, "bucket"))
    for index, sidecar in enumerate(container.get("sidecars", ())):
        for bucket, path in _mounted_buckets(sidecar).items():
            found.setdefault(bucket, ("sidecars", index, *path))
    return found

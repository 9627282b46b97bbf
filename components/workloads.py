"""Workloads, submitted in the order of the stack file, each after the one before it exists, or is complete if awaited.

A stack file may give up that order: then most are submitted side by side.

A run to completion cannot be changed: Kubernetes, JobSet and Kueue refuse it. What is declared differently is another
run, so the old one is deleted and a new one submitted under the same name. It has no time to live either: a run that
its cluster removes by itself would be run again by the next update.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import pulumi
import pulumi_random as random

from components.kubernetes_object import KubernetesObject
from components.manifests import redis
from components.manifests.job import batch_job, headless_service, tpu_job
from components.manifests.jobset import jobset
from components.manifests.manifest import is_run, manifest_objects
from components.manifests.namespace import secret
from components.model import names
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    ManifestPlan,
    RedisPlan,
    TpuJobPlan,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.workloads import WorkloadPlan
    from components.namespaces import Namespaces


class RedisQueue(pulumi.ComponentResource):
    """One server, its password and its address."""

    def __init__(
        self,
        name: str,
        plan: RedisPlan,
        *,
        cluster: AnyCluster,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the server, which comes after everything in `after`."""
        super().__init__("tpu-platform:redis_queue:RedisQueue", name, None, opts)
        password = random.RandomPassword(
            names.in_namespace(plan.namespace, plan.secret),
            length=32,
            special=False,
            opts=pulumi.ResourceOptions(parent=self),
        )
        password_secret = KubernetesObject(
            names.in_namespace(plan.namespace, plan.secret),
            {
                **secret(plan.secret, plan.namespace, [names.PASSWORD_KEY]),
                "data": {names.PASSWORD_KEY: password.result.apply(_encoded)},
            },
            pulumi.ResourceOptions.merge(
                cluster.inside(self, after=after), pulumi.ResourceOptions(additional_secret_outputs=["data"])
            ),
        )
        server = KubernetesObject(
            names.in_namespace(plan.namespace, plan.name),
            redis.stateful_set(plan),
            cluster.inside(self, after=[password_secret]),
        )
        # After the server: a Service counts as there when somebody answers behind it.
        KubernetesObject(
            names.in_namespace(plan.namespace, plan.service), redis.service(plan), cluster.inside(self, after=[server])
        )
        self.register_outputs({})


def _encoded(password: str) -> str:
    """A password as a Secret's `data` holds it, which is how the API server returns it too."""
    return base64.b64encode(password.encode()).decode()


_ANOTHER_RUN: Final = pulumi.ResourceOptions(
    replace_on_changes=["spec", "metadata.labels", "metadata.annotations"], delete_before_replace=True
)


def _is_needed_by_others(workload: WorkloadPlan) -> bool:
    return isinstance(workload, RedisPlan) or (isinstance(workload, BatchJobPlan) and workload.is_awaited)


class Workloads(pulumi.ComponentResource):
    """The declared workloads."""

    def __init__(
        self,
        name: str,
        plan: Sequence[WorkloadPlan],
        *,
        cluster: AnyCluster,
        namespaces: Namespaces | None = None,
        after: Sequence[pulumi.Resource],
        has_any_order: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the workloads; the first comes after everything in `after`, each after its namespace.

        With `has_any_order` others do not wait for a workload, unless it is the first, a Redis or awaited. Without
        `namespaces` they are there already.
        """
        super().__init__("tpu-platform:workloads:Workloads", name, None, opts)
        self._cluster = cluster
        for number, workload in enumerate(plan):
            within = [] if namespaces is None else namespaces.of(workload.namespace)
            made = self._declare(workload, [*after, *within])
            if number == 0 or not has_any_order or _is_needed_by_others(workload):
                after = made
        self.register_outputs({})

    def _declare(self, workload: WorkloadPlan, after: Sequence[pulumi.Resource]) -> Sequence[pulumi.Resource]:
        """The workload, as what the next one comes after."""
        match workload:
            case JobSetPlan():
                return [self._run(workload, jobset(workload), after)]
            case TpuJobPlan():
                return [self._run(workload, tpu_job(workload), self._names_of_hosts(workload, after))]
            case BatchJobPlan():
                return [self._run(workload, batch_job(workload), after)]
            case RedisPlan():
                redis_queue = RedisQueue(
                    names.in_namespace(workload.namespace, workload.name),
                    workload,
                    cluster=self._cluster,
                    after=after,
                    opts=pulumi.ResourceOptions(parent=self),
                )
                return [redis_queue]
            case ManifestPlan():
                return [self._object(document, after) for document in manifest_objects(workload)]

    def _names_of_hosts(self, workload: TpuJobPlan, after: Sequence[pulumi.Resource]) -> Sequence[pulumi.Resource]:
        """The resources before the Job: where it has several hosts, the Service by which they find each other."""
        if workload.service is None:
            return after
        name = names.in_namespace(workload.namespace, workload.service)
        service = headless_service(workload, workload.service)
        return [KubernetesObject(name, service, self._cluster.inside(self, after=after))]

    def _object(self, document: Mapping[str, Any], after: Sequence[pulumi.Resource]) -> KubernetesObject:
        """An object of a manifest; those of one file do not wait for each other."""
        metadata = document["metadata"]
        name = (
            names.in_namespace(metadata["namespace"], metadata["name"]) if "namespace" in metadata else metadata["name"]
        )
        options = self._cluster.inside(self, after=after)
        return KubernetesObject(
            name, document, pulumi.ResourceOptions.merge(options, _ANOTHER_RUN) if is_run(document) else options
        )

    def _run(
        self, workload: WorkloadPlan, document: Mapping[str, Any], after: Sequence[pulumi.Resource]
    ) -> KubernetesObject:
        return KubernetesObject(
            names.in_namespace(workload.namespace, workload.name),
            document,
            pulumi.ResourceOptions.merge(self._cluster.inside(self, after=after), _ANOTHER_RUN),
        )

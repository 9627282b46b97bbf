"""RedisQueue: a Redis that batch jobs take their work from, with a password that nobody has to know."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pulumi
import pulumi_random as random

from components.kubernetes_object import KubernetesObject
from components.manifests import redis
from components.manifests.namespace import secret
from components.model import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.given_cluster import AnyCluster
    from components.model.plan.workloads import RedisPlan


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

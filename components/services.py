"""Services: the Google APIs that everything else calls.

They stay on when the stack is destroyed: something else in the project may call them, and switching one off deletes its
resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.cloud import ServicePlan


class Services(pulumi.ComponentResource):
    """The APIs that are switched on."""

    def __init__(
        self, name: str, plan: Sequence[ServicePlan], *, project: str, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares that each API of the plan is on."""
        super().__init__("tpu-platform:services:Services", name, None, opts)
        for service in plan:
            gcp.projects.Service(
                service.name,
                project=project,
                service=service.host,
                disable_on_destroy=False,
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})

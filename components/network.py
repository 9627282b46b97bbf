"""Network: a VPC network with one subnetwork, and NAT for private nodes; or an existing network.

For an existing cluster it is the network that the cluster states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_gcp as gcp

from components.model import names
from components.model.facts import lustre
from components.model.plan.cloud import ClustersNetworkPlan, CreatedNetworkPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.cloud import ClusterPlan, NetworkPlan, PrivateServicesPlan


class Network(pulumi.ComponentResource):
    """The network of the cluster and its firewall rule."""

    network: pulumi.Input[str]
    """Name of the network."""
    subnetwork: pulumi.Input[str] | None
    """None leaves it to GKE."""
    ip_allocation: gcp.container.ClusterIpAllocationPolicyArgsDict
    """Where pods and services get their addresses; empty lets GKE make ranges."""
    path: pulumi.Output[str]
    """Full name of the network."""
    private_services: list[pulumi.Resource]
    """The way to Google's services without public addresses, where the stack makes it."""

    def __init__(
        self,
        name: str,
        plan: NetworkPlan,
        *,
        cluster: ClusterPlan,
        project: str,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Declares the network that the plan creates, after `after`, and nothing for one that exists."""
        super().__init__("tpu-platform:network:Network", name, None, opts)
        self._after = after
        self.private_services = []
        if isinstance(plan, CreatedNetworkPlan):
            self._create(plan)
        elif isinstance(plan, ClustersNetworkPlan):
            found = gcp.container.get_cluster_output(
                name=cluster.name,
                location=cluster.location,
                project=project,
                opts=pulumi.InvokeOutputOptions(parent=self),
            )
            self.network, self.subnetwork, self.ip_allocation = found.network, found.subnetwork, {}
        else:
            self.network, self.subnetwork, self.ip_allocation = plan.name, plan.subnetwork, {}
        self.path = pulumi.Output.from_input(self.network).apply(lambda found: names.network_path(found, project))
        self.register_outputs({"network": self.network, "subnetwork": self.subnetwork})

    def _create(self, plan: CreatedNetworkPlan) -> None:
        network = gcp.compute.Network(
            plan.name,
            name=plan.name,
            auto_create_subnetworks=False,
            mtu=plan.mtu,
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._after),
        )
        subnetwork = gcp.compute.Subnetwork(
            plan.subnetwork,
            name=plan.subnetwork,
            network=network.name,
            region=plan.region,
            ip_cidr_range=plan.nodes_cidr,
            secondary_ip_ranges=[
                {"range_name": plan.pods_range, "ip_cidr_range": plan.pods_cidr},
                {"range_name": plan.services_range, "ip_cidr_range": plan.services_cidr},
            ],
            private_ip_google_access=True,
            opts=pulumi.ResourceOptions(parent=self),
        )
        if plan.router is not None and plan.nat is not None:
            self._translate_addresses(network, plan.router, plan.nat, plan.region)
        if plan.private_services is not None:
            self.private_services = self._reach_private_services(network, plan.private_services)
        self.network, self.subnetwork = network.name, subnetwork.name
        self.ip_allocation = {
            "cluster_secondary_range_name": plan.pods_range,
            "services_secondary_range_name": plan.services_range,
        }

    def _translate_addresses(self, network: gcp.compute.Network, router_name: str, nat_name: str, region: str) -> None:
        router = gcp.compute.Router(
            router_name,
            name=router_name,
            network=network.name,
            region=region,
            opts=pulumi.ResourceOptions(parent=self),
        )
        gcp.compute.RouterNat(
            nat_name,
            name=nat_name,
            router=router.name,
            region=region,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _reach_private_services(self, network: gcp.compute.Network, plan: PrivateServicesPlan) -> list[pulumi.Resource]:
        """A range of addresses for services, the peering with their network, and their way to the nodes."""
        addresses = gcp.compute.GlobalAddress(
            plan.range_name,
            name=plan.range_name,
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=None if plan.cidr is None else plan.cidr.partition("/")[0],
            prefix_length=plan.prefix_length,
            network=network.id,
            opts=pulumi.ResourceOptions(parent=self),
        )
        peering = gcp.servicenetworking.Connection(
            plan.range_name,
            network=network.id,
            service=lustre.PRODUCER,
            reserved_peering_ranges=[addresses.name],
            opts=pulumi.ResourceOptions(parent=self, depends_on=self._after),
        )
        let_in = gcp.compute.Firewall(
            plan.firewall,
            name=plan.firewall,
            network=network.name,
            source_ranges=[pulumi.Output.concat(addresses.address, "/", str(plan.prefix_length))],
            allows=[{"protocol": "tcp", "ports": [str(port) for port in plan.ports]}],
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [peering, let_in]

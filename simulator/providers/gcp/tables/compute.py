"""Compute Engine: networks, subnetworks, routers, NAT gateways, firewall rules, resource policies."""

from __future__ import annotations

import ipaddress
from typing import Final

from simulator.providers.bridged.fields import Compare, Field, Fields
from simulator.providers.gcp.tables import DELETION_POLICY, PROJECT

_REGION: Final = Field(local=True, server=True, compare=Compare.LINK)
_LINK: Final = Field(compare=Compare.LINK)
_NAME: Final = "^(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)$"


def _is_not_wider(old: str, new: str) -> bool:
    """Whether a subnetwork's new range lacks an address of the old one: Compute Engine can only widen a range.

    The API refuses what is not a range.
    """
    try:
        before, after = (ipaddress.IPv4Network(each, strict=False) for each in (old, new))
    except ValueError:
        return False
    return not before.subnet_of(after)


NETWORK: Final[Fields] = {
    "autoCreateSubnetworks": Field(default=True),
    "deleteDefaultRoutesOnCreate": Field(local=True, default=False),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "mtu": Field(server=True),
    "name": Field(),
    "networkFirewallPolicyEnforcementOrder": Field(
        default="AFTER_CLASSIC_FIREWALL", choices=("BEFORE_CLASSIC_FIREWALL", "AFTER_CLASSIC_FIREWALL")
    ),
    "project": PROJECT,
    "routingMode": Field(at="routingConfig.routingMode", server=True, choices=("REGIONAL", "GLOBAL")),
}

SUBNETWORK: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "ipCidrRange": Field(server=True, replaces=_is_not_wider),
    "logConfig": Field(
        constant={"enable": True},
        fields={
            "aggregationInterval": Field(default="INTERVAL_5_SEC"),
            "filterExpr": Field(default="true"),
            "flowSampling": Field(default=0.5),
            "metadata": Field(default="INCLUDE_ALL_METADATA"),
            "metadataFields": Field(compare=Compare.SET),
        },
    ),
    "name": Field(),
    "network": _LINK,
    "privateIpGoogleAccess": Field(server=True),
    "project": PROJECT,
    "purpose": Field(
        server=True,
        choices=("PRIVATE",),
        beyond=("REGIONAL_MANAGED_PROXY", "GLOBAL_MANAGED_PROXY", "PRIVATE_SERVICE_CONNECT", "PRIVATE_NAT"),
    ),
    "region": _REGION,
    "secondaryIpRanges": Field(
        server=True, fields={"ipCidrRange": Field(server=True), "rangeName": Field(pattern=_NAME)}
    ),
    "stackType": Field(server=True, choices=("IPV4_ONLY",), beyond=("IPV4_IPV6", "IPV6_ONLY")),
}

ROUTER: Final[Fields] = {
    "bgp": Field(
        fields={"asn": Field(), "advertiseMode": Field(default="DEFAULT"), "keepaliveInterval": Field(default=20)}
    ),
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "name": Field(),
    "network": _LINK,
    "project": PROJECT,
    "region": _REGION,
}

ROUTER_NAT: Final[Fields] = {
    "autoNetworkTier": Field(server=True),
    "deletionPolicy": DELETION_POLICY,
    "enableDynamicPortAllocation": Field(server=True),
    "enableEndpointIndependentMapping": Field(server=True),
    "icmpIdleTimeoutSec": Field(default=30),
    "logConfig": Field(
        fields={"enable": Field(), "filter": Field(choices=("ERRORS_ONLY", "TRANSLATIONS_ONLY", "ALL"))}
    ),
    "maxPortsPerVm": Field(),
    "minPortsPerVm": Field(server=True),
    "name": Field(),
    "natIpAllocateOption": Field(choices=("MANUAL_ONLY", "AUTO_ONLY")),
    "natIps": Field(compare=Compare.SET),
    "project": PROJECT,
    "region": _REGION,
    "router": Field(local=True, compare=Compare.LINK),
    "sourceSubnetworkIpRangesToNat": Field(
        choices=("ALL_SUBNETWORKS_ALL_IP_RANGES", "ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES", "LIST_OF_SUBNETWORKS")
    ),
    "subnetworks": Field(
        fields={
            "name": _LINK,
            "secondaryIpRangeNames": Field(compare=Compare.SET),
            "sourceIpRangesToNats": Field(at="sourceIpRangesToNat", compare=Compare.SET),
        }
    ),
    "tcpEstablishedIdleTimeoutSec": Field(default=1200),
    "tcpTimeWaitTimeoutSec": Field(default=120),
    "tcpTransitoryIdleTimeoutSec": Field(default=30),
    "type": Field(default="PUBLIC", choices=("PUBLIC", "PRIVATE")),
    "udpIdleTimeoutSec": Field(default=30),
}

_PROTOCOL_AND_PORTS: Final[Fields] = {"protocol": Field(at="IPProtocol", compare=Compare.CASE), "ports": Field()}

FIREWALL: Final[Fields] = {
    "allows": Field(at="allowed", compare=Compare.SET, fields=_PROTOCOL_AND_PORTS),
    "deletionPolicy": DELETION_POLICY,
    "denies": Field(at="denied", compare=Compare.SET, fields=_PROTOCOL_AND_PORTS),
    "description": Field(),
    "destinationRanges": Field(server=True, compare=Compare.SET),
    "direction": Field(server=True, choices=("INGRESS", "EGRESS")),
    "disabled": Field(),
    "logConfig": Field(constant={"enable": True}, fields={"metadata": Field()}),
    "name": Field(),
    "network": _LINK,
    "priority": Field(default=1000),
    "project": PROJECT,
    "sourceRanges": Field(server=True, compare=Compare.SET),
    "sourceServiceAccounts": Field(compare=Compare.SET, conflicts=("sourceTags", "targetTags")),
    "sourceTags": Field(compare=Compare.SET, conflicts=("sourceServiceAccounts", "targetServiceAccounts")),
    "targetServiceAccounts": Field(compare=Compare.SET, conflicts=("sourceTags", "targetTags")),
    "targetTags": Field(compare=Compare.SET, conflicts=("sourceServiceAccounts", "targetServiceAccounts")),
}

RESOURCE_POLICY: Final[Fields] = {
    "deletionPolicy": DELETION_POLICY,
    "description": Field(),
    "groupPlacementPolicy": Field(
        fields={
            "availabilityDomainCount": Field(),
            "collocation": Field(choices=("COLLOCATED",)),
            "maxDistance": Field(),
            "tpuTopology": Field(),
            "vmCount": Field(),
        }
    ),
    "name": Field(),
    "project": PROJECT,
    "region": _REGION,
    "workloadPolicy": Field(
        fields={
            "acceleratorTopology": Field(),
            "acceleratorTopologyMode": Field(),
            "maxTopologyDistance": Field(),
            "type": Field(choices=("HIGH_AVAILABILITY", "HIGH_THROUGHPUT")),
        }
    ),
}

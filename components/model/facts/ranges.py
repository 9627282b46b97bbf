"""Address ranges that a cluster takes, and ranges that it does not.

Sources, read 2026-11: VPC documentation "Subnets" (prohibited IPv4 subnet ranges, unusable addresses); GKE
documentation "VPC-native clusters" (tables of node, Pod and Service ranges) and "Create a private cluster"
(172.17.0.0/16); VPC documentation "Configure private services access" (allocated ranges).
"""

from __future__ import annotations

from typing import Final

SUBNET_OWN_ADDRESSES: Final = 4
"""Addresses of a subnetwork's own range that no node gets: the first two and the last two."""
PREFIXES: Final = {
    "nodes_cidr": (8, 29),
    "pods_cidr": (9, 24),
    "services_cidr": (16, 28),
    "private_services_cidr": (8, 24),
}
"""Prefix lengths of the largest and the smallest range that a cluster takes of a network, by its key; the smallest are
those of ranges that users make, or of a range of Google's services."""
RESERVED: Final = {
    "172.17.0.0/16": "the range of Docker's bridge",
    "169.254.0.0/16": "the link-local range, where nodes reach their metadata server",
    "127.0.0.0/8": "the loopback range",
    "0.0.0.0/8": "the range that means the local network",
    "224.0.0.0/4": "the multicast range",
    "255.255.255.255/32": "the broadcast address",
    "199.36.153.4/30": "the addresses of restricted.googleapis.com",
    "199.36.153.8/30": "the addresses of private.googleapis.com",
}
"""Ranges that no subnetwork of a cluster may have, and what they are."""

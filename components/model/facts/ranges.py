"""Address ranges that a cluster takes, and ranges that it does not.

Source: VPC documentation "Subnets" and GKE documentation "VPC-native clusters", read 2026-11.
"""

from __future__ import annotations

from typing import Final

SUBNET_OWN_ADDRESSES: Final = 4
"""Addresses of a subnetwork's own range that no node gets."""
PREFIXES: Final = {"nodes_cidr": (8, 29), "pods_cidr": (8, 24), "services_cidr": (16, 28)}
"""Prefix lengths of the largest and the smallest range that a cluster takes of a network, by its key."""
RESERVED: Final = {
    "172.17.0.0/16": "which containers use inside of each node",
    "169.254.0.0/16": "the addresses of one link, where nodes find their metadata server",
    "127.0.0.0/8": "the addresses of every machine itself",
    "0.0.0.0/8": "which means this network",
    "224.0.0.0/4": "the addresses of multicast",
    "255.255.255.255/32": "the address of broadcast",
    "199.36.153.4/30": "by which Google's APIs are reached privately",
    "199.36.153.8/30": "by which Google's APIs are reached privately",
}
"""Ranges that no subnetwork of a cluster may have, and what is there."""

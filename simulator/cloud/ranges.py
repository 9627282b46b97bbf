"""Address ranges: reading them, and finding free ones."""

from __future__ import annotations

import ipaddress
import itertools
from typing import TYPE_CHECKING, Final

from simulator.cloud.api import invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterable

_RESERVED_AT_START: Final = 2
_RESERVED_AT_END: Final = 2
"""Addresses of a subnetwork's primary range that Google keeps: network and gateway, last but one and broadcast."""


def network(text: str, field: str) -> ipaddress.IPv4Network:
    """The range that a field holds.

    Raises:
        CloudError: INVALID_ARGUMENT: it is not an IPv4 range in CIDR form with its first address.
    """
    try:
        return ipaddress.IPv4Network(text)
    except ValueError:
        raise invalid_value(
            field, text, "Must be a CIDR address range (e.g. 10.0.0.0/16) whose address is the first one of the range."
        ) from None


def free_range(within: str, prefix: int, taken: Iterable[str]) -> str | None:
    """The first range of `/prefix` inside `within` that overlaps none of `taken`; None when there is none."""
    space = ipaddress.IPv4Network(within)
    size = 1 << (space.max_prefixlen - prefix)
    start = int(space.network_address)
    for other in sorted(ipaddress.IPv4Network(cidr) for cidr in taken):
        first, last = int(other.network_address), int(other.broadcast_address)
        if first < start + size and last >= start:
            start = (last // size + 1) * size
    if start + size - 1 > int(space.broadcast_address):
        return None
    return str(ipaddress.IPv4Network((start, prefix)))


class AddressPool:
    """The addresses of a subnetwork's primary range that machines may have.

    An address that became free is given out again only when the end of the range was reached, as in Google Cloud.
    """

    def __init__(self, subnetwork: str, taken: Iterable[str]) -> None:
        """`subnetwork` is the primary range, `taken` the addresses that are in use."""
        cidr = ipaddress.IPv4Network(subnetwork)
        self._first = int(cidr.network_address) + _RESERVED_AT_START
        self._end = int(cidr.broadcast_address) + 1 - _RESERVED_AT_END
        self._taken = {int(ipaddress.IPv4Address(address)) for address in taken}
        self._next = max(self._taken, default=self._first - 1) + 1

    def take(self, count: int) -> list[str] | None:
        """`count` free addresses; None, and nothing taken, when there are too few."""
        order = itertools.chain(range(self._next, self._end), range(self._first, self._next))
        found = list(itertools.islice((address for address in order if address not in self._taken), count))
        if len(found) < count:
            return None
        self._taken.update(found)
        self._next = max(found, default=self._next - 1) + 1
        return [str(ipaddress.IPv4Address(address)) for address in found]

    def release(self, addresses: Iterable[str]) -> None:
        """Free the addresses of machines that are gone."""
        self._taken.difference_update(int(ipaddress.IPv4Address(address)) for address in addresses)


def gateway(subnetwork: str) -> str:
    """The gateway address of a subnetwork: the second of its primary range.

    >>> gateway("10.0.0.0/20")
    '10.0.0.1'
    """
    return str(ipaddress.IPv4Network(subnetwork)[1])


def overlap(one: str, other: str) -> bool:
    """Whether two ranges have an address in common."""
    return ipaddress.IPv4Network(one).overlaps(ipaddress.IPv4Network(other))

"""Ports for servers that are started later."""

from __future__ import annotations

import socket
from typing import Final

from simulator.ports import free_ports

_CONNECTIONS: Final = 32_768
"""The first port of an outgoing connection, unless a machine's `ip_local_port_range` says otherwise."""


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_no_connection_takes_a_free_port() -> None:
    assert max(free_ports(200)) < _CONNECTIONS

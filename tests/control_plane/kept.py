"""In which version of their API a cluster keeps the objects of Kueue, which only etcd shows; and a way to change it."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final, cast

import grpc

from components.kubeapi import Api, ApiError
from components.kubeapi.discovery import DEFINITIONS
from components.kubeapi.documents import entries, section
from simulator.clusters.pki import ClusterFiles
from tests.eventually import eventually
from tpu.migrate.__main__ import Definition, read_definitions, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.harness import Simulator

_GROUP: Final = "kueue.x-k8s.io"
_RANGE: Final = "/etcdserverpb.KV/Range"
_KEY, _RANGE_END, _PAIRS, _VALUE = 1, 2, 2, 5
"""Numbers of fields: of the request, its answer and a pair in that. Source: etcd 3.6, api/etcdserverpb/rpc.proto."""


def kept_versions(simulator: Simulator) -> Counter[str]:
    """How many objects of Kueue are kept in which apiVersion, as etcd itself has them."""
    (folder,) = simulator.home.clusters.iterdir()
    files, ports = ClusterFiles(folder / "pki"), json.loads((folder / "ports.json").read_text())
    pair = files.pair("etcd-client")
    authority = files.path("cluster-ca.crt").read_bytes()
    credentials = grpc.ssl_channel_credentials(authority, pair.key.encode(), pair.certificate.encode())
    begin = f"/registry/{_GROUP}/".encode()
    with grpc.secure_channel(f"127.0.0.1:{ports['etcd']}", credentials) as channel:
        ask = cast("Callable[[bytes], bytes]", channel.unary_unary(_RANGE))
        answer = ask(_field(_KEY, begin) + _field(_RANGE_END, begin[:-1] + b"0"))
    found = (dict(_fields(each))[_VALUE] for number, each in _fields(answer) if number == _PAIRS)
    return Counter(json.loads(each)["apiVersion"] for each in found)


def _field(number: int, value: bytes) -> bytes:
    """A field of a protobuf message that is shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(value)]) + value


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and the content of each field of a protobuf message; a number as content is passed over."""
    at = 0
    while at < len(message):
        tag, at = _number(message, at)
        length, at = _number(message, at)
        if tag & 7 == 2:
            yield tag >> 3, message[at : at + length]
            at += length


def _number(message: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    number = shift = 0
    while True:
        byte = message[at]
        number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return number, at


def keep_as(simulator: Simulator, api: Api, version: str) -> None:
    """Let every object of Kueue be kept in another version that is served, as an older release kept it."""
    for each in _of_kueue(api):
        document = api.get(each.path)
        for served in entries(document, "spec", "versions"):
            served["storage"] = served["name"] == version
        api.request("PUT", each.path, body=document)

    def kept() -> set[str]:
        try:
            for each in _of_kueue(api):
                rewrite(api, each)
        except ApiError as error:
            if not error.is_not_ready:
                raise
        return set(kept_versions(simulator))

    # The API server takes a moment until it does what a definition says.
    eventually(kept, lambda found: found == {f"{_GROUP}/{version}"}, what=f"every object is kept as {version}")


def not_served(api: Api) -> dict[str, set[str]]:
    """By definition: the versions in which it says that objects may be kept and that it does not serve."""
    found: dict[str, set[str]] = {}
    for each in api.items(DEFINITIONS):
        served = {version["name"] for version in entries(each, "spec", "versions") if version["served"]}
        found[each["metadata"]["name"]] = set(section(each, "status")["storedVersions"]) - served
    return {name: versions for name, versions in found.items() if versions}


def _of_kueue(api: Api) -> list[Definition]:
    return [each for each in read_definitions(api) if each.name.endswith(f".{_GROUP}")]

"""The certificates and keys of one cluster, made once when the cluster is created and kept for its life.

Two authorities, as Kubernetes wants them: one for the cluster (servers and clients) and one for the front proxy, whose
clients may speak for other users.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator.certificates import Authority, Pair, key_pem
from simulator.clusters.settings import MADE_ANEW
from simulator.files import BrokenFileError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """Paths of a cluster's certificates and keys below its folder."""

    folder: Path

    def path(self, name: str) -> Path:
        """Path of the file `name`, such as `cluster-ca.crt`."""
        return self.folder / name

    def pair(self, name: str) -> Pair:
        """The certificate and key stored under `name`."""
        return Pair(self.path(f"{name}.crt").read_text(), self.path(f"{name}.key").read_text())

    def authority(self) -> Authority:
        """The cluster's own authority, to issue more certificates."""
        return Authority.load(self.pair("cluster-ca"))


_PEM = re.compile(rb"-----BEGIN ([A-Z ]+)-----\n[A-Za-z0-9+/=\n]+-----END \1-----\n")
ADMIN: Final = "admin"
CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"
KWOK: Final = "kwok"
NODE_CLIENT: Final = "node-client"
"""The API server's own, for kubelets and the webhooks here."""
_CLIENTS: Final = {
    ADMIN: ("simulator-admin", "system:masters"),
    CONTROLLER_MANAGER: ("system:kube-controller-manager",),
    SCHEDULER: ("system:kube-scheduler",),
    KWOK: ("simulator-kwok", "system:masters"),
    "etcd-client": ("kube-apiserver",),
    NODE_CLIENT: ("kube-apiserver-node-client",),
}


def write_cluster_files(folder: Path, service_address: str) -> ClusterFiles:
    """Make every certificate and key of a new cluster in `folder` (mode 0700, keys 0600); existing ones are kept.

    `service_address` is the API server's own address in the service range.

    Raises:
        BrokenFileError: an existing one is not whole.
    """
    files = ClusterFiles(folder)
    if files.path("service-accounts.key").exists():
        _check_whole(files)
        return files
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    cluster, front = Authority.new("cluster-ca"), Authority.new("front-proxy-ca")
    _write_pair(files, "cluster-ca", cluster.pair)
    _write_pair(files, "front-proxy-ca", front.pair)
    _write_pair(files, "front-proxy-client", front.client("front-proxy-client"))
    names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"]
    _write_pair(files, "api-server", cluster.server("kube-apiserver", [*names, "127.0.0.1", service_address]))
    _write_pair(files, "etcd", cluster.server("etcd", ["localhost", "127.0.0.1"]))
    _write_pair(files, "component", cluster.server("component", ["localhost", "127.0.0.1"]))
    _write_pair(files, "node-api", cluster.server("node-api", ["localhost", "127.0.0.1"]))
    for name, (user, *groups) in _CLIENTS.items():
        _write_pair(files, name, cluster.client(user, *groups))
    signing = ec.generate_private_key(ec.SECP256R1())
    public = signing.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _write(files.path("service-accounts.pub"), public.decode())
    _write(files.path("service-accounts.key"), key_pem(signing))
    return files


def _check_whole(files: ClusterFiles) -> None:
    for path in sorted(files.folder.iterdir()):
        if _PEM.fullmatch(path.read_bytes()) is None:
            raise BrokenFileError(path, MADE_ANEW)


def _write_pair(files: ClusterFiles, name: str, pair: Pair) -> None:
    _write(files.path(f"{name}.crt"), pair.certificate)
    _write(files.path(f"{name}.key"), pair.key)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)

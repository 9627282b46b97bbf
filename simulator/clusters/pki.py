"""The certificates and keys of one cluster, made once when the cluster is created and kept for its life.

Two authorities, as Kubernetes wants them: one for the cluster (servers and clients) and one for the front proxy, whose
clients may speak for other users. Everything is EC P-256 because making such a key takes a millisecond.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LIFETIME: Final = dt.timedelta(days=3650)
_CLOCK_SKEW: Final = dt.timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key, both PEM."""

    certificate: str
    key: str


class Authority:
    """A certificate authority that can issue."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        self._certificate = certificate
        self._key = key

    @classmethod
    def new(cls, name: str) -> Authority:
        """A new authority with `name` as its common name."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _subject(name)
        builder = _builder(subject, subject, key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        return cls(builder.sign(key, hashes.SHA256()), key)

    @classmethod
    def load(cls, pair: Pair) -> Authority:
        """The authority whose certificate and key are `pair`."""
        key = serialization.load_pem_private_key(pair.key.encode(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("the authority's key is not an EC key")
        return cls(x509.load_pem_x509_certificate(pair.certificate.encode()), key)

    @property
    def pair(self) -> Pair:
        """Certificate and key, to be kept."""
        return Pair(_pem(self._certificate), _key_pem(self._key))

    def server(self, name: str, hosts: Sequence[str]) -> Pair:
        """A server certificate for the DNS names and addresses `hosts`."""
        alternatives = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
        return self._issue(name, (), ExtendedKeyUsageOID.SERVER_AUTH, alternatives)

    def client(self, user: str, *groups: str) -> Pair:
        """A client certificate that the API server reads as `user` in `groups`."""
        return self._issue(user, groups, ExtendedKeyUsageOID.CLIENT_AUTH, None)

    def _issue(
        self,
        name: str,
        groups: Sequence[str],
        usage: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None,
    ) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_subject(name, *groups), self._certificate.subject, key.public_key())
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        return Pair(_pem(builder.sign(self._key, hashes.SHA256())), _key_pem(key))


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


ADMIN: Final = "admin"
CONTROLLER_MANAGER: Final = "controller-manager"
SCHEDULER: Final = "scheduler"
KWOK: Final = "kwok"
_CLIENTS: Final = {
    ADMIN: ("simulator-admin", "system:masters"),
    CONTROLLER_MANAGER: ("system:kube-controller-manager",),
    SCHEDULER: ("system:kube-scheduler",),
    KWOK: ("simulator-kwok", "system:masters"),
    "etcd-client": ("kube-apiserver",),
    "node-client": ("kube-apiserver-node-client",),
}


def write_cluster_files(folder: Path, service_address: str) -> ClusterFiles:
    """Make every certificate and key of a new cluster in `folder` (mode 0700, keys 0600); existing ones are kept.

    `service_address` is the API server's own address in the service range.
    """
    files = ClusterFiles(folder)
    if files.path("service-accounts.key").exists():
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
    _write(files.path("service-accounts.key"), _key_pem(signing))
    return files


def _write_pair(files: ClusterFiles, name: str, pair: Pair) -> None:
    _write(files.path(f"{name}.crt"), pair.certificate)
    _write(files.path(f"{name}.key"), pair.key)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def _subject(name: str, *groups: str) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _LIFETIME)
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()

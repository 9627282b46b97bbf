"""Certificates: who issued them, for whom, and that they are kept."""

from __future__ import annotations

import ipaddress
import ssl
from typing import TYPE_CHECKING, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from simulator.certificates import Authority, Pair
from simulator.clusters.pki import ClusterFiles, write_cluster_files

if TYPE_CHECKING:
    from pathlib import Path

_SERVERS: Final = ("api-server", "etcd", "component", "node-api")
_CLIENTS: Final[dict[str, tuple[str, list[str]]]] = {
    "admin": ("simulator-admin", ["system:masters"]),
    "controller-manager": ("system:kube-controller-manager", []),
    "scheduler": ("system:kube-scheduler", []),
    "kwok": ("simulator-kwok", ["system:masters"]),
    "etcd-client": ("kube-apiserver", []),
    "node-client": ("kube-apiserver-node-client", []),
}


def certificate(files: ClusterFiles, name: str) -> x509.Certificate:
    """The certificate stored under that name."""
    return x509.load_pem_x509_certificate(files.path(f"{name}.crt").read_bytes())


def common_name(found: x509.Certificate) -> str:
    """The user that a client certificate stands for."""
    return str(found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def usage(found: x509.Certificate) -> list[x509.ObjectIdentifier]:
    """What the certificate may be used for."""
    return list(found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)


def handshake(files: ClusterFiles, server: Pair, client: Pair | None, host: str, folder: Path) -> str | None:
    """The common name that a server sees after a TLS handshake as strict as Python 3.13's, without sockets."""
    paths: dict[str, Path] = {}
    for name, pair in (("server", server), ("client", client)):
        if pair is not None:
            paths[name] = folder / f"{name}.pem"
            paths[name].write_text(pair.certificate + pair.key)
    accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    accepting.load_cert_chain(paths["server"])
    accepting.load_verify_locations(files.path("cluster-ca.crt"))
    accepting.verify_mode = ssl.CERT_OPTIONAL
    dialling = ssl.create_default_context(cafile=files.path("cluster-ca.crt"))
    if "client" in paths:
        dialling.load_cert_chain(paths["client"])
    for context in (accepting, dialling):
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = dialling.wrap_bio(back, there, server_hostname=host)
    other = accepting.wrap_bio(there, back, server_side=True)
    for _ in range(4):
        for side in (one, other):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    seen = other.getpeercert(binary_form=True)
    return None if seen is None else common_name(x509.load_der_x509_certificate(seen))


@pytest.mark.parametrize("name", [*_SERVERS, *_CLIENTS])
def test_the_clusters_own_authority_issued_them(files: ClusterFiles, name: str) -> None:
    certificate(files, name).verify_directly_issued_by(certificate(files, "cluster-ca"))


def test_the_front_proxy_has_an_authority_of_its_own(files: ClusterFiles) -> None:
    client = certificate(files, "front-proxy-client")
    client.verify_directly_issued_by(certificate(files, "front-proxy-ca"))
    with pytest.raises(ValueError, match="does not match certificate issuer"):
        client.verify_directly_issued_by(certificate(files, "cluster-ca"))


@pytest.mark.parametrize("name", _SERVERS)
def test_servers_are_known_on_loopback(files: ClusterFiles, name: str) -> None:
    found = certificate(files, name)
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "localhost" in names.get_values_for_type(x509.DNSName)
    assert ipaddress.ip_address("127.0.0.1") in names.get_values_for_type(x509.IPAddress)
    assert usage(found) == [ExtendedKeyUsageOID.SERVER_AUTH]


def test_the_api_server_is_known_inside_the_cluster(files: ClusterFiles) -> None:
    names = certificate(files, "api-server").extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
    ]
    assert ipaddress.ip_address("10.20.0.1") in names.get_values_for_type(x509.IPAddress)


@pytest.mark.parametrize(("name", "identity"), _CLIENTS.items())
def test_clients_are_the_users_that_kubernetes_knows(
    files: ClusterFiles, name: str, identity: tuple[str, list[str]]
) -> None:
    found = certificate(files, name)
    groups = [each.value for each in found.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    assert (common_name(found), groups) == identity
    assert usage(found) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_both_sides_of_a_strict_handshake_accept_them(files: ClusterFiles, tmp_path: Path) -> None:
    server, client = files.pair("api-server"), files.pair("admin")
    assert handshake(files, server, client, "127.0.0.1", tmp_path) == "simulator-admin"
    assert handshake(files, server, None, "kubernetes.default.svc", tmp_path) is None


def test_another_host_or_authority_is_not_accepted(files: ClusterFiles, tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        handshake(files, files.pair("etcd"), None, "10.20.0.1", tmp_path)
    stranger = Authority.new("cluster-ca").server("etcd", ["127.0.0.1"])
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(files, stranger, None, "127.0.0.1", tmp_path)
    with pytest.raises(ssl.SSLError):
        handshake(files, files.pair("etcd"), Authority.new("cluster-ca").client("admin"), "127.0.0.1", tmp_path)


def test_the_kept_authority_issues_more(files: ClusterFiles) -> None:
    pair = files.authority().server("kueue", ["kueue-webhook-service.kueue-system.svc", "127.0.0.1"])
    issued = x509.load_pem_x509_certificate(pair.certificate.encode())
    issued.verify_directly_issued_by(certificate(files, "cluster-ca"))


def test_an_authority_with_another_kind_of_key_is_refused(files: ClusterFiles) -> None:
    key = (
        "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
        "-----END PRIVATE KEY-----\n"
    )
    with pytest.raises(TypeError, match="the authority's key is not an EC key"):
        Authority.load(Pair(files.pair("cluster-ca").certificate, key))


def test_service_account_keys_belong_together(files: ClusterFiles) -> None:
    private = serialization.load_pem_private_key(files.path("service-accounts.key").read_bytes(), None)
    public = serialization.load_pem_public_key(files.path("service-accounts.pub").read_bytes())
    assert isinstance(private, ec.EllipticCurvePrivateKey)
    assert private.public_key() == public


def test_only_this_user_may_read_them(files: ClusterFiles) -> None:
    assert files.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in files.folder.iterdir()} == {0o600}


def test_a_second_call_keeps_everything(tmp_path: Path) -> None:
    folder = tmp_path / "pki"
    write_cluster_files(folder, "10.0.0.1")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    write_cluster_files(folder, "10.0.0.1")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_was_interrupted_is_made_anew(tmp_path: Path) -> None:
    files = write_cluster_files(tmp_path / "pki", "10.0.0.1")
    files.path("service-accounts.key").unlink()
    before = files.pair("cluster-ca")
    write_cluster_files(tmp_path / "pki", "10.0.0.1")
    assert files.pair("cluster-ca") != before
    certificate(files, "admin").verify_directly_issued_by(certificate(files, "cluster-ca"))

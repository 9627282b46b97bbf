"""Certificates: for whom they are where only a webhook would notice, and that they are kept.

That servers and clients accept each other is seen by every test on a control plane, and on Python by test_node_api.py.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from simulator.certificates import Authority, Pair
from simulator.clusters.pki import ClusterFiles, write_cluster_files

if TYPE_CHECKING:
    from pathlib import Path


def certificate(files: ClusterFiles, name: str) -> x509.Certificate:
    """The certificate stored under that name."""
    return x509.load_pem_x509_certificate(files.path(f"{name}.crt").read_bytes())


def test_the_front_proxy_has_an_authority_of_its_own(files: ClusterFiles) -> None:
    client = certificate(files, "front-proxy-client")
    client.verify_directly_issued_by(certificate(files, "front-proxy-ca"))
    with pytest.raises(ValueError, match="does not match certificate issuer"):
        client.verify_directly_issued_by(certificate(files, "cluster-ca"))


def test_the_api_server_is_known_inside_the_cluster(files: ClusterFiles) -> None:
    names = certificate(files, "api-server").extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
    ]
    assert ipaddress.ip_address("10.20.0.1") in names.get_values_for_type(x509.IPAddress)


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

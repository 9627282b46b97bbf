"""Certificates and the authorities that issue them.

Everything is EC P-256 because making such a key takes a millisecond.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIFETIME: Final = dt.timedelta(days=3650)
_CLOCK_SKEW: Final = dt.timedelta(minutes=5)
_AUTHORITY_USAGE: Final = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)
"""Python 3.13 and later trust no authority that does not say this, and no certificate without its issuer's key id."""


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
        builder = (
            _builder(subject, subject, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_AUTHORITY_USAGE, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
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
        return Pair(_pem(self._certificate), key_pem(self._key))

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
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False).add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
        )
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        return Pair(_pem(builder.sign(self._key, hashes.SHA256())), key_pem(key))


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


def key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    """The private key as PEM (PKCS 8, not encrypted)."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()

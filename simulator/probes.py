"""Health endpoints on loopback: how to see that a process is ready."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

import urllib3
from urllib3.exceptions import HTTPError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """How to see that a process is ready: an HTTP GET that answers 200."""

    url: str
    certificate: str | None = None
    """Name of the client certificate (see pki) when the server wants one."""


class HttpProbe:
    """A health endpoint, asked repeatedly over one connection."""

    def __init__(self, probe: Probe, pki: Path) -> None:
        """`pki` is the folder with the cluster's certificates."""
        self._url = probe.url
        context = ssl.create_default_context(cafile=pki / "cluster-ca.crt")
        if probe.certificate is not None:
            context.load_cert_chain(pki / f"{probe.certificate}.crt", pki / f"{probe.certificate}.key")
        self._http = urllib3.PoolManager(ssl_context=context, retries=False, timeout=2.0)
        self.last_answer = "it has not been probed yet"

    def answers(self) -> bool:
        """Whether it answers 200 now."""
        try:
            response = self._http.request("GET", self._url)
        except HTTPError as error:
            self.last_answer = f"{self._url} does not answer ({getattr(error, 'reason', None) or error})"
            return False
        self.last_answer = f"{self._url} answers {response.status}: {response.data.decode(errors='replace')[-300:]}"
        return response.status == 200  # noqa: PLR2004  HTTP's OK

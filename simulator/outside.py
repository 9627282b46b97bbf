"""Stands in for the hosts that official plugins reach: the charts' registry, GKE's list of versions, Secret Manager.

One port on loopback serves both: an OCI registry in plain HTTP (`oci://127.0.0.1:PORT/kueue/charts/kueue`), and an
HTTPS proxy for programs that name the real hosts. The proxy answers for these hosts itself, with certificates of its
own authority, and refuses all others. Clients can only read. A preview asks Google for the versions and for secrets
that pods mount, and for nothing else; there are no secrets here.

Source: the OCI distribution specification 1.1, "Pull", and Helm's media types (helm.sh/helm/v3/pkg/registry).
"""

from __future__ import annotations

import hashlib
import json
import re
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.findings import listing
from simulator.certificates import Authority
from simulator.cloud import gke_versions
from simulator.files import write_whole
from simulator.providers.kube.charts import REGISTRY, REPOSITORIES, Charts, packaged
from simulator.serving import ServingThreads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
_CONFIG: Final = "application/vnd.cncf.helm.config.v1+json"
_CHART: Final = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_JSON: Final = "application/json"
_HTTPS_PORT: Final = 443
_GKE: Final = "container.googleapis.com"
_SECRETS: Final = "secretmanager.googleapis.com"
_HOSTS: Final = (REGISTRY, _GKE, _SECRETS)
_VERSIONS: Final = re.compile(r"/v1(?:beta1)?/projects/[^/]+/locations/[^/]+/serverConfig(?:\?.*)?")


@dataclass(frozen=True, slots=True)
class _Content:
    media_type: str
    data: bytes

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.data).hexdigest()}"

    @property
    def descriptor(self) -> dict[str, Any]:
        return {"mediaType": self.media_type, "digest": self.digest, "size": len(self.data)}


class Outside:
    """Serves from its own threads until closed."""

    def __init__(self, helm: Path, charts: Charts, folder: Path) -> None:
        """Pack every chart with the command `helm`, and put the certificates into `folder`."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        authority = Authority.new("simulator-outside")
        self._authority = folder / "ca.crt"
        write_whole(self._authority, authority.pair.certificate)
        pair, own = authority.server(REGISTRY, _HOSTS), folder / "server.pem"
        write_whole(own, f"{pair.certificate}{pair.key}")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(own)
        self._server = _Server(context, _contents(helm, charts))
        self._server.begin("outside")

    @property
    def address(self) -> str:
        """Where it answers in plain HTTP, as `host:port`."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a program in Go that finds these hosts here, and no other host."""
        return {"HTTPS_PROXY": f"http://{self.address}", "SSL_CERT_FILE": str(self._authority)}

    def close(self) -> None:
        """Stop listening."""
        self._server.end()


def _contents(helm: Path, charts: Charts) -> dict[str, _Content]:
    """Every answer, by path."""
    found = {"/v2/": _Content(_JSON, b"{}")}
    for name, repository in REPOSITORIES.items():
        for version, folder in charts.folders[name].items():
            about = yaml.safe_load((folder / "Chart.yaml").read_text(encoding="utf-8"))
            config, chart = _Content(_CONFIG, json.dumps(about).encode()), _Content(_CHART, packaged(helm, folder))
            document = {"config": config.descriptor, "layers": [chart.descriptor]}
            manifest = _Content(
                _MANIFEST, json.dumps({"schemaVersion": 2, "mediaType": _MANIFEST, **document}).encode()
            )
            found |= {f"/v2/{repository}/manifests/{tag}": manifest for tag in (version, manifest.digest)}
            found |= {f"/v2/{repository}/blobs/{each.digest}": each for each in (config, chart)}
        tags = {"name": repository, "tags": list(charts.folders[name])}
        found[f"/v2/{repository}/tags/list"] = _Content(_JSON, json.dumps(tags).encode())
    return found


class _Server(ServingThreads, HTTPServer):
    def __init__(self, context: ssl.SSLContext, contents: Mapping[str, _Content]) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.context = context
        self.contents = contents


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def do_CONNECT(self) -> None:
        host, _, port = self.path.rpartition(":")
        if host not in _HOSTS or port != str(_HTTPS_PORT):
            self.send_error(HTTPStatus.FORBIDDEN, f"the simulator reaches {listing(_HOSTS)}, and no other host")
            return
        self.send_response(HTTPStatus.OK)
        self.end_headers()
        self.close_connection = False  # a client of HTTP 1.0 continues too
        self.request = self._own_server.context.wrap_socket(self.request, server_side=True)
        self.setup()  # the rest of this connection is TLS

    def do_HEAD(self) -> None:
        content = self._found()
        if content is not None:
            self._head(content)

    def do_GET(self) -> None:
        content = self._found()
        if content is not None:
            self._head(content)
            self.wfile.write(content.data)

    def finish(self) -> None:
        super().finish()
        self.request.close()  # the server only knows the socket from before a handshake

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Requests are not logged."""

    @property
    def _own_server(self) -> _Server:
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        return self.server

    def _found(self) -> _Content | None:
        """The answer to a request; None after a refusal."""
        server = self._own_server
        # A web page that sends a browser here names another host.
        host = self.headers.get("Host")
        if host not in (*_HOSTS, f"127.0.0.1:{server.server_port}"):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        content = server.contents.get(self.path)
        if host == _GKE:
            versions = _Content(_JSON, json.dumps(gke_versions.server_config()).encode())
            content = versions if _VERSIONS.fullmatch(self.path) else None
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND, f"the simulator has no {self.path}")
        return content

    def _head(self, content: _Content) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content.media_type)
        self.send_header("Content-Length", str(len(content.data)))
        self.send_header("Docker-Content-Digest", content.digest)
        self.end_headers()

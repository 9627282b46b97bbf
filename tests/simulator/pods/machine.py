"""A cluster in memory, and a machine on which a small script doubles a controller."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator.certificates import Authority
from simulator.clock import SpeedClock
from simulator.pods.host import Host
from simulator.pods.runner import PodRunner
from simulator.ports import free_port
from tests.eventually import eventually
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import PodBuilder, a_pod
from tests.simulator.pods.storage_double import StorageDouble

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Document
    from simulator.pods.host_pod import HostPod

_SPEED: Final = 100.0
POD_PATH: Final = "/api/v1/namespaces/team/pods/p"
CONFIG_PATH: Final = "/api/v1/namespaces/team/configmaps/manager"
STAY: Final = 'echo "begun with $*"; trap "echo ending; exit 0" TERM; while :; do sleep 0.01; done'
SERVE: Final = """
import http.server, re, sys
config = open(sys.argv[1].removeprefix("--config=")).read()
port = int(re.search(r"healthProbeBindAddress: 127.0.0.1:(\\d+)", config)[1])
class Probe(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Probe).serve_forever()
"""


@dataclass
class Machine:
    """A cluster in memory, and a machine whose `kueue` is a script."""

    root: Path
    cluster: MemoryApi = field(default_factory=MemoryApi)

    def __post_init__(self) -> None:
        addresses = itertools.count(1)
        authority = self.root / "cluster-ca.crt"
        issuer = Authority.new("cluster-ca")
        authority.write_text(issuer.pair.certificate)
        self.host = Host(
            api=self.cluster.api,
            informers=self.cluster.informers,
            authority=issuer,
            authority_path=authority,
            folder=self.root / "pods",
            releases={"kueue": {"v1": self.root / "kueue"}, "jobset": {}},
            free_port=free_port,
            pod_address=lambda: f"10.0.0.{next(addresses)}",
            service_port=lambda _namespace, _service, port: 40000 + port,
            storage=StorageDouble(),
            clock=SpeedClock(_SPEED, self.root / "clock.jsonl"),
        )
        self.runner = PodRunner(self.host)
        self.program(STAY)
        config = {"a": 1}
        self.cluster.put(CONFIG_PATH, {"kind": "ConfigMap", "metadata": {}, "data": {"m.yaml": json.dumps(config)}})

    def program(self, script: str) -> None:
        """What `kueue` does from the next start on."""
        path = self.root / "kueue"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def start(self, pod: PodBuilder) -> None:
        """Bind the pod and begin to watch."""
        self.cluster.put(POD_PATH, pod.document)
        self.runner.start()

    def pod(self) -> HostPod:
        """The pod, once the runner has it."""
        found = eventually(lambda: self.runner.find("team", "p"))
        assert found is not None
        return found

    def status(self) -> Document:
        """The pod's status."""
        return self.cluster.objects[POD_PATH].get("status") or {}

    def state(self) -> Document:
        """The state of the pod's container."""
        statuses = self.status().get("containerStatuses")
        return statuses[0]["state"] if statuses else {}

    def pod_folder(self) -> list[str]:
        """What there is in the pod's folder."""
        return sorted(path.name for path in (self.root / "pods" / "uid-p").glob("*"))

    def is_ready(self) -> bool:
        """Whether the pod says that it is ready."""
        conditions = self.status().get("conditions", [])
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    def lines(self) -> list[str]:
        """The container's log."""
        return [line.text for line in self.pod().log.lines()]


def controller(image: str = "mirror/kueue/kueue:v1", **more: object) -> PodBuilder:
    """A controller's pod; `more` are further fields of its container."""
    pod = a_pod().container(image, args=("--config=/m.yaml", "--flag"))
    pod.document["spec"]["containers"][0] |= more
    return pod.mounting("m", "/m.yaml", {"configMap": {"name": "manager"}}, subPath="m.yaml")

"""How controllers are started as processes: their configuration on loopback, their certificates and their gates."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml
from cryptography import x509

from simulator.certificates import Authority
from simulator.pods.controllers import Controller
from simulator.pods.programs import ProgramError
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import a_pod
from tests.simulator.pods.prepared import Preparation

if TYPE_CHECKING:
    from components.kubeapi import Document

_KUEUE: Final = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
health: {healthProbeBindAddress: ":8081"}
metrics: {bindAddress: ":8443"}
webhook: {port: 9443}
leaderElection: {leaderElect: true, resourceName: c1f6bfd2.kueue.x-k8s.io}
clientConnection: {qps: 50, burst: 100}
integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}
"""
_JOBSET: Final = """
apiVersion: config.jobset.x-k8s.io/v1alpha1
kind: Configuration
leaderElection: {leaderElect: true}
internalCertManagement: {enable: true, webhookServiceName: hooks-service, webhookSecretName: hooks-cert}
"""


@dataclass
class Started:
    """What a controller was started with."""

    program: Path
    arguments: list[str]
    config: Document
    ports: dict[int, int]
    """Loopback port by container port."""


@dataclass
class Machine:
    """Where a controller's pod is prepared."""

    folder: Path
    cluster: MemoryApi = field(default_factory=MemoryApi)
    authority: Authority = field(default_factory=lambda: Authority.new("cluster-ca"))

    def start(self, program: str, config: str, *arguments: str, certificates: bool = True, tag: str = "v2") -> Started:
        """The arguments and the configuration of a controller whose chart says `config`."""
        self.cluster.put(
            "/api/v1/namespaces/system/configmaps/manager",
            {"kind": "ConfigMap", "metadata": {}, "data": {"manager.yaml": config}},
        )
        image = f"registry.k8s.io/{program}/{program}:{tag}"
        pod = a_pod().named("manager-0", "system").container(image, args=("--config=/manager.yaml", *arguments))
        pod.mounting("config", "/manager.yaml", {"configMap": {"name": "manager"}}, subPath="manager.yaml")
        if certificates:
            pod.mounting("cert", "/tmp/k8s-webhook-server/serving-certs", {"emptyDir": {}})  # noqa: S108  in the chart
        prepared = Preparation(self.folder, self.cluster, self.authority)
        made = Controller(program).invocation(prepared.surroundings(pod)).arguments
        return Started(
            Path(made[0]), made[1:], yaml.safe_load((self.folder / "config.yaml").read_text()), prepared.ports
        )

    def put_webhooks(self, kind: str) -> str:
        """JobSet's webhook configuration as its chart makes it; the result is its path."""
        path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/jobset-{kind}-webhook-configuration"
        webhooks = [{"name": name, "clientConfig": {"service": {"name": "hooks-service"}}} for name in ("a", "b")]
        self.cluster.put(path, {"metadata": {"name": path.rpartition("/")[2]}, "webhooks": webhooks})
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with an empty cluster."""
    return Machine(tmp_path)


def test_kueue_listens_on_loopback_and_keeps_everything_else(machine: Machine) -> None:
    started = machine.start("kueue", _KUEUE, "--zap-log-level=2")
    assert started.arguments == [
        f"--config={machine.folder}/config.yaml",
        f"--kubeconfig={machine.folder}/kubeconfig",
        "--zap-log-level=2",
    ]
    assert started.ports == {8081: 40000, 8443: 40001, 9443: 40002}
    assert started.config == {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": "127.0.0.1:40000"},
        "metrics": {"bindAddress": "127.0.0.1:40001"},
        "webhook": {"host": "127.0.0.1", "port": 40002, "certDir": f"{machine.folder}/volumes/cert"},
        "leaderElection": {
            "leaderElect": True,
            "resourceName": "c1f6bfd2.kueue.x-k8s.io",
            "resourceNamespace": "system",
        },
        "clientConnection": {"qps": 50, "burst": 100},
        "integrations": {"frameworks": ["batch/job", "jobset.x-k8s.io/jobset"]},
        "featureGates": {"VisibilityOnDemand": False},
    }


def test_the_tag_of_the_image_says_which_release_is_started(machine: Machine) -> None:
    assert machine.start("kueue", _KUEUE, tag="v1").program == machine.folder / "kueue-v1"
    assert machine.start("kueue", _KUEUE, tag="v2").program == machine.folder / "kueue-v2"


def test_ports_follow_the_configuration(machine: Machine) -> None:
    config = yaml.safe_load(_KUEUE)
    config |= {"health": {"healthProbeBindAddress": "0.0.0.0:7001"}, "metrics": {"bindAddress": "[::]:7002"}}
    config |= {"webhook": {"port": 7003}, "pprofBindAddress": ":7004"}
    started = machine.start("kueue", yaml.safe_dump(config), certificates=False)
    assert set(started.ports) == {7001, 7002, 7003, 7004}
    assert started.config["pprofBindAddress"] == f"127.0.0.1:{started.ports[7004]}"
    assert started.config["webhook"]["certDir"] == f"{machine.folder}/certificates"


def test_a_server_that_is_off_stays_off(machine: Machine) -> None:
    config = {**yaml.safe_load(_KUEUE), "metrics": {"bindAddress": "0"}}
    started = machine.start("kueue", yaml.safe_dump(config))
    assert started.config["metrics"] == {"bindAddress": "0"}
    assert set(started.ports) == {8081, 9443}


def test_feature_gates_are_set_where_the_chart_sets_them(machine: Machine) -> None:
    in_flag = machine.start("kueue", _KUEUE, "--feature-gates=A=true,B=false")
    assert in_flag.arguments[2:] == ["--feature-gates=A=true,B=false,VisibilityOnDemand=false"]
    assert "featureGates" not in in_flag.config
    in_file = machine.start("kueue", f"{_KUEUE}featureGates: {{A: true}}\n")
    assert in_file.config["featureGates"] == {"A": True, "VisibilityOnDemand": False}
    assert in_file.arguments[2:] == []


def test_jobset_gets_a_certificate_that_its_webhooks_trust(machine: Machine) -> None:
    paths = [machine.put_webhooks(kind) for kind in ("mutating", "validating")]
    started = machine.start("jobset", _JOBSET)
    assert started.config["internalCertManagement"]["enable"] is False
    folder = machine.folder / "certificates"
    assert started.config["webhook"]["certDir"] == str(folder)
    certificate = x509.load_pem_x509_certificate((folder / "tls.crt").read_bytes())
    authority = x509.load_pem_x509_certificate(machine.authority.pair.certificate.encode())
    certificate.verify_directly_issued_by(authority)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["hooks-service.system.svc"]
    assert (folder / "tls.key").stat().st_mode & 0o777 == 0o600
    bundle = base64.b64encode(machine.authority.pair.certificate.encode()).decode()
    for path in paths:
        webhooks = machine.cluster.objects[path]["webhooks"]
        assert [webhook["clientConfig"]["caBundle"] for webhook in webhooks] == [bundle, bundle]
        assert webhooks[0]["clientConfig"]["service"] == {"name": "hooks-service"}
    assert "featureGates" not in started.config


def test_jobset_waits_for_its_webhook_configurations(machine: Machine) -> None:
    machine.put_webhooks("mutating")
    with pytest.raises(ProgramError) as caught:
        machine.start("jobset", _JOBSET)
    assert str(caught.value) == (
        "validatingwebhookconfigurations jobset-validating-webhook-configuration does not exist, so JobSet's webhooks"
        " would never be called"
    )


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("a: [", "configuration file /manager.yaml: while parsing a flow node"),
        ("just text", "configuration file /manager.yaml is not a mapping"),
    ],
)
def test_a_configuration_that_is_none_is_told(machine: Machine, config: str, text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        machine.start("kueue", config)
    assert str(caught.value).partition("\n")[0] == text


@pytest.mark.parametrize(
    ("arguments", "found"), [((), "None"), (("--config=/elsewhere.yaml",), "/elsewhere.yaml")], ids=["none", "nowhere"]
)
def test_a_controller_without_a_configuration_file_is_refused(
    machine: Machine, arguments: tuple[str, ...], found: str
) -> None:
    pod = a_pod().container(args=arguments)
    prepared = Preparation(machine.folder, machine.cluster, machine.authority)
    with pytest.raises(ProgramError) as caught:
        Controller("kueue").invocation(prepared.surroundings(pod))
    assert str(caught.value) == f"the container names no configuration file in a mounted volume (found {found})"

"""A control plane as it would be started: nothing of it leaves this machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from simulator.clusters.configuration import configuration_files
from simulator.clusters.control_plane import control_plane
from simulator.clusters.pki import ClusterFiles
from simulator.clusters.settings import PORT_NAMES, Settings
from simulator.nodes import ANNOTATION_LOST
from simulator.pods.admission import ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED
from simulator.processes import GO_VARIABLES

_FOLDER: Final = Path("/FOLDER")
_BINARIES: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?!\d*/)(?![.\d])(?!/\d)")
"""An IP address that is not the beginning of a range."""
_STAGE: Final = "kind: Stage\nmetadata: {name: a-stage}\n"


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A control plane whose ports count up from 20001."""
    for name in GO_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return Settings(
        folder=_FOLDER,
        files=ClusterFiles(_FOLDER / "pki"),
        ports={name: 20001 + index for index, name in enumerate(PORT_NAMES)},
        binaries={name: Path("/TOOLS") / name for name in _BINARIES},
        service_range="10.20.0.0/20",
        pod_range="10.64.0.0/14",
        stages=_STAGE,
        eviction_seconds=30,
    )


def test_every_address_is_on_loopback(settings: Settings) -> None:
    texts = [word for process in control_plane(settings) for word in process.arguments]
    texts += [process.probe.url for process in control_plane(settings) if process.probe]
    texts += configuration_files(settings).values()
    addresses = [address for text in texts for address in _ADDRESS.findall(text)]
    assert set(addresses) == {"127.0.0.1"}
    assert len(addresses) > 15
    assert not any("0.0.0.0" in text or "[::]" in text for text in texts)  # noqa: S104  what must not be there


def test_every_server_says_where_it_listens(settings: Settings) -> None:
    """A server whose flag is left out binds every interface."""
    arguments = {process.name: process.arguments for process in control_plane(settings)}
    for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        assert "--bind-address=127.0.0.1" in arguments[name], name
    for flag in ("--listen-client-urls=https://127.0.0.1:", "--listen-peer-urls=https://127.0.0.1:"):
        assert any(word.startswith(flag) for word in arguments["etcd"]), flag
    kwok = yaml.safe_load(configuration_files(settings)[_FOLDER / "config" / "kwok.yaml"].partition("---")[0])
    assert "serverAddress" not in kwok["options"]
    assert kwok["options"]["nodePort"] == 0


def test_every_port_wants_a_certificate(settings: Settings) -> None:
    arguments = {process.name: process.arguments for process in control_plane(settings)}
    assert {"--client-cert-auth", "--peer-client-cert-auth"} <= set(arguments["etcd"])
    assert "--anonymous-auth=false" in arguments["kube-apiserver"]
    for name in ("kube-controller-manager", "kube-scheduler"):
        assert "--authorization-always-allow-paths=" in arguments[name], name
    assert all(process.probe.certificate for process in control_plane(settings) if process.probe)


def test_the_api_server_shows_its_certificate_to_the_webhooks_here_alone(settings: Settings) -> None:
    files = configuration_files(settings)
    plugins = yaml.safe_load(files[_FOLDER / "config" / "admission.yaml"])["plugins"]
    assert {each["name"] for each in plugins} == {"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"}
    assert {each["configuration"]["kubeConfigFile"] for each in plugins} == {"/FOLDER/config/webhooks.kubeconfig"}
    document = json.loads(files[settings.kubeconfig("webhooks")])
    (user,) = document["users"]
    assert user["name"] == f"127.0.0.1:{settings.ports['node-api']}"
    assert user["user"]["client-certificate"] == "/FOLDER/pki/node-client.crt"
    assert "current-context" not in document, "it would be the user of every other webhook"


def test_processes_inherit_nothing(settings: Settings) -> None:
    for process in control_plane(settings):
        assert process.environment == {"PATH": "/usr/bin:/bin", "HOME": "/FOLDER"}


def test_servers_have_the_settings_that_differ_from_their_defaults(settings: Settings) -> None:
    arguments = {process.name: set(process.arguments) for process in control_plane(settings)}
    assert arguments["kube-apiserver"] >= {
        "--default-not-ready-toleration-seconds=30",
        "--default-unreachable-toleration-seconds=30",
        "--enable-admission-plugins=ExtendedResourceToleration",
        "--service-cluster-ip-range=10.20.0.0/20",
    }
    assert "--node-monitor-grace-period=87600h" in arguments["kube-controller-manager"]


def test_the_callers_settings_of_go_are_those_of_all_processes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"GOGC": "77", "GOMEMLIMIT": "1GiB", "GOMAXPROCS": "3"}
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)
    assert all(process.environment.items() >= wanted.items() for process in control_plane(settings))


def test_the_stages_follow_what_admission_writes() -> None:
    folder = Path(__file__).parents[3] / "simulator" / "stages"
    for path in folder.glob("pod-*.yaml"):
        used = set(re.findall(r'"(simulator\.tpu-platform\.dev/[a-z-]+)"', path.read_text()))
        assert ANNOTATION_SECONDS in used, "kwok must leave pods alone that run here"
        assert used <= {ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED, ANNOTATION_LOST}

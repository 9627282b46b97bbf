"""What the simulator serves to plugins that are no stand-ins: charts for the real Helm, and GKE's versions."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from components.model.facts.versions import JOBSET, KUEUE, Controller
from simulator.cloud.gke_versions import CHANNELS, OFFERED
from simulator.outside import Outside
from simulator.providers.kube.charts import REPOSITORIES, local_charts
from simulator.toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Generator[Outside]:
    """Serves what is built on this machine."""
    folder = tmp_path_factory.mktemp("outside") / "certificates"
    made = Outside(locate(("helm",)).binary("helm"), local_charts(), folder)
    yield made
    made.close()


def _helm(folder: Path, variables: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    homes = {f"HELM_{name}_HOME": str(folder / name) for name in ("CACHE", "CONFIG", "DATA")}
    command = [str(locate(("helm",)).binary("helm")), *words]
    environment = {**os.environ, **homes, **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("controller", [KUEUE, JOBSET], ids=lambda each: each.name)
def test_helm_pulls_by_the_reference_of_a_stack(outside: Outside, tmp_path: Path, controller: Controller) -> None:
    done = _helm(tmp_path, outside.variables, "pull", controller.chart, f"--version={controller.version}")
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / f"{controller.name}-{controller.version}.tgz") as chart:
        assert f"{controller.name}/Chart.yaml" in chart.getnames()


def test_helm_pulls_the_newest_from_the_registrys_own_address(outside: Outside, tmp_path: Path) -> None:
    chart = f"oci://{outside.address}/{REPOSITORIES['kueue']}"
    done = _helm(tmp_path, {}, "show", "chart", chart, "--plain-http")
    assert done.returncode == 0, done.stderr
    assert f"\nversion: {KUEUE.version}\n" in done.stdout


def test_the_chart_has_no_service_of_the_api_that_nothing_serves(outside: Outside, tmp_path: Path) -> None:
    render = ("template", "kueue", KUEUE.chart, f"--version={KUEUE.version}")
    done = _helm(tmp_path, outside.variables, *render)
    assert done.returncode == 0, done.stderr
    assert "\nkind: Deployment\n" in done.stdout
    assert "\nkind: APIService\n" not in done.stdout
    (folder,) = [folder for version, folder in local_charts().folders["kueue"].items() if version == KUEUE.version]
    assert "\nkind: APIService\n" in _helm(tmp_path, {}, "template", "kueue", str(folder)).stdout


def test_another_host_is_not_reached_and_another_version_is_not_there(outside: Outside, tmp_path: Path) -> None:
    elsewhere = _helm(tmp_path, outside.variables, "pull", "oci://ghcr.io/kueue/charts/kueue", "--version=0.19.2")
    hosts = "registry.k8s.io, container.googleapis.com and secretmanager.googleapis.com"
    assert f"the simulator reaches {hosts}, and no other host" in elsewhere.stderr
    missing = _helm(tmp_path, outside.variables, "pull", KUEUE.chart, "--version=0.1.0")
    assert "not found" in missing.stderr
    assert not list(tmp_path.glob("*.tgz"))


@pytest.mark.parametrize(("host", "status"), [(None, 200), ("registry.example", 421)])
def test_a_page_of_another_host_reads_nothing(outside: Outside, host: str | None, status: int) -> None:
    connection = http.client.HTTPConnection(outside.address, timeout=20)
    connection.request("GET", f"/v2/{REPOSITORIES['jobset']}/tags/list", headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    assert answer.status == status
    if status == 200:
        assert JOBSET.version in json.loads(data)["tags"]


def test_gke_tells_the_versions_that_the_simulated_cloud_offers_and_nothing_else(outside: Outside) -> None:
    host, _, port = outside.address.partition(":")
    trusted = ssl.create_default_context(cafile=outside.variables["SSL_CERT_FILE"])
    connection = http.client.HTTPSConnection(host, int(port), context=trusted, timeout=20)
    connection.set_tunnel("container.googleapis.com", 443)
    location = "/v1beta1/projects/tpu-sandbox/locations/us-south1"
    connection.request("GET", f"{location}/serverConfig?alt=json")
    told = json.loads(connection.getresponse().read())
    assert told["validMasterVersions"] == list(reversed(OFFERED))
    assert {each["channel"]: each["defaultVersion"] for each in told["channels"]} == dict.fromkeys(
        CHANNELS, OFFERED[-1]
    )
    connection.request("GET", f"{location}/clusters")
    assert connection.getresponse().status == 404
    connection.close()


def test_nothing_can_be_pushed(outside: Outside, tmp_path: Path) -> None:
    chart = local_charts().folders["jobset"][JOBSET.version]
    assert _helm(tmp_path, {}, "package", str(chart)).returncode == 0
    pushed = _helm(tmp_path, {}, "push", f"jobset-{JOBSET.version}.tgz", f"oci://{outside.address}/own", "--plain-http")
    assert pushed.returncode != 0

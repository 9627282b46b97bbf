"""The registry of charts that the simulator serves, and the real Helm that pulls from it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from components.model.versions import JOBSET, KUEUE
from simulator.providers.kube.charts import REPOSITORIES, local_charts
from simulator.registry import ChartRegistry
from toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from components.model.versions import Controller


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Generator[ChartRegistry]:
    """Serves what is built on this machine."""
    folder = tmp_path_factory.mktemp("registry") / "certificates"
    made = ChartRegistry(locate(("helm",)).binary("helm"), local_charts(), folder)
    yield made
    made.close()


def _helm(folder: Path, variables: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    homes = {f"HELM_{name}_HOME": str(folder / name) for name in ("CACHE", "CONFIG", "DATA")}
    command = [str(locate(("helm",)).binary("helm")), *words]
    environment = {**os.environ, **homes, **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("controller", [KUEUE, JOBSET], ids=lambda each: each.name)
def test_helm_pulls_by_the_reference_of_a_stack(
    registry: ChartRegistry, tmp_path: Path, controller: Controller
) -> None:
    done = _helm(tmp_path, registry.variables, "pull", controller.chart, f"--version={controller.version}")
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / f"{controller.name}-{controller.version}.tgz") as chart:
        assert f"{controller.name}/Chart.yaml" in chart.getnames()


def test_helm_pulls_the_newest_from_the_registrys_own_address(registry: ChartRegistry, tmp_path: Path) -> None:
    chart = f"oci://{registry.address}/{REPOSITORIES['kueue']}"
    done = _helm(tmp_path, {}, "show", "chart", chart, "--plain-http")
    assert done.returncode == 0, done.stderr
    assert f"\nversion: {KUEUE.version}\n" in done.stdout


def test_the_chart_has_no_service_of_the_api_that_nothing_serves(registry: ChartRegistry, tmp_path: Path) -> None:
    render = ("template", "kueue", KUEUE.chart, f"--version={KUEUE.version}")
    done = _helm(tmp_path, registry.variables, *render)
    assert done.returncode == 0, done.stderr
    assert "\nkind: Deployment\n" in done.stdout
    assert "\nkind: APIService\n" not in done.stdout
    (folder,) = [folder for version, folder in local_charts().folders["kueue"].items() if version == KUEUE.version]
    assert "\nkind: APIService\n" in _helm(tmp_path, {}, "template", "kueue", str(folder)).stdout


def test_another_host_is_not_reached_and_another_version_is_not_there(registry: ChartRegistry, tmp_path: Path) -> None:
    elsewhere = _helm(tmp_path, registry.variables, "pull", "oci://ghcr.io/kueue/charts/kueue", "--version=0.19.2")
    assert "the simulator reaches registry.k8s.io and no other host" in elsewhere.stderr
    missing = _helm(tmp_path, registry.variables, "pull", KUEUE.chart, "--version=0.1.0")
    assert "not found" in missing.stderr
    assert not list(tmp_path.glob("*.tgz"))


@pytest.mark.parametrize(("host", "status"), [(None, 200), ("registry.example", 421)])
def test_a_page_of_another_host_reads_nothing(registry: ChartRegistry, host: str | None, status: int) -> None:
    connection = http.client.HTTPConnection(registry.address, timeout=20)
    connection.request("GET", f"/v2/{REPOSITORIES['jobset']}/tags/list", headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    assert answer.status == status
    if status == 200:
        assert JOBSET.version in json.loads(data)["tags"]


def test_nothing_can_be_pushed(registry: ChartRegistry, tmp_path: Path) -> None:
    chart = local_charts().folders["jobset"][JOBSET.version]
    assert _helm(tmp_path, {}, "package", str(chart)).returncode == 0
    pushed = _helm(
        tmp_path, {}, "push", f"jobset-{JOBSET.version}.tgz", f"oci://{registry.address}/own", "--plain-http"
    )
    assert pushed.returncode != 0

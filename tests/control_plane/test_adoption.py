"""The running dev platform, whose state is lost, comes back under a stack that is written from listings alone.

The jobs run for hours and stay outside of the stack. Whatever is made anew meanwhile shows: in the pods, and in the
times and ids of everything.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.owners import JOBSETS
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import GCP_PROJECT, stack_file
from tpu.adopt.importing import registered

if TYPE_CHECKING:
    from pathlib import Path

STACK: Final = "dev"
ADOPTED: Final = "adopted"
_OBJECTS: Final = (
    "clusterqueues,localqueues,resourceflavors,cohorts,admissionchecks,provisioningrequestconfigs,workloadpriorityclasses,"
    "priorityclasses,persistentvolumes,persistentvolumeclaims,jobsets,jobs,configmaps"
)
_WATCHED: Final = f"{_OBJECTS},workloads,namespaces,pods,deployments,services,secrets"
_LISTINGS: Final = {
    "clusters": "container clusters list",
    "pools": "container node-pools list --cluster dev --location us-south1",
    "networks": "compute networks list",
    "subnetworks": "compute networks subnets list",
    "routers": "compute routers list",
    "shares": "filestore instances list",
    "services": "services list --enabled",
}
_CLOUD: Final = (
    "container.cluster",
    "container.nodePool",
    "compute.network",
    "compute.subnetwork",
    "compute.router",
    "compute.firewall",
    "file.instance",
    "iam.serviceAccount",
    "iam.member",
    "serviceusage.service",
)
_MADE: Final = ("id", "uniqueId", "createTime", "creationTimestamp", "endpoint", "instanceGroupUrls")
"""What another resource of the same name would have otherwise."""


@pytest.fixture(scope="module")
def running(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """The dev platform with its three jobs at work, from a project whose stack files a test may add to."""
    text = stack_file(STACK).replace("sleep 60", "sleep 86400")
    used = Simulator(simulator.home, project_with(tmp_path_factory.mktemp("adoption") / "project", {STACK: text}))
    used.up(STACK)
    eventually(lambda: len(_running(used)) == 3 * 2, what="two pods of each job run", seconds=120)
    return used


def _running(simulator: Simulator) -> list[Any]:
    pods = simulator.api().items("/api/v1/pods", {"labelSelector": "jobset.sigs.k8s.io/jobset-name"})
    return [pod for pod in pods if pod["status"].get("phase") == "Running"]


def _identities(simulator: Simulator) -> dict[str, Any]:
    """What tells every object, in the cloud and in the cluster, from another of its name."""
    found: dict[str, Any] = {}
    for kind in _CLOUD:
        for body in simulator.client.call("cloud.list", kind=kind):
            found[body["apiName"]] = {key: body.get(key) for key in _MADE}
    for item in json.loads(simulator.run("kubectl", "get", _WATCHED, "-A", "-o", "json").out)["items"]:
        metadata = item["metadata"]
        key = f"{item['kind']} {metadata.get('namespace')}/{metadata['name']}"
        found[key] = (metadata["uid"], metadata["creationTimestamp"])
    return found


def test_the_running_platform_is_adopted_from_listings_and_nothing_is_made_anew(running: Simulator) -> None:
    folder = running.project / "build"
    folder.mkdir()
    before, restarts = _identities(running), _restarts(running)
    files = _listed(running, folder)
    running.pulumi("stack", "rm", STACK, "--yes", "--force")

    said = _adopt(running, "stack", ADOPTED, *files)
    assert "deletion_protection is true" in said
    assert "are running or queued: the stack file leaves them out, and they end by themselves." in said
    assert said.strip().endswith(f" for the project {GCP_PROJECT}; 3 remarks.")
    assert "18 resources to import, 21 are left for the next phase" in _phase(running, folder, 1)
    assert "21 resources to import, 0 are left for the next phase" in _phase(running, folder, 2)
    _settle(running, folder)

    steps = running.previewed(ADOPTED)
    assert {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] != "same"} == {
        "dev": "update",  # the cluster's labels, which an import does not count as the program's
        "dev-share": "update",
    }
    done = running.up(ADOPTED)
    assert "2 updated" in done.text
    assert "created" not in done.text
    running.pulumi("preview", "--expect-no-changes", "--stack", ADOPTED)

    after = _identities(running)
    assert {key: after.get(key) for key in before} == before
    made = after.keys() - before.keys()
    assert not {key for key in made if not key.startswith("Secret ")}, made
    assert not {key for key in made if "helm.release" in key}, "a release was upgraded"
    assert _restarts(running) == restarts
    assert len(_running(running)) == 3 * 2


def _restarts(simulator: Simulator) -> dict[str, int]:
    """How often each JobSet has started again, and at which generation its specification is."""
    found: dict[str, int] = {}
    for each in simulator.api().items(JOBSETS):
        name = each["metadata"]["name"]
        found[f"{name} restarts"] = each.get("status", {}).get("restarts", 0)
        found[f"{name} generation"] = each["metadata"]["generation"]
    return found


def _listed(simulator: Simulator, folder: Path) -> list[str]:
    """The listings, as a user takes them."""
    texts = {name: simulator.run("gcloud", *words.split(), "--format=json").out for name, words in _LISTINGS.items()}
    texts["objects"] = simulator.run("kubectl", "get", _OBJECTS, "-A", "-o", "json").out
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text)
    return [str(folder / f"{name}.json") for name in texts]


def _adopt(simulator: Simulator, *arguments: str) -> str:
    """What `tpu adopt ARGUMENTS` prints, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "tpu.adopt", *arguments],
        cwd=simulator.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def _phase(simulator: Simulator, folder: Path, number: int) -> str:
    """Import what the preview knows, and return what the command said of it."""
    entries, preview, file = folder / "entries.json", folder / "preview.events", folder / f"phase{number}.json"
    done = simulator.pulumi("preview", "--json", "--import-file", str(entries), "--stack", ADOPTED)
    preview.write_text(done.out)
    given = ("--preview", str(preview), "--entries", str(entries), "--gcp-project", GCP_PROJECT)
    said = _adopt(simulator, "import", *given, "--out", str(file))
    flags = ("--yes", "--skip-preview", "--generate-code=false", "--protect=false")
    simulator.pulumi("import", "--file", str(file), *flags, "--stack", ADOPTED)
    return said


def _settle(simulator: Simulator, folder: Path) -> None:
    """Cut what was imported to what the program says."""
    preview, state, settled = folder / "preview.events", folder / "exported.json", folder / "settled.json"
    preview.write_text(simulator.pulumi("preview", "--json", "--stack", ADOPTED).out)
    changed = {each.name for each in registered("preview", preview.read_text()) if each.op != "same"}
    assert "research" in changed, "an import alone would change the queues"
    state.write_text(simulator.pulumi("stack", "export", "--stack", ADOPTED).out)
    _adopt(simulator, "settle", "--preview", str(preview), "--state", str(state), "--out", str(settled))
    simulator.pulumi("stack", "import", "--file", str(settled), "--stack", ADOPTED)

"""The components as a program in Python uses them: its own kind of names, and the resources of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.package.planning import RefusedError
from tests.program.harness import Run, run_program

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM: Final = """
import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
from components.package.job_set import JobSet
from components.package.queues import Queues
from components.package.tpu_slices import TpuSlices

account = "dev-nodes@tpu-sandbox.iam.gserviceaccount.com"
cluster = {"name": "dev", "location": "us-south1", "node_service_account": account}
before = gcp.storage.Bucket("before", location="US")
slices = TpuSlices(
    "slices",
    {
        "cluster": cluster,
        "groups": [
            {"name": "v5e", "slices": 2, "machine_type": "ct5lp-hightpu-4t", "topology": SHAPE, "zone": "us-south1-a"},
            {"name": "one", "machine_type": "ct5lp-hightpu-8t", "topology": "2x4", "zone": "us-south1-a"},
        ],
        "billing_labels": {"team": "vision"},
    },
    pulumi.ResourceOptions(depends_on=[before]),
)
queues = Queues(
    "queues",
    {
        "cluster": cluster,
        "slices": slices.groups[:1],
        "flavors": [{"name": "v5e", "machine_type": "ct5lp-hightpu-4t", "topology": "4x4"}, {"name": "cpu"}],
        "queues": [
            {
                "name": "vision",
                "flavors": [{"name": "v5e", "chips": 16}, {"name": "cpu", "resources": {"cpu": "40"}}],
                "local_queues": [{"name": "vision", "namespace": "vision"}, {"name": "shared", "namespace": "shared"}],
            }
        ],
        "priorities": [{"name": "high", "value": 1000}],
        "existing_namespaces": ["shared"],
    },
)
JobSet(
    "train",
    {
        "cluster": cluster,
        "ledger": queues.ledger,
        "namespace": "vision",
        "queue": "vision",
        "priority": "high",
        "flavor": "v5e",
        "slices": 1,
        "max_restarts": 0,
        "image": "registry.example/train:1.0",
        "command": ["train"],
        "resources": {"cpu": "8"},
        "mounts": [{"claim": "share", "path": "/share"}, {"bucket": "data", "path": "/data", "profile": "training"}],
        "sidecars": [
            {"name": "log", "image": "registry.example/log:1.0", "env": {"LEVEL": {"value": "info"}}, "command": ["a"]}
        ],
    },
    pulumi.ResourceOptions(providers={"kubernetes": kubernetes.Provider("theirs", kubeconfig="{}")}),
)
pulumi.export("chips", slices.chips)
pulumi.export("selectors", slices.node_selectors)
pulumi.export("quotas", queues.quotas)
"""


def _program(folder: Path, topology: str) -> Path:
    program = folder / "__main__.py"
    program.write_text(f'SHAPE = "{topology}"\n{PROGRAM}')
    return program


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    program = _program(tmp_path_factory.mktemp("program"), "4x4")
    return run_program("theirs", {"gcp:project": "tpu-sandbox"}, program=program)


def test_it_runs_to_its_end(run: Run) -> None:
    assert (run.exit_code, [text for level, text in run.log if level == "error"]) == (None, [])


def test_slices_are_the_pools_of_the_platform(run: Run) -> None:
    pools = {pool.name: pool for pool in run.of("NodePool")}
    assert set(pools) == {"v5e1", "v5e2", "one"}
    assert pools["v5e1"].inputs["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}
    assert pools["v5e1"].inputs["cluster"] == "dev"
    assert pools["v5e1"].inputs["nodeConfig"]["resourceLabels"] == {"team": "vision"}
    assert any("before" in each for each in pools["v5e1"].options["dependencies"])
    assert run.outputs["chips"] == {"v5e": 32, "one": 8}
    assert run.outputs["selectors"]["one"]["cloud.google.com/gke-tpu-topology"] == "2x4"


def test_only_namespaces_that_are_missing_are_created(run: Run) -> None:
    assert [each.name for each in run.of("Namespace")] == ["vision"]
    assert {each.name for each in run.of("LocalQueue")} == {"vision/vision", "shared/shared"}
    assert run.outputs["quotas"] == {"vision": {"v5e": 16}}
    assert [each.name for each in run.of("WorkloadPriorityClass")] == ["high"]


def test_a_workload_mounts_what_its_namespace_has(run: Run) -> None:
    (job,) = run.one("JobSet", "vision/train").inputs["spec"]["replicatedJobs"]
    pod = job["template"]["spec"]["template"]["spec"]
    (main,), (sidecar,) = pod["containers"], pod["initContainers"]
    assert [each["mountPath"] for each in main["volumeMounts"]] == ["/share", "/data"]
    assert main["resources"]["limits"] == {"cpu": "8", "google.com/tpu": "4"}
    assert (sidecar["name"], sidecar["env"]) == ("log", [{"name": "LEVEL", "value": "info"}])
    assert pod["volumes"][0] == {"name": "share", "persistentVolumeClaim": {"claimName": "share"}}
    assert [each.type for each in run.resources if "Bucket" in each.type] == ["gcp:storage/bucket:Bucket"]


def test_chips_that_no_queue_has_are_warned_of_once(run: Run) -> None:
    warnings = [text for level, text in run.log if level == "warning"]
    assert len(warnings) == 1
    assert warnings[0].startswith("queues: flavors[0].name: warning: 16 of the 32 chips of v5e are in no quota.")


def test_the_cluster_is_looked_up_unless_a_provider_is_given(run: Run) -> None:
    assert {asked["name"] for function, asked in run.lookups if function.endswith(":getCluster")} == {"dev"}
    assert {each.name for each in run.resources if each.type == "pulumi:providers:kubernetes"} == {"queues", "theirs"}
    assert run.one("JobSet", "vision/train").options["provider"] == "pulumi:providers:kubernetes::theirs"
    assert run.one("ClusterQueue", "vision").options["provider"] == "pulumi:providers:kubernetes::queues"


def test_what_is_refused_ends_the_program_before_anything_of_it(tmp_path: Path) -> None:
    run = Run()
    with pytest.raises(RefusedError, match=r"^slices: groups\[0\]\.topology: ct5lp-hightpu-4t makes no 3x4 slices"):
        run_program("theirs", {"gcp:project": "tpu-sandbox"}, run, program=_program(tmp_path, "3x4"))
    assert run.of("NodePool") == run.of("TpuSlices") == []

"""The contract is what was promised, and every committed stack keeps it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml
from jsonschema import Draft202012Validator, ValidationError

from components.manifests.kubeconfig import kubeconfig
from components.outputs import Addresses, outputs_of
from platform_outputs.contract import SCHEMA_VERSION, Contract
from platform_outputs.plain import from_plain, to_plain
from tests.outputs.form import (
    OPTIONAL,
    PAGE,
    SCHEMA_FILE,
    breaks,
    fields,
    kept_fields,
    page_with_table,
    schema,
    schema_text,
)
from tests.stacks import (
    GCP_PROJECT,
    a_platform,
    committed,
    committed_plan,
    in_existing_cluster,
    reserved,
    with_capacity,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.model.plan import Plan

KUBECONFIG: Final = kubeconfig("made-up", "203.0.113.7", "Q0VSVElGSUNBVEU=")
CHARACTERS: Final = 12_000
"""Of the outputs of a committed stack as JSON."""
Schema = dict[str, Any]


def written(plan: Plan) -> dict[str, Any]:
    """The outputs of a plan, with texts in place of what only the cloud knows."""
    shares, lustre = ({each.name: "10.8.1.2" for each in part} for part in (plan.shared_storage, plan.lustre))
    addresses = Addresses(shares=cast("Any", shares), lustre=cast("Any", lustre))
    return outputs_of(plan, cast("Any", KUBECONFIG), addresses)


# --- what was promised


def test_nothing_that_was_promised_is_broken() -> None:
    assert breaks(kept_fields(), fields(schema())) == []


def test_what_is_promised_now_is_kept_and_described() -> None:
    """`python -m tests.outputs` writes all three anew."""
    assert kept_fields() == fields(schema())
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()
    assert PAGE.read_text(encoding="utf-8") == page_with_table()


def _queue(made: Schema) -> Schema:
    return made["$defs"]["Queue"]


def remove(made: Schema) -> None:
    del _queue(made)["properties"]["quota"]


def rename(made: Schema) -> None:
    _queue(made)["properties"]["chips"] = _queue(made)["properties"].pop("quota")


def make_optional(made: Schema) -> None:
    _queue(made)["required"].remove("quota")


def change_the_type(made: Schema) -> None:
    _queue(made)["properties"]["quota"]["additionalProperties"] = {"type": "string"}


def allow_null(made: Schema) -> None:
    quota = _queue(made)["properties"]["quota"]
    _queue(made)["properties"]["quota"] = {"anyOf": [quota, {"type": "null"}]}


def allow_a_word_more(made: Schema) -> None:
    made["$defs"]["Cluster"]["properties"]["mode"]["enum"].append("serverless")


@pytest.mark.parametrize("change", [remove, rename, make_optional, change_the_type, allow_null, allow_a_word_more])
def test_a_change_that_consumers_would_have_to_follow_is_seen(change: Callable[[Schema], None]) -> None:
    now = copy.deepcopy(schema())
    change(now)
    found = breaks(fields(schema()), fields(now))
    assert [line for line in found if line.startswith(("queues[].quota ", "cluster.mode "))]


def test_an_addition_breaks_nothing() -> None:
    now = copy.deepcopy(schema())
    _queue(now)["properties"]["weight"] = {"type": "integer"}
    assert breaks(fields(schema()), fields(now)) == []
    assert fields(now)["queues[].weight"] == f"{OPTIONAL}integer"


def test_every_field_of_every_part_is_among_them() -> None:
    assert {
        "schema_version",
        "cluster.endpoint",
        "controllers[].version",
        "pools[].topology",
        "shared_storage[].claims[].namespace",
        "cluster.checkpoints.bucket",
        "flavors[].node_labels",
        "queues[].local_queues[].namespace",
        "queues[].limits{}.borrow",
        "priorities",
    } <= kept_fields().keys()


# --- what stacks write


@pytest.mark.parametrize("stack", committed())
def test_a_committed_stack_keeps_the_contract(stack: str) -> None:
    outputs = written(committed_plan(stack))
    _validate(outputs)
    assert outputs["schema_version"] == SCHEMA_VERSION
    assert len(json.dumps(outputs)) < CHARACTERS
    described = {each["name"] for part in ("flavors", "node_flavors") for each in outputs[part]}
    assert {name for queue in outputs["queues"] for part in ("quota", "resources") for name in queue[part]} <= described


def _validate(outputs: dict[str, Any]) -> None:
    cast("Any", Draft202012Validator(schema())).validate(outputs)


def test_the_schema_refuses_what_is_not_of_the_contract() -> None:
    outputs = written(committed_plan("dev"))
    wrong: list[dict[str, Any]] = [{"schema_version": 2}, {"priorities": {"normal": "500"}}, {"pools": None}]
    for each in wrong:
        with pytest.raises(ValidationError):
            _validate({**outputs, **each})


def test_the_same_plan_writes_the_same_and_it_is_read_again() -> None:
    outputs = written(committed_plan("dev"))
    assert json.dumps(outputs) == json.dumps(written(committed_plan("dev")))
    assert to_plain(from_plain(outputs, Contract)) == outputs


def test_a_cluster_that_was_there_before_says_nothing_of_its_endpoint() -> None:
    assert written(in_existing_cluster().plan())["cluster"]["endpoint"] is None
    private = a_platform().set("cluster", private_endpoint=True).plan()
    assert [written(plan)["cluster"]["endpoint"] for plan in (private, a_platform().plan())] == ["private", "public"]


def test_pools_say_how_their_hosts_are_come_by() -> None:
    stacks = (a_platform(), reserved(), with_capacity("flex-start", max_run_seconds=3600))
    pools = [written(stack.plan())["pools"][0] for stack in stacks]
    assert [(each["capacity"], each["reservation"], each["is_autoscaled"]) for each in pools] == [
        ("on-demand", None, False),
        ("reservation", "mine", False),
        ("flex-start", None, True),
    ]
    assert {(each["slices"], each["nodes"], each["chips"]) for each in pools} == {(1, 2, 8)}


def test_queues_say_what_they_borrow_and_lend_and_whether_they_admit_work() -> None:
    shared = a_platform().set(cohorts=[{"name": "all"}]).set("queues", 0, cohort="all", stop="hold")
    (queue,) = written(shared.set("queues", 0, "flavors", 0, borrow=8, lend=0).plan())["queues"]
    assert (queue["cohort"], queue["stop"]) == ("all", "hold")
    assert queue["limits"] == {"v5e-2x4": {"borrow": 8, "lend": 0}}
    (alone,) = written(a_platform().plan())["queues"]
    assert (alone["cohort"], alone["stop"], alone["limits"]) == (None, None, {})


def test_buckets_say_whether_they_were_there_before() -> None:
    buckets = [{"name": "acme-made", "location": "US"}, {"name": "acme-theirs"}]
    assert written(a_platform().set(buckets=buckets).plan())["buckets"] == [
        {"name": "acme-made", "is_existing": False},
        {"name": "acme-theirs", "is_existing": True},
    ]


def test_lustre_and_disks_say_how_pods_mount_them() -> None:
    claims = [{"name": "scratch", "namespace": "research"}]
    lustre = {"name": "fast", "location": "us-west4-a", "filesystem": "lfs", "throughput": 500, "capacity_gib": 18000}
    disk = {"name": "weights", "kind": "ml", "zone": "us-west4-a", "size_gib": 200, "access": "ReadOnlyMany"}
    outputs = written(
        a_platform().set(lustre=[{**lustre, "claims": claims}], disks=[{**disk, "claims": claims}]).plan()
    )
    mounted = [{"namespace": "research", "name": "scratch"}]
    assert outputs["lustre"] == [{**lustre, "address": "10.8.1.2", "claims": mounted}]
    assert outputs["disks"] == [{**disk, "claims": mounted}]


def test_accounts_say_how_iam_policies_name_them() -> None:
    stack = a_platform().set(service_accounts=[{"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}])
    assert written(stack.plan())["service_accounts"] == [
        {
            "namespace": "default",
            "name": "trainer",
            "member": f"serviceAccount:{GCP_PROJECT}.svc.id.goog[default/trainer]",
            "roles": ["roles/bigquery.dataViewer"],
            "is_existing": False,
        }
    ]


@pytest.mark.parametrize("machine_type", [None, "ct5lp-hightpu-4t"])
def test_a_cluster_says_where_hosts_keep_checkpoints(machine_type: str | None) -> None:
    kept = {"bucket": "acme-kept", "local_gib": 64}
    stated = kept if machine_type is None else {**kept, "machine_type": machine_type}
    outputs = written(a_platform().set("cluster", checkpoints=stated).plan())
    assert outputs["cluster"]["checkpoints"] == {**kept, "machine_type": "ct5lp-hightpu-4t"}


def test_outputs_say_when_quota_is_given_back_and_which_flavors_are_tried_at_once() -> None:
    ready = {"timeout_seconds": 900, "requeue": {"limit": 3}}
    tried = {"mode": "RetainFirstAdmission"}
    outputs = written(
        a_platform()
        .set(controllers={"kueue": {"pods_ready": ready}})
        .set("queues", 0, concurrent_admission=tried)
        .plan()
    )
    jobset, kueue = outputs["controllers"]
    assert jobset["pods_ready"] is None
    assert kueue["pods_ready"] == {
        "timeout_seconds": 900,
        "recovery_seconds": 900,
        "block_admission": False,
        "requeuing_limit": 3,
    }
    assert outputs["queues"][0]["concurrent_admission"] == {**tried, "last_acceptable_flavor": None}
    plain = written(a_platform().plan())
    assert [each["pods_ready"] for each in plain["controllers"]] == [None, None]
    assert plain["queues"][0]["concurrent_admission"] is None


def test_a_workload_says_what_is_beside_its_slices_and_how_long_a_checkpoint_takes() -> None:
    data = {"name": "data", "replicas": 2, "pods": 3, "image": "registry.example/data:1.0", "script": "serve"}
    stack = a_platform().set("workloads", 0, replicated_jobs=[data], maintenance={"checkpoint_seconds": 90})
    (train,) = written(stack.plan())["workloads"]
    assert train["checkpoint_seconds"] == 90
    assert train["replicated_jobs"] == [{"name": "data", "replicas": 2, "pods": 6}]


def test_workloads_say_as_what_kubernetes_knows_them() -> None:
    keys = ("name", "kind", "queue", "priority", "slices", "chips")
    found = [tuple(each[key] for key in keys) for each in written(committed_plan("batch-ml"))["workloads"]]
    assert found[0] == ("redis-leader", "StatefulSet", None, None, 0, 0)
    assert found[-1] == ("workload", "Job", "batch-ml", None, 0, 0)
    (train,) = written(a_platform().plan())["workloads"]
    assert tuple(train[key] for key in keys) == ("train", "JobSet", "research", "normal", 2, 16)


def test_the_kubeconfig_names_a_plugin_and_holds_no_credential() -> None:
    (user,) = yaml.safe_load(written(committed_plan("dev"))["kubeconfig"])["users"]
    assert user["user"].keys() == {"exec"}
    assert "env" not in user["user"]["exec"]

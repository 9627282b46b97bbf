"""What the report says each change of `dev` ends, and what the API server's record shows ended after the update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from components.model.running import State
from tests.control_plane.edited import entry
from tests.endings.changes import (
    SOME,
    Change,
    Platform,
    add_a_billing_label,
    ends,
    let_ordinary_nodes_be_more,
    maintain_at_night,
    nothing,
    pool,
    queue,
    share,
    stop,
    take_another_release_channel,
)
from tests.endings.compared import Compared
from tests.endings.submitted import deployment, job, job_set, pod

if TYPE_CHECKING:
    from components.kubeapi.documents import Document
    from tests.harness import Simulator

_FOR_EVER: Final = "sleep 8640000"
_USERS: Final = (
    job_set("research/mine", "research", 1, 2),
    job_set("research/extra", "extra", 1, 2),
    job_set("applied/theirs", "applied", 1, 2),
    job_set("research/waits", "research", 12, 2),
    job("research/tick"),
    pod("research/shell"),
    deployment("applied/server"),
    deployment("default/bench", use="bench"),
)
"""All but `waits` run; it asks for more chips than there are."""
_LATE: Final = job_set("applied/late", "applied", 3, 2)
"""It waits, until its queue owns more chips."""
_ON_ORDINARY_NODES: Final = ends("Job research/tick", "Pod research/shell", "Deployment applied/server")
_OF_RESEARCH: Final = ends(
    "JobSet research/sweep", "JobSet research/pretrain", "JobSet research/mine", "JobSet research/extra"
)
_BENCH: Final = ends("Deployment default/bench")


def _prepare(platform: Platform) -> None:
    """Slices for all declared work and that of users, on-demand; a slice outside of the queues; a second LocalQueue.

    Flex-start nodes live for seven days, the longest that GKE allows: none ends by itself while changes are compared.
    """
    pool(platform, "v5e-slice")["slices"] = 6
    pool(platform, "v6e-flex-slice")["max_run_seconds"] = 604800
    bench = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2", "zone": "us-south1-a", "labels": {"use": "bench"}}
    platform["tpu_slices"].append({"name": "bench", "slices": 1, **bench})
    platform["quota"][0]["chips"] = 128
    platform["quota"].append({"region": "us-south1", "family": "v5e", "class": "preemptible", "chips": 32})
    for name in ("research", "applied"):
        share(platform, name, "v5e").update(chips=24, borrow=24)
    queue(platform, "research")["local_queues"].append({"name": "extra", "namespace": "research"})
    for workload in platform["workloads"]:
        workload["script"] = _FOR_EVER


def add_a_slice(platform: Platform) -> None:
    pool(platform, "v5e-slice")["slices"] = 7


def raise_a_quota(platform: Platform) -> None:
    share(platform, "applied", "v5e").update(chips=32)


def lower_a_quota_that_nobody_claims(platform: Platform) -> None:
    share(platform, "applied", "v5e").update(chips=24)
    share(platform, "research", "v5e").update(chips=8, borrow=40)


def put_the_quota_back(platform: Platform) -> None:
    share(platform, "research", "v5e").update(chips=24, borrow=24)


def never_preempt_within_a_queue(platform: Platform) -> None:
    queue(platform, "research")["preemption"]["within_cluster_queue"] = "Never"


def admit_in_strict_order(platform: Platform) -> None:
    queue(platform, "applied")["strategy"] = "StrictFIFO"


def admit_in_any_order(platform: Platform) -> None:
    queue(platform, "applied")["strategy"] = "BestEffortFIFO"


def give_a_lender_what_it_waits_for(platform: Platform) -> None:
    share(platform, "research", "v5e").update(chips=8, borrow=40)
    share(platform, "applied", "v5e").update(chips=40, borrow=8)


def take_it_from_the_lender_again(platform: Platform) -> None:
    share(platform, "applied", "v5e").update(chips=24, borrow=24)
    put_the_quota_back(platform)


def leave_the_cohort(platform: Platform) -> None:
    applied = queue(platform, "applied")
    del applied["cohort"]
    for each in applied["flavors"]:
        del each["borrow"]
    applied["preemption"]["reclaim_within_cohort"] = "Never"


def join_the_cohort_again(platform: Platform) -> None:
    applied = queue(platform, "applied")
    applied["cohort"] = "dev"
    for each in applied["flavors"]:
        each["borrow"] = 8
    applied["preemption"]["reclaim_within_cohort"] = "Any"


def change_the_value_of_a_priority(platform: Platform) -> None:
    entry(platform["priorities"], "idle")["value"] = 50


def add_a_priority(platform: Platform) -> None:
    platform["priorities"].append({"name": "first", "value": 2000})


def remove_a_priority(platform: Platform) -> None:
    platform["priorities"].remove(entry(platform["priorities"], "first"))


def change_a_declared_run(platform: Platform) -> None:
    entry(platform["workloads"], "sweep")["image"] = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev2"


def rename_a_declared_run(platform: Platform) -> None:
    entry(platform["workloads"], "sweep")["name"] = "swept"


def remove_a_declared_run(platform: Platform) -> None:
    platform["workloads"].remove(entry(platform["workloads"], "swept"))


def add_a_declared_run(platform: Platform) -> None:
    platform["workloads"].append({**entry(platform["workloads"], "pretrain"), "name": "sweep", "priority": "idle"})


def add_a_run_that_is_more_important(platform: Platform) -> None:
    queue(platform, "research")["preemption"]["within_cluster_queue"] = "LowerPriority"
    pretrain = entry(platform["workloads"], "pretrain")
    big = {**pretrain, "name": "big", "priority": "urgent", "flavors": ["v5e"], "slices": 3}
    platform["workloads"].append(big)


def remove_the_important_run(platform: Platform) -> None:
    platform["workloads"].remove(entry(platform["workloads"], "big"))


def remove_a_local_queue_that_others_use(platform: Platform) -> None:
    local_queues = queue(platform, "research")["local_queues"]
    local_queues.remove(entry(local_queues, "extra"))


def remove_a_local_queue_that_nobody_uses(platform: Platform) -> None:
    remove_a_local_queue_that_others_use(platform)


def rename_a_pool(platform: Platform) -> None:
    pool(platform, "bench")["name"] = "bank"


def make_a_pool_spot(platform: Platform) -> None:
    pool(platform, "bank")["capacity"] = "spot"


def make_a_pool_on_demand(platform: Platform) -> None:
    pool(platform, "bank")["capacity"] = "on-demand"


def label_the_nodes_of_a_pool(platform: Platform) -> None:
    pool(platform, "bank")["labels"]["more"] = "yes"


def say_how_nodes_are_upgraded(platform: Platform) -> None:
    entry(platform["node_pools"], "system")["upgrade"] = {"max_surge": 2}


def remove_slices(platform: Platform) -> None:
    """Two remain, and at least three of the five jobs of a slice are in this pool: the other one has two slices."""
    pool(platform, "v5e-slice")["slices"] = 2
    for name in ("research", "applied"):
        share(platform, name, "v5e").update(chips=8, borrow=8)


def add_the_slices_again(platform: Platform) -> None:
    pool(platform, "v5e-slice")["slices"] = 7
    for name in ("research", "applied"):
        share(platform, name, "v5e").update(chips=24, borrow=24)


def take_larger_ordinary_nodes(platform: Platform) -> None:
    entry(platform["node_pools"], "system")["machine_type"] = "e2-standard-8"


def expect_pods_to_be_ready(platform: Platform) -> None:
    platform["controllers"] = {"kueue": {"pods_ready": {"timeout_seconds": 1800}}}


def share_fairly(platform: Platform) -> None:
    platform["controllers"]["kueue"]["fair_sharing"] = True


def add_a_bucket(platform: Platform) -> None:
    platform["buckets"] = [{"name": "tpu-sandbox-endings", "location": "us-south1"}]


def remove_a_bucket(platform: Platform) -> None:
    del platform["buckets"]


def remove_a_claim(platform: Platform) -> None:
    claims = platform["shared_storage"][0]["claims"]
    claims.remove(next(each for each in claims if each["namespace"] == "applied"))


def add_a_claim(platform: Platform) -> None:
    platform["shared_storage"][0]["claims"].append({"name": "shared", "namespace": "applied"})


def remove_a_queue_that_is_not_drained(platform: Platform) -> None:
    platform["queues"].remove(queue(platform, "applied"))
    platform["workloads"].remove(entry(platform["workloads"], "finetune"))


def remove_a_drained_queue(platform: Platform) -> None:
    remove_a_queue_that_is_not_drained(platform)


def move_the_cluster(platform: Platform) -> None:
    platform["cluster"]["location"] = "us-south1-a"


CHANGES: Final = (
    Change(nothing),
    Change(add_a_billing_label),
    Change(maintain_at_night),
    Change(take_another_release_channel),
    Change(add_a_slice),
    Change(raise_a_quota),
    Change(lower_a_quota_that_nobody_claims),
    Change(put_the_quota_back),
    Change(never_preempt_within_a_queue),
    Change(admit_in_strict_order),
    Change(admit_in_any_order),
    Change(give_a_lender_what_it_waits_for, SOME, first=(_LATE,)),
    Change(take_it_from_the_lender_again),
    Change(leave_the_cohort),
    Change(join_the_cohort_again),
    Change(stop("applied", "hold", "hold")),
    Change(stop("applied", None, "resume")),
    Change(stop("research", "drain", "drain"), _OF_RESEARCH),
    Change(stop("research", None, "resume")),
    Change(change_the_value_of_a_priority),
    Change(add_a_priority),
    Change(remove_a_priority),
    Change(change_a_declared_run, ends("JobSet research/sweep")),
    Change(rename_a_declared_run, ends("JobSet research/sweep")),
    Change(remove_a_declared_run, ends("JobSet research/swept")),
    Change(add_a_declared_run),
    Change(add_a_run_that_is_more_important, SOME),
    Change(remove_the_important_run, ends("JobSet research/big")),
    Change(remove_a_local_queue_that_others_use, is_refused=True),
    Change(remove_a_local_queue_that_nobody_uses, without="research/extra"),
    Change(rename_a_pool, _BENCH),
    Change(make_a_pool_spot, _BENCH),
    Change(make_a_pool_on_demand, _BENCH),
    Change(label_the_nodes_of_a_pool),
    Change(say_how_nodes_are_upgraded),
    Change(remove_slices, SOME),
    Change(add_the_slices_again),
    Change(let_ordinary_nodes_be_more),
    Change(take_larger_ordinary_nodes, _ON_ORDINARY_NODES),
    Change(expect_pods_to_be_ready),
    Change(share_fairly),
    Change(add_a_bucket),
    Change(remove_a_bucket),
    Change(remove_a_claim),
    Change(add_a_claim),
    Change(remove_a_queue_that_is_not_drained, is_refused=True),
    Change(stop("applied", "drain", "drain"), ends("JobSet applied/finetune", "JobSet applied/theirs")),
    Change(remove_a_drained_queue, ends("JobSet applied/finetune")),
    Change(move_the_cluster, SOME),
)


@pytest.fixture(scope="module")
def compared(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """The stack, up, with all work on it."""
    return Compared.brought_up(simulator, "dev", tmp_path_factory.mktemp("dev") / "project", _prepare, _USERS)


def test_the_command_names_every_job_with_its_queue_and_its_nodes(compared: Compared) -> None:
    found = {each.title: each for each in compared.asked().work}
    assert {each.title for each in found.values() if each.state is State.WAITS} == {"JobSet research/waits"}
    running = {title for title, each in found.items() if each.state is State.RUNS and each.is_ready}
    declared = {"JobSet research/sweep", "JobSet research/pretrain", "JobSet applied/finetune"}
    assert running == declared | {f"{each['kind']} {_title(each)}" for each in _USERS} - {"JobSet research/waits"}
    mine = found["JobSet research/mine"]
    assert (mine.queue, mine.local_queue, mine.chips, mine.flavors) == ("research", "research", 8, ("v5e",))
    assert [each.startswith("v5e-slice") for each in mine.pools] == [True]
    assert found["Deployment default/bench"].chips == 4


def _title(document: Document) -> str:
    return f"{document['metadata']['namespace']}/{document['metadata']['name']}"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_what_the_report_says_ends_is_what_ends(compared: Compared, change: Change) -> None:
    compared.check(change)

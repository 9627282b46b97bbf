"""What each part of the report says of a change, from the stream of its preview."""

from __future__ import annotations

import json
from typing import Final

import pytest

from policies.report.events import read_state
from tests.policies.report.stream import Resources, error, resources, state, steps, stream, told, violation
from tests.stacks import Stack, a_platform

PLATFORM: Final = a_platform()
SLICES: Final = ("tpu_slices", 0)
LARGER: Final = PLATFORM.set(*SLICES, topology="4x4").set("flavors", 0, topology="4x4").set("workloads", 0, slices=2)


@pytest.fixture(scope="module")
def before() -> Resources:
    return resources(PLATFORM)


def report_of(before: Resources, after: Stack) -> str:
    return told(stream(steps(before, resources(after))))


def lines_of(text: str, beginning: str) -> list[str]:
    return [line for line in text.split("\n") if line.removeprefix("> ").startswith(beginning)]


def test_nothing_changes(before: Resources) -> None:
    text = report_of(before, PLATFORM)
    assert "**Passes: nothing changes.**" in text
    assert "- **Chips:** `v5e on-demand` 16 (2 slices), as before." in text
    assert "- **Quota:** no change." in text
    assert "What changes" not in text
    assert "Changed properties" not in text


def test_a_slice_more(before: Resources) -> None:
    text = report_of(before, PLATFORM.set(*SLICES, slices=3))
    assert "> [!TIP]\n> **Passes.**" in text
    asked = "jobs that others submitted were not looked for: nobody asked the cluster, as tpu running does"
    assert f"- **Ends:** no slice, no declared workload and no stored data; {asked}." in text
    assert "`v5e on-demand` 16 (2 slices) → ▲ **24 (3 slices)**." in text
    assert "- **Quota:** `research v5e-2x4` 16 → ▲ **24**." in text
    assert "| create | NodePool `v5e3` |  |" in text


def test_another_topology_names_slices_queues_and_work_that_end(before: Resources) -> None:
    text = report_of(before, LARGER)
    assert "> [!WARNING]\n> **Passes, but ends slices, workloads or data.**" in text
    assert (
        "2 slices (16 chips) of `v5e1`, `v5e2`; 1 declared workload: `JobSet default/train`; jobs that others" in text
    )
    assert (
        "| `v5e1`, `v5e2` | 2 x v5e on-demand 2x4, 16 chips | is replaced, for a change of placementPolicy "
        "| `research` |" in text
    )
    happens = "is stopped and runs again from its beginning, even if it had finished"
    because = "because it is replaced, for a change of spec"
    assert f"| `JobSet default/train` | this stack | `research` | 16 | {happens}, {because} |" in text
    order = [text.index(f"| {op} |") for op in ("replace", "update")]
    assert order == sorted(order)


def test_work_that_stays_is_named_where_its_slices_end(before: Resources) -> None:
    fewer = PLATFORM.set(*SLICES, slices=1).set("workloads", 0, slices=1)
    only = {key: each for key, each in resources(fewer).items() if "JobSet" not in key}
    jobs = {key: each for key, each in before.items() if "JobSet" in key}
    text = told(stream(steps(before, {**only, **jobs})))
    assert "- **Ends:** 1 slice (8 chips) of `v5e2`; may end: `JobSet default/train`; jobs that" in text
    assert "| perhaps loses its nodes, because the node pool v5e2 is deleted |" in text


def test_fewer_single_host_slices_shrink_their_pool() -> None:
    one = {"name": "v5e", "machine_type": "ct5lp-hightpu-4t", "topology": "2x2", "zone": "us-west4-a"}
    alone = PLATFORM.drop("workloads", 0).set("flavors", 0, topology="2x2").drop(*SLICES)
    text = report_of(resources(alone.add("tpu_slices", **one, slices=4)), alone.add("tpu_slices", **one, slices=1))
    assert "| `v5e` | 3 x v5e on-demand 2x2, 12 chips | shrinks to 1 slice | `research` |" in text
    assert "`v5e on-demand` 16 (4 slices) → ▼ **4 (1 slice)**" in text


BORROWER: Final = {"name": "vision", "cohort": "shared", "local_queues": [{"name": "vision"}]}


def lending(**share: object) -> Stack:
    """The platform with a cohort, in which `applied` has half of the chips and `research` the rest."""
    half = PLATFORM.set(cohorts=[{"name": "shared"}]).set(
        "queues", 0, cohort="shared", flavors=[{"name": "v5e-2x4", "chips": 8}]
    )
    return half.add(
        "queues",
        name="applied",
        cohort="shared",
        flavors=[{"name": "v5e-2x4", "chips": 8, **share}],
        preemption={"within_cluster_queue": "Never", "reclaim_within_cohort": "Any"},
        local_queues=[{"name": "applied"}],
    )


def test_a_new_queue_that_borrows_is_told_with_whom_it_competes() -> None:
    after = lending().add("queues", **BORROWER, flavors=[{"name": "v5e-2x4", "chips": 0, "borrow": 8}])
    text = report_of(resources(lending()), after)
    others = "Others that may: `applied`, `research`. Owners that may take it back: `applied`."
    assert f"`vision` may borrow `v5e-2x4`. {others}" in text


def test_a_queue_that_borrows_nothing_competes_with_nobody() -> None:
    there = PLATFORM.set("queues", 0, flavors=[{"name": "v5e-2x4", "chips": 8}]).set("workloads", 0, slices=1)
    lone = {"name": "vision", "local_queues": [{"name": "vision"}], "flavors": [{"name": "v5e-2x4", "chips": 8}]}
    assert "may borrow" not in report_of(resources(there), there.add("queues", **lone))


def test_slices_that_end_hit_a_queue_that_only_borrows_them() -> None:
    there = lending().add("queues", **BORROWER, flavors=[{"name": "v5e-2x4", "chips": 0, "borrow": 8}])
    text = report_of(resources(there), there.set(*SLICES, name="large"))
    assert "| `applied`, `research`, `vision` |" in text


def test_a_cluster_elsewhere_ends_everything(before: Resources) -> None:
    after = dict(before)
    reference = next(key for key in after if key.startswith("gcp:container/cluster:Cluster"))
    after[reference] = {**after[reference], "location": "us-west1"}
    text = told(stream(steps(before, after)))
    assert "- **Ends:** 1 cluster; 1 declared workload: `JobSet default/train`; jobs that others" in text
    assert "`Cluster ml` is replaced, for a change of location: everything in it ends." in text


def test_what_keeps_data_is_named() -> None:
    share = {"name": "share", "tier": "BASIC_HDD", "location": "us-west4-a", "share": "data", "capacity_gib": 1024}
    with_share = PLATFORM.set(shared_storage=[{**share, "claims": [{"name": "data", "namespace": "default"}]}])
    there = resources(with_share)
    text = told(stream(steps(there, resources(PLATFORM))))
    assert "> **Passes, but ends slices, workloads or data.**" in text
    assert "`Instance share` is deleted: what it keeps is lost." in text
    assert "Filestore BASIC\\_HDD in us-west4 (1,024 GiB before, none after)" in text


def test_mandatory_policies_are_what_must_be_fixed(before: Resources) -> None:
    broken = violation("no-public-nodes", "Cluster ml, privateClusterConfig: is public. Set enablePrivateNodes.")
    advice = violation("image-is-pinned", "JobSet train: has no digest.", level="advisory")
    text = told(stream(steps(before, before), advice, broken, broken, result="failed"))
    assert "> [!CAUTION]\n> **Does not pass: 1 mandatory policy is broken.**" in text
    assert "- `no-public-nodes` (high) Cluster ml, privateClusterConfig: is public. Set enablePrivateNodes." in text
    assert "| low | `image-is-pinned` | JobSet train: has no digest. |" in text
    assert "times in all" not in text
    assert text.index("### What must be fixed") < text.index("### Chips") < text.index("### What policies advise")
    assert "- **Chips:** `v5e on-demand` 16 (2 slices), as before." in text


def test_a_policy_that_is_broken_in_two_places_is_one_policy(before: Resources) -> None:
    broken = [violation("no-public-nodes", f"Cluster {name}: is public.") for name in ("ml", "other")]
    text = told(stream(steps(before, before), *broken, result="failed"))
    assert "**Does not pass: 1 mandatory policy is broken, 2 times in all.**" in text


def test_every_changed_property_is_shown_and_a_row_names_four(before: Resources) -> None:
    after = {
        key: {**inputs, **{f"p{number}": "x" * (number * 100) for number in range(1, 7)}}
        if key.endswith(("NodePool::v5e1", "NodePool::v5e2"))
        else inputs
        for key, inputs in before.items()
    }
    text = told(stream(steps(before, after)))
    assert "| update | NodePool `v5e1` | `p1`, `p2`, `p3`, `p4` and 2 more |" in text
    (shown,) = (part.partition("```")[0] for part in text.split("```diff\n")[1:])
    for name in ("v5e1", "v5e2"):
        lines = shown.partition(f":NodePool {name} @@\n")[2].partition("@@")[0]
        assert f'+ p1: "{"x" * 100}"\n' in lines
        assert f'+ p6: "{"x" * 199}... (602 characters)\n' in lines
    assert "left out" not in text


def test_a_rule_of_ours_says_why_it_is_there(before: Resources) -> None:
    text = told(stream(steps(before, before), violation("quota-is-whole-slices", "Set 8."), result="failed"))
    assert "<summary>Why these rules are there</summary>" in text
    assert lines_of(text, "- `quota-is-whole-slices`: ")


def test_what_policies_put_right_is_told(before: Resources) -> None:
    remedied = {"policyRemediationEvent": {"policyName": "queue-is-a-label", "resourceUrn": "urn:x"}}
    text = told(stream(steps(before, before), remedied))
    assert "- `queue-is-a-label` put right 1 of them by itself" in text


def test_what_only_groups_others_comes_after_them(before: Resources) -> None:
    rows = lines_of(told(stream(steps({}, before))), "| create |")
    kinds = [row.split(" ")[3] for row in rows]
    assert kinds.index("NodePool") < kinds.index("TpuSlices")
    assert kinds.index("JobSet") < kinds.index("Buckets")


FAILURE: Final = (
    "tpu-platform:platform: queues[0].borrow: warning: odd.\n  Remove it.\n\n"
    "tpu-platform:platform: queues[0].chips: 4 chips are no slice.\n  Set 8.\n\n"
    "1 error and 1 warning; nothing was changed."
)


def test_a_program_that_stops_says_what_to_fix_and_what_there_was(before: Resources) -> None:
    lines = stream([], error(FAILURE), error("preview failed"), result="failed")
    text = told(lines, read_state(json.dumps(state(before))))
    assert "**Does not pass: the preview failed before policies could check it.**" in text
    assert "- **Chips:** `v5e on-demand` 16 (2 slices) → unknown." in text
    assert "- **Quota:** `research v5e-2x4` 16 → unknown." in text
    assert "- **Ends:** nothing, as long as it does not pass; what it would end is unknown." in text
    assert "```\ntpu-platform:platform: queues[0].chips: 4 chips are no slice.\n  Set 8.\n\n1 error" in text
    assert "<summary>1 warning beside</summary>" in text


def test_a_program_that_stops_shows_what_the_stack_file_asks_for(before: Resources) -> None:
    lines = stream([], error(FAILURE), error("preview failed"), result="failed")
    there = read_state(json.dumps(state(before)))
    declared = PLATFORM.set(*SLICES, slices=3).set("queues", 0, "flavors", 0, chips=4).plan()
    text = told(lines, there, declared=declared)
    whole = told(stream(steps(before, resources(PLATFORM.set(*SLICES, slices=3)))))
    assert "stopped before them; what follows is what the stack file says." in text
    assert "- **Chips:** `v5e on-demand` 16 (2 slices) → ▲ **24 (3 slices)**." in text
    assert "- **Quota:** `research v5e-2x4` 16 → ▼ **4**." in text
    (cost,) = lines_of(whole, "- **Cost:** ")
    assert lines_of(text, "- **Cost:** ") == [cost], "as a preview tells it that gets to its end"
    assert "- **Ends:** nothing, as long as it does not pass; what it would end is unknown." in text


def test_without_a_state_a_failed_preview_tells_no_figures() -> None:
    text = told(stream([], error("no such stack"), result="failed"))
    assert "- **Chips:** unknown." in text
    assert "- **Quota:** unknown." in text
    assert "- **Cost:** unknown." in text


def test_a_stream_that_breaks_off_does_not_pass(before: Resources) -> None:
    text = told(["error: the daemon is gone", *stream(steps(before, before))[:-1]])
    assert "**Does not pass: the preview failed before policies could check it.**" in text
    assert "error: the daemon is gone" in text


def test_a_failure_without_a_reason_does_not_pass(before: Resources) -> None:
    text = told(stream(steps(before, before), result="failed"))
    assert "**Does not pass: the engine says that it failed, but not why.**" in text


def test_what_is_not_known_yet_is_named(before: Resources) -> None:
    after = resources(PLATFORM)
    reference = next(key for key in after if key.endswith("NodePool::v5e1"))
    unknown = {"type": "COMPACT", "tpuTopology": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}
    text = told(stream(steps(before, {**after, reference: {**after[reference], "placementPolicy": unknown}})))
    assert (
        "Not counted after, NodePool v5e1 placementPolicy.tpuTopology is not known yet; nor is what depends on it."
        in text
    )
    assert "+ placementPolicy.tpuTopology: (not known yet, or secret)" in text


def test_no_secret_is_told(before: Resources) -> None:
    word = "hunter2"
    signed = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": word}
    old = {"kubernetes:core/v1:Secret::s": {"stringData": {"password": signed}}}
    new = {"kubernetes:core/v1:Secret::s": {"stringData": {"password": "[secret]", "user": "me"}}}
    text = told(stream(steps({**before, **old}, {**before, **new})))
    assert word not in text
    assert '+ stringData.user: "me"' in text
    assert "stringData.password" not in text.split("```diff")[1]

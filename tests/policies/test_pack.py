"""The policies of the packs, asked as the engine asks them: what they find, at which level, what they leave."""

from __future__ import annotations

import copy
import dataclasses
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from msgspec import structs
from pulumi_policy import ResourceValidationPolicy, Severity as PolicySeverity, StackValidationPolicy

from components.model.facts import kinds
from components.model.findings import Finding, Severity
from components.model.rule import Family, Scope
from policies.names import (
    ADVICE,
    DECIDED,
    REPORTERS,
    RESOURCE_ERRORS,
    RESOURCE_WARNINGS,
    SETTINGS,
    STACK_ERRORS,
    rule_of,
)
from policies.objects.judging import TYPES, read_in_object
from policies.objects.ledger_rules import LEDGER_RULES
from policies.pack import PACKS, pack_of
from policies.rules import OBJECT_RULES, RULE_IDS, judge
from policies.run import NotShownError
from policies.settings import delivered_levels
from tests.policies.asking import UNKNOWN_TEXT, Asked, Registered, Violation, registered, settings_of
from tests.policies.cases import Case, cases, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

CASES: Final = list(cases())
POOL: Final = "gcp:container/nodePool:NodePool"
QUEUE: Final = "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue"
LOCAL_QUEUE: Final = "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue"
FLAVOR: Final = "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor"
JOB: Final = "kubernetes:batch/v1:Job"
LOCAL: Final = {TYPES.id, *(rule.id for rule in OBJECT_RULES if rule.scope is Scope.OBJECT)}
"""Rules over one object."""
ADVICE_TOO: Final = {rule.id: "advisory" for rule in (*OBJECT_RULES, *LEDGER_RULES) if rule.severity is Severity.ADVICE}
"""Levels with which a configuration asks for advice."""


def a_pool(name: str = "slice-a", **inputs: object) -> Registered:
    """A slice of two hosts of four chips."""
    sound: dict[str, object] = {
        "name": name,
        "cluster": "lab",
        "location": "us-west4-a",
        "nodeLocations": ["us-west4-a"],
        "nodeCount": 2,
        "nodeConfig": {"machineType": "ct5lp-hightpu-4t"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
    }
    return Registered(POOL, name, {key: value for key, value in {**sound, **inputs}.items() if value is not None})


def a_flavor(name: str = "v5e") -> Registered:
    labels = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": name}}
    return Registered(FLAVOR, name, {**body, "spec": {"nodeLabels": labels}})


def a_queue(quota: object, *flavors: str) -> Registered:
    """The quota of each flavor; without names that of `v5e`."""
    resources = [{"name": "google.com/tpu", "nominalQuota": quota}]
    entries = [{"name": name, "resources": resources} for name in flavors or ("v5e",)]
    spec: dict[str, object] = {
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": ["google.com/tpu"], "flavors": entries}],
    }
    body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "chips"}}
    return Registered(QUEUE, "chips", {**body, "spec": spec})


def a_local_queue(namespace: str) -> Registered:
    body = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue"}
    metadata = {"name": "chips", "namespace": namespace}
    return Registered(LOCAL_QUEUE, "local", {**body, "metadata": metadata, "spec": {"clusterQueue": "chips"}})


def findings(violations: Iterable[Violation]) -> list[Violation]:
    """Without the report of what could not be decided."""
    return [each for each in violations if each.policy != DECIDED]


def undecided(violations: Iterable[Violation]) -> str:
    """The report of what could not be decided; empty where there is none."""
    return "".join(each.text for each in violations if each.policy == DECIDED)


def levels() -> dict[str, str]:
    """The level of each rule as it is delivered."""
    return delivered_levels((TYPES, *OBJECT_RULES, *LEDGER_RULES))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}: {case.name}" for case in CASES])
def test_a_case_is_found_at_its_resources_by_the_first_preview(case: Case) -> None:
    asked = Asked()
    asked.configure(settings_of(case), **ADVICE_TOO)
    urns = {registered(each).urn: name_of(each) for each in case.resources}
    resources = [registered(each) for each in case.registered]
    before = [said for each in resources for said in asked.resource(each)]
    after = findings(asked.stack(resources, {}))
    assert {rule_of(each.policy) for each in before} <= LOCAL, "these look at one object, before it is made"
    assert {rule_of(each.policy) for each in after}.isdisjoint(LOCAL)
    found = [*before, *after]
    rules = {(rule_of(each.policy), urns[each.urn]) for each in found}
    assert rules == {(case.rule, name) for name in case.finds} | case.beside, found
    assert {(each.policy, each.level) for each in found} <= {**levels(), **ADVICE_TOO}.items()


def test_a_rule_finds_nothing_of_a_severity_that_it_does_not_state() -> None:
    stated = {rule.id: rule.severities for rule in (TYPES, *OBJECT_RULES, *LEDGER_RULES)}
    found = [finding for case in CASES for finding in judge(case.world, case.settings).findings]
    assert [(each.rule, each.severity) for each in found if each.severity not in stated[each.rule]] == []


def test_the_reader_of_a_rule_over_a_plan_states_all_that_the_rule_states() -> None:
    of_plan = structs.replace(LEDGER_RULES[0], also_warns=True, setting="chips")
    read = read_in_object(of_plan, kinds=(kinds.JOB,))(lambda _each: ())
    stated = {name: getattr(of_plan, name) for name in of_plan.__struct_fields__}
    own = {"kinds": (kinds.JOB,), "scope": Scope.OBJECT, "judge": read.judge, "needs": ()}
    assert {name: getattr(read, name) for name in read.__struct_fields__} == {**stated, **own}


_OF_POOLS: Final = ("quota-within-limits", "flavor-is-one-kind")
_OF_ONE_OF_TWO: Final = "two releases, of which nobody knows the one that reads it"
"""Of one of the two alone it is known."""
HIDDEN: Final = [
    case
    for index, case in enumerate(CASES)
    if (index % 12 == 0 or case.rule in _OF_POOLS) and case.name != _OF_ONE_OF_TWO
]


@pytest.mark.parametrize("case", HIDDEN, ids=[f"{case.rule}: {case.name}" for case in HIDDEN])
def test_what_is_not_shown_makes_no_finding(case: Case) -> None:
    resources = [registered(each) for each in case.registered]
    stated = settings_of(case)
    whole = Asked()
    whole.configure(stated, **ADVICE_TOO)
    full = {(each.policy, each.urn) for each in findings(whole.first_preview(resources))}
    for hidden in resources:
        asked = Asked()
        asked.configure(stated, **ADVICE_TOO)
        said = [said for each in resources if each is not hidden for said in asked.resource(each)]
        found = findings([*said, *asked.stack(resources, {})])
        assert {(each.policy, each.urn) for each in found} <= full


def test_a_policy_lists_every_rule_with_all_that_is_known_of_it() -> None:
    first, *policies = pack_of("all").policies
    names = [each.name for each in policies]
    assert len(names) == len(set(names))
    assert first.name == SETTINGS
    assert tuple(names[-4:]) == REPORTERS
    assert [name for name in names[:-4] if not name.endswith(ADVICE)] == [*RULE_IDS, DECIDED]
    assert {rule_of(name) for name in names[:-4]} == {*RULE_IDS, DECIDED}
    for policy in policies[:-4]:
        assert policy.description[0].isupper()
        assert policy.description.endswith(".")
        assert policy.remediation_steps
        assert ("Source: " in policy.remediation_steps) == (policy.name != DECIDED)
        assert policy.url == f"docs/rules.md#{rule_of(policy.name)}"


def test_a_policy_has_the_family_of_its_rule_and_the_severity_of_its_level() -> None:
    rules = {rule.id: rule for rule in (*OBJECT_RULES, *LEDGER_RULES)}
    listed = {each.name: each for each in pack_of("all").policies if each.name not in (SETTINGS, *REPORTERS)}
    high = {name for name, each in listed.items() if each.severity is PolicySeverity.HIGH}
    assert high == {key for key, level in levels().items() if level == "mandatory"}
    assert {each.severity for name, each in listed.items() if name not in high} == {PolicySeverity.LOW}
    families = {name: [rules[rule_of(name)].family.value] for name in listed if rule_of(name) in rules}
    assert {name: each.tags for name, each in listed.items()} == {**families, TYPES.id: None, DECIDED: None}


def test_few_policies_validate() -> None:
    """The SDK reads every resource anew for each."""
    policies = pack_of("all").policies
    resource = [each for each in policies if isinstance(each, ResourceValidationPolicy) and each.has_validation()]
    stack = [each for each in policies if isinstance(each, StackValidationPolicy)]
    assert (len(resource), len(stack)) == (3, 2)


def test_the_three_packs_share_the_rules_among_them() -> None:
    common = {SETTINGS, TYPES.id, DECIDED, *REPORTERS}
    three = [{each.name for each in pack_of(name).policies} - common for name in PACKS if name != "all"]
    assert sum(map(len, three)) == len(set[str]().union(*three))
    assert set[str]().union(*three) == {each.name for each in pack_of("all").policies} - common
    assert {pack_of(name).name for name in PACKS} == {f"tpu-platform-{name}" for name in PACKS}


_LEVEL_OF: Final = {Severity.ERROR: "mandatory", Severity.WARNING: "advisory", Severity.ADVICE: "disabled"}


def test_a_warning_is_advisory_and_advice_is_for_those_who_ask() -> None:
    for rule in OBJECT_RULES:
        assert levels()[rule.id] == _LEVEL_OF[rule.severity]
        assert levels().get(f"{rule.id}{ADVICE}") == ("advisory" if rule.also_warns else None)


def test_a_violation_says_where_what_and_what_would_be_right() -> None:
    pool = a_pool(nodeCount=1)
    assert Asked().resource(pool) == [
        Violation(
            "slice-has-all-its-nodes",
            pool.urn,
            "mandatory",
            "NodePool slice-a, nodeCount: 1 node; a 2x4 slice of ct5lp-hightpu-4t is 2 hosts. "
            "Set 2; another slice is another pool.",
        )
    ]


def test_a_quota_above_the_chips_is_found_while_the_engine_shows_empty_bags() -> None:
    queue = a_queue(24)
    found = findings(Asked().first_preview([a_pool(), a_pool("slice-b"), a_flavor(), queue]))
    assert [(each.policy, each.urn, each.level) for each in found] == [("quota-within-pools", queue.urn, "mandatory")]


def test_chips_that_two_flavors_promise_are_counted_once() -> None:
    pools, flavors = [a_pool(), a_pool("slice-b")], [a_flavor(), a_flavor("spare")]
    sound, broken = a_queue(8, "v5e", "spare"), a_queue(16, "v5e", "spare")
    assert findings(Asked().first_preview([*pools, *flavors, sound])) == []
    (found,) = findings(Asked().first_preview([*pools, *flavors, broken]))
    assert found.policy == "quota-within-pools"
    assert "flavors[1].resources[0].nominalQuota: 16 chips are promised, but spare and v5e share nodes" in found.text


def test_a_sound_stack_is_clean() -> None:
    assert findings(Asked().first_preview([a_pool(), a_pool("slice-b"), a_flavor(), a_queue(16)])) == []


def test_what_was_declared_is_judged_whatever_became_of_it() -> None:
    pool = a_pool(nodeCount=None, autoscaling={"minNodeCount": 0, "maxNodeCount": 2})
    stack, asked = [pool, a_flavor(), a_queue(8)], Asked()
    for each in stack:
        assert asked.resource(each) == []
    assert findings(asked.stack(stack, {pool.urn: {**pool.inputs, "nodeCount": 1, "version": "1.34.1"}})) == []


def test_a_resource_that_was_not_registered_in_this_run_is_judged_by_what_it_is() -> None:
    stack = [a_pool(), a_flavor(), a_queue(24)]
    found = findings(Asked().stack(stack, {each.urn: each.inputs for each in stack}))
    assert [each.policy for each in found] == ["quota-within-pools"]


def test_an_empty_bag_of_which_nothing_was_shown_before_is_not_checked() -> None:
    asked, stack = Asked(), [a_pool(), a_flavor(), a_queue(24)]
    for each in stack[:2]:
        asked.resource(each)
    said = asked.stack(stack, {})
    assert findings(said) == []
    assert "quota-within-pools" in undecided(said)
    assert "ClusterQueue chips is not known yet" in undecided(said)


def test_a_value_that_is_not_known_yet_is_told_with_its_rules_and_decides_nothing_else() -> None:
    late = a_pool(placementPolicy={"type": "COMPACT", "tpuTopology": UNKNOWN_TEXT}, nodeCount=1)
    broken = a_pool("slice-b", nodeCount=1)
    said = Asked().first_preview([late, broken])
    assert [(each.policy, each.urn, each.level) for each in findings(said)] == [
        ("slice-has-all-its-nodes", broken.urn, "mandatory")
    ]
    assert "NodePool slice-a placementPolicy.tpuTopology is not known yet" in undecided(said)
    named = next(line for line in undecided(said).splitlines() if "tpuTopology" in line)
    assert "slice-has-all-its-nodes" in named


def test_the_report_of_what_could_not_be_decided_is_one_advice_with_number_and_names() -> None:
    said = Asked(pack_of("quota")).first_preview([a_flavor()])
    assert [(each.policy, each.level) for each in said] == [(DECIDED, "advisory")]
    rules = sum(rule.family is Family.QUOTA for rule in (*OBJECT_RULES, *LEDGER_RULES))
    head, *lines = said[0].text.splitlines()
    named = {rule for line in lines for rule in re.findall(r"[a-z-]{5,}", line.partition(":")[0])}
    assert head == f"{len(named)} of {rules} rules could not be decided for everything:"
    assert {"flavor-is-served", "flavor-is-one-machine", "flavor-is-one-capacity"} <= named
    assert named <= set(RULE_IDS)
    assert all(line.startswith("- ") for line in lines)


def test_a_namespace_that_is_not_known_yet_is_not_taken_for_default() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "team", "labels": {"kueue.x-k8s.io/queue-name": "chips"}},
        "spec": {
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "registry.example/train:1.0"}],
                }
            }
        },
    }
    rest = [a_pool(), a_flavor(), a_queue(8), Registered(JOB, "train", job)]
    elsewhere = findings(Asked().first_preview([*rest, a_local_queue("default")]))
    assert "workload-queue-exists" in [each.policy for each in elsewhere]
    said = Asked().first_preview([*rest, a_local_queue(UNKNOWN_TEXT)])
    assert "workload-queue-exists" not in [each.policy for each in findings(said)]
    assert "LocalQueue chips metadata.namespace is not known yet" in undecided(said)


def test_a_field_of_another_type_is_refused_at_its_resource_whichever_rule_reads_it() -> None:
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}}
    spec = {"resources": "1T"}  # only a rule that compares it with a volume reads it
    found = Asked().resource(Registered("kubernetes:core/v1:PersistentVolumeClaim", "data", {**body, "spec": spec}))
    assert [(each.policy, each.text.partition(":")[0]) for each in found] == [
        (TYPES.id, "PersistentVolumeClaim data, spec.resources")
    ]


def test_a_field_of_another_type_is_refused() -> None:
    found = findings(Asked().first_preview([a_pool(nodeCount="many"), a_flavor(), a_queue("lots")]))
    assert {each.policy for each in found} == {TYPES.id}
    assert {each.level for each in found} == {"mandatory"}
    assert {each.text.partition(":")[0] for each in found} == {
        "NodePool slice-a, nodeCount",
        "ClusterQueue chips, spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
    }


def test_what_is_registered_is_kept_whichever_policies_are_on() -> None:
    asked, stack = Asked(pack_of("quota")), [a_pool(), a_pool("slice-b"), a_flavor(), a_queue(24)]
    asked.state(dict.fromkeys((RESOURCE_ERRORS, RESOURCE_WARNINGS), "disabled"))
    assert [each.policy for each in findings(asked.first_preview(stack))] == ["quota-within-pools"]


def test_a_message_shows_no_secret() -> None:
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "ct5lp-hightpu-4t"}
    [said] = Asked().resource(a_pool(nodeCount=1, nodeConfig={"machineType": secret}))
    assert "a 2x4 slice of [secret] is 2 hosts." in said.text


def test_levels_are_those_of_the_configuration() -> None:
    asked, pool = Asked(), a_pool(nodeCount=1)
    asked.configure(slice_has_all_its_nodes="advisory")
    assert [each.level for each in asked.resource(pool)] == ["advisory"]
    asked.configure(slice_has_all_its_nodes="disabled")
    assert asked.resource(pool) == []
    asked.configure(quota_within_pools="advisory")
    stack = [a_pool(), a_flavor(), a_queue(16)]
    assert [each.level for each in findings(asked.first_preview(stack))] == ["advisory"]
    asked.configure(quota_within_pools="disabled", every_rule_is_decided="disabled")
    assert asked.first_preview(stack) == []


def test_the_engines_level_of_a_policy_is_that_of_all_its_rules() -> None:
    asked = Asked()
    asked.state({STACK_ERRORS: "advisory"})
    said = findings(asked.first_preview([a_pool(), a_flavor(), a_queue(16)]))
    assert [(each.policy, each.level) for each in said] == [("quota-within-pools", "advisory")]
    assert [each.level for each in asked.resource(a_pool(nodeCount=1))] == ["mandatory"]


def test_the_warnings_of_a_rule_with_errors_have_a_level_of_their_own() -> None:
    case = next(each for each in CASES if also(each) and {f.severity for f in found_in(each)} == {Severity.WARNING})
    asked, key = Asked(), f"{case.rule}{ADVICE}"
    resources = [registered(each) for each in case.registered]
    for stated, level in (("advisory", ["advisory"]), ("mandatory", ["mandatory"]), ("disabled", [])):
        asked.configure(settings_of(case), **{key: stated})
        found = [each.level for each in asked.first_preview(resources) if each.policy == key]
        assert list(dict.fromkeys(found)) == level


def found_in(case: Case) -> list[Finding]:
    """What the rule of a case finds in it."""
    return [each for each in judge(case.world, case.settings).findings if each.rule == case.rule]


def also(case: Case) -> bool:
    """Whether the rule of a case finds errors and warnings."""
    return any(rule.also_warns for rule in (*OBJECT_RULES, *LEDGER_RULES) if rule.id == case.rule)


def test_a_policy_with_undecided_rules_and_no_finding_has_not_passed() -> None:
    asked = Asked()
    late = a_pool(placementPolicy={"type": "COMPACT", "tpuTopology": UNKNOWN_TEXT})
    assert findings(asked.first_preview([late, a_flavor(), a_queue(8)])) == []
    assert asked.not_applicable[RESOURCE_ERRORS].startswith("not checked: NodePool slice-a placementPolicy.tpuTopology")
    assert asked.not_applicable[STACK_ERRORS].startswith("not checked: ")


@pytest.mark.parametrize("level", ["advisory", "mandatory", "disabled"])
@pytest.mark.parametrize("key", ["chips-are-counted", "slice-limits-are-per-zone", DECIDED])
def test_a_level_that_is_set_for_a_rule_as_for_a_policy_is_refused_with_the_new_form(key: str, level: str) -> None:
    asked = Asked()
    asked.state({key: level})
    first, second = asked.resource(a_pool()), asked.resource(a_pool("slice-b"))
    assert first == [
        Violation(
            SETTINGS,
            a_pool().urn,
            "mandatory",
            f'{key}: a level is set by rule, as in {{"{SETTINGS}": {{"levels": {{"{key}": "advisory"}}}}}}.',
        )
    ]
    assert second == []


@pytest.mark.parametrize("stated", [{SETTINGS: "disabled"}, {SETTINGS: "advisory"}])
def test_nothing_is_checked_without_the_policy_that_reads_resources(stated: dict[str, str]) -> None:
    asked = Asked()
    asked.state(stated)
    with pytest.raises(NotShownError, match="Set levels by rule"):
        asked.resource(a_pool())


def limited(name: str = "slice-a", **more: object) -> Registered:
    """A slice of two hosts with limits over all zones."""
    totals = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"}
    return a_pool(name, nodeCount=None, initialNodeCount=0, autoscaling=totals, **more)


def test_nothing_is_remedied_until_a_level_says_so() -> None:
    assert Asked().remedied(limited()) == []
    assert {each.policy for each in Asked().resource(limited())} == {"slice-limits-are-per-zone"}


def test_limits_over_all_zones_become_those_of_a_zone() -> None:
    asked = Asked()
    asked.configure(slice_limits_are_per_zone="remediate")
    [fixed] = asked.remedied(limited())
    assert fixed == {**limited().inputs, "autoscaling": {"minNodeCount": 0, "maxNodeCount": 2, "locationPolicy": "ANY"}}
    put_right = dataclasses.replace(limited(), inputs=fixed)
    assert asked.resource(put_right) == []
    assert asked.remedied(put_right) == []


def test_what_cannot_be_remedied_yet_is_left_alone() -> None:
    asked = Asked()
    asked.configure(slice_limits_are_per_zone="remediate")
    assert asked.remedied(limited(placementPolicy={"type": "COMPACT", "tpuTopology": UNKNOWN_TEXT})) == []
    assert asked.remedied(Registered("gcp:pubsub/topic:Topic", "data", {"name": "data"})) == []


def test_a_remedy_keeps_secrets_and_unknown_values() -> None:
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "hunter2"}
    asked = Asked()
    asked.configure(slice_limits_are_per_zone="remediate")
    [fixed] = asked.remedied(limited(version=UNKNOWN_TEXT, nodeConfig={"machineType": "ct5lp-hightpu-4t", "x": secret}))
    assert fixed["version"] == UNKNOWN_TEXT
    assert fixed["nodeConfig"]["x"] == secret


def test_a_remedy_is_that_of_a_rule_over_one_object() -> None:
    fixed = [rule for rule in (*OBJECT_RULES, *LEDGER_RULES) if rule.fix is not None]
    assert fixed
    assert {rule.scope for rule in fixed} == {Scope.OBJECT}


def test_a_queue_named_in_an_annotation_becomes_a_label() -> None:
    metadata = {"name": "train", "namespace": "team", "annotations": {"kueue.x-k8s.io/queue-name": "chips", "a": "b"}}
    job = Registered(JOB, "train", {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {}})
    asked = Asked()
    asked.configure(queue_is_a_label_of_the_run="remediate")
    [fixed] = asked.remedied(job)
    assert fixed["metadata"]["annotations"] == {"a": "b"}
    assert fixed["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "chips"}


@pytest.mark.parametrize(
    ("kind", "path"), [("Job", ("template", "spec", "nodeSelector")), ("ResourceFlavor", ("nodeLabels",))]
)
def test_a_selector_of_flex_start_nodes_is_completed(kind: str, path: tuple[str, ...]) -> None:
    found = [case.resources[0] for case in CASES if case.rule == "flex-start-nodes-are-asked-for" and case.finds]
    [broken, *_] = [registered(each) for each in found if "manifest" in each and each["manifest"]["kind"] == kind]
    asked = Asked()
    asked.configure(flex_start_nodes_are_asked_for="remediate")
    [fixed] = asked.remedied(broken)
    wanted: dict[str, Any] = copy.deepcopy(dict(broken.inputs))
    selector = wanted["spec"]
    for key in path:
        selector = selector[key]
    selector["cloud.google.com/gke-flex-start"] = "true"
    assert fixed == wanted
    assert asked.resource(dataclasses.replace(broken, inputs=fixed)) == []

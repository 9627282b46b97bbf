"""What the guardrails do where a case of the catalogue cannot show it: what is unknown, and what is not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from components.model.facts import kinds
from components.model.facts.apis import served
from policies.objects.judging import TYPES, Settings, Verdict
from policies.objects.values import SECRET, UNKNOWN, Value
from policies.objects.world import Object, World, cloud_object, manifest
from policies.rules import judge
from policies.rules.controllers import INSTEAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.facts.apis.fields import Field

TOKEN = "hf_" + "x" * 34
STRICT = Settings(is_protected=True, has_public_access=False, has_default_identity=False, regions=("us-central1",))


def cluster(name: str = "lab", **properties: Value) -> Object:
    return cloud_object(kinds.CLUSTER, {"name": name, "location": "us-central1", **properties}, origin=name)


def release(version: Value, **properties: Value) -> Object:
    chart: dict[str, Value] = {"name": "kueue", "chart": "oci://registry.k8s.io/kueue/charts/kueue", "version": version}
    return cloud_object(kinds.RELEASE, {**chart, **properties}, origin="kueue")


def kubernetes(kind: str, api_version: str = "v1", **fields: Value) -> Object:
    found = manifest({"apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}, **fields}, origin="it")
    assert found is not None
    return found


def look(*objects: Object, settings: Settings | None = None) -> Verdict:
    return judge(World(objects), settings or Settings())


def rules_of(verdict: Verdict) -> list[str]:
    return [each.rule for each in verdict.findings]


def undecided(verdict: Verdict) -> list[tuple[str, str]]:
    return [(each.rule, str(each.place)) for each in verdict.not_checked if each.place is not None]


@pytest.mark.parametrize(
    "holder",
    [
        kubernetes("ConfigMap", data={"login": f"login {TOKEN}", "DB_PASSWORD": "hunter2"}),
        kubernetes("Pod", spec={"containers": [{"name": "a", "image": "a:1", "env": [{"name": "A", "value": TOKEN}]}]}),
        kubernetes("Pod", spec={"containers": [{"name": "a", "image": "a:1", "env": f"HF_TOKEN={TOKEN}"}]}),
        kubernetes("Pod", spec={"containers": [{"name": "a", "image": "a:1", "args": ["--password=hunter2"]}]}),
        release("0.16.2", values={"auth": {"token": TOKEN}}),
    ],
)
def test_no_finding_repeats_a_secret(holder: Object) -> None:
    verdict = look(holder)
    assert verdict.findings
    said = " ".join(f"{each.place} {each.says} {each.remedy}" for each in verdict.findings)
    assert "xxx" not in said
    assert "hunter2" not in said


def test_a_secret_is_found_beside_a_value_that_is_not_known_yet() -> None:
    verdict = look(kubernetes("ConfigMap", data={"address": UNKNOWN, "token": TOKEN}))
    assert [(each.rule, str(each.place)) for each in verdict.findings] == [("secret-is-not-in-clear", "data.token")]
    assert undecided(verdict) == [("secret-is-not-in-clear", "data.address")]


def test_values_of_a_chart_that_are_not_known_yet_are_told() -> None:
    verdict = look(release("0.16.2", values={"image": {"tag": UNKNOWN}}))
    assert not verdict.findings
    assert undecided(verdict) == [
        ("secret-is-not-in-clear", "values.image.tag"),
        ("chart-image-is-pinned", "values.image.tag"),
    ]


@pytest.mark.parametrize(("version", "found"), [("0.14.9", True), ("0.15.0", False), ("0.15.1", False)])
def test_kueue_serves_v1beta2_since_its_first_release_with_it(version: str, *, found: bool) -> None:
    flavor = kubernetes("ResourceFlavor", "kueue.x-k8s.io/v1beta2")
    assert ("kueue-serves-what-is-written" in rules_of(look(release(version), flavor))) is found


@pytest.mark.parametrize("cidr", ["10.0.0.0", "10.0.0.0/33", "office", "", "fd00::/8"])
def test_what_is_no_range_is_told_and_ends_nothing(cidr: str) -> None:
    verdict = look(cluster(masterAuthorizedNetworksConfig={"cidrBlocks": [{"cidrBlock": cidr}]}))
    assert rules_of(verdict) == [TYPES.id]
    assert [str(each.place) for each in verdict.findings] == ["masterAuthorizedNetworksConfig.cidrBlocks[0].cidrBlock"]


def test_a_cluster_of_which_nothing_is_known_yet_is_not_judged() -> None:
    unknown = cloud_object(
        kinds.CLUSTER, dict.fromkeys(("name", "location", "privateClusterConfig"), UNKNOWN), origin="a"
    )
    verdict = look(unknown, settings=STRICT)
    assert ("nodes-are-private", "privateClusterConfig") in undecided(verdict)
    assert ("control-plane-is-private", "privateClusterConfig") in undecided(verdict)
    assert ("region-is-allowed", "location") in undecided(verdict)
    assert "nodes-are-private" not in rules_of(verdict)


def test_rules_that_know_one_cluster_say_that_there_are_several() -> None:
    pool = cloud_object(kinds.NODE_POOL, {"name": "a", "cluster": "lab", "location": "us-central1"}, origin="a")
    verdict = look(cluster(), cluster("auto", enableAutopilot=True), pool)
    reasons = {each.rule: each.reason for each in verdict.not_checked if each.place is None}
    assert reasons["autopilot-makes-its-nodes"] == "judges objects by their cluster, and there are 2 here"


def test_a_pool_of_a_cluster_that_is_not_known_yet_is_of_the_only_one() -> None:
    config: dict[str, Value] = {"workloadMetadataConfig": {"mode": "GKE_METADATA"}}
    pool = cloud_object(kinds.NODE_POOL, {"name": "a", "cluster": UNKNOWN, "nodeConfig": config}, origin="a")
    assert "metadata-server-has-identities" in rules_of(look(cluster(), pool))
    verdict = look(cluster(), cluster("other"), pool)
    assert "metadata-server-has-identities" not in rules_of(verdict)
    assert ("metadata-server-has-identities", "cluster") in undecided(verdict)


@pytest.mark.parametrize("addresses", [UNKNOWN, [], None])
def test_the_address_of_a_share_that_is_not_made_yet_is_not_compared(addresses: Value) -> None:
    network: dict[str, Value] = {"network": "default", "modes": ["MODE_IPV4"], "ipAddresses": addresses}
    share = cloud_object(
        kinds.FILESTORE,
        {"name": "a", "tier": "BASIC_HDD", "fileShares": {"name": "vol", "capacityGb": 1024}, "networks": [network]},
        origin="a",
    )
    volume = kubernetes(
        "PersistentVolume", spec={"accessModes": ["ReadWriteMany"], "nfs": {"server": "10.0.0.2", "path": "/vol"}}
    )
    verdict = look(share, volume)
    assert not verdict.findings
    assert ("volume-server-is-the-shares", "networks[0].ipAddresses") in undecided(verdict)


@pytest.mark.parametrize(("machine_type", "is_undecided"), [("e2-standard-4", False), ("ct5lp-hightpu-4t", True)])
def test_only_pools_of_chips_can_leave_the_budget_of_chips_undecided(machine_type: str, *, is_undecided: bool) -> None:
    properties: dict[str, Value] = {"nodeCount": UNKNOWN, "nodeConfig": {"machineType": machine_type}}
    verdict = look(cloud_object(kinds.NODE_POOL, properties, origin="a pool"), settings=Settings(chips=8))
    assert ("pools-keep-their-budget" in {rule for rule, _ in undecided(verdict)}) is is_undecided


def _deprecated(fields: Mapping[str, Field]) -> Iterator[str]:
    for name, found in fields.items():
        if found.deprecated is not None:
            yield name
        yield from _deprecated(found.fields)


def test_what_replaces_a_deprecated_field_is_said() -> None:
    judged = [
        version
        for kind in (*served.KUEUE_KINDS, kinds.JOBSET)
        for name, version in served.versions_of(kind).items()
        if name != served.DEPRECATED  # all of it is deprecated, which another rule says
    ]
    judged += served.configuration_versions().values()
    assert {name for version in judged for name in _deprecated(version.fields)} == set(INSTEAD)


@pytest.mark.parametrize(
    ("each", "place"),
    [
        (
            kubernetes(
                "Pod", spec={"containers": [{"name": "a", "image": "a:1", "env": [{"name": "A", "value": UNKNOWN}]}]}
            ),
            "spec.containers[0].env[0].value",
        ),
        (
            kubernetes("Pod", spec={"containers": [{"name": "a", "image": "a:1", "args": [UNKNOWN]}]}),
            "spec.containers[0].args[0]",
        ),
        (
            cloud_object(kinds.NODE_POOL, {"nodeConfig": {"metadata": {"token": UNKNOWN}}}, origin="a"),
            "nodeConfig.metadata.token",
        ),
    ],
)
def test_what_may_be_a_secret_and_is_not_known_yet_is_undecided(each: Object, place: str) -> None:
    assert ("secret-is-not-in-clear", place) in undecided(look(each))


@pytest.mark.parametrize(
    "each",
    [
        kubernetes("ConfigMap", data={"token": SECRET}),
        cloud_object(kinds.NODE_POOL, {"nodeConfig": {"machineType": UNKNOWN}}, origin="a"),
    ],
)
def test_what_is_kept_as_a_secret_or_is_none_leaves_nothing_undecided(each: Object) -> None:
    assert "secret-is-not-in-clear" not in {rule for rule, _ in undecided(look(each))}


def test_what_pods_of_a_standard_cluster_ask_of_their_host_need_not_be_known() -> None:
    pod = kubernetes("Pod", spec={"hostNetwork": UNKNOWN, "containers": [{"name": "a", "image": "a:1"}]})
    assert "autopilot-pods-are-plain" not in {rule for rule, _ in undecided(look(cluster(), pod))}
    assert "autopilot-pods-are-plain" in {rule for rule, _ in undecided(look(cluster(enableAutopilot=True), pod))}


def test_fields_of_a_release_that_is_not_known_yet_are_undecided() -> None:
    unread = cloud_object(kinds.RELEASE, {}, origin="controllers")
    run = kubernetes("JobSet", "jobset.x-k8s.io/v1alpha2", spec={"startupPolicy": {"startupPolicyOrder": "InOrder"}})
    assert "field-is-not-deprecated" in rules_of(look(run))
    verdict = judge(World([run], unread=[unread]), Settings())
    assert "field-is-not-deprecated" not in rules_of(verdict)
    places = {each.place for each in verdict.not_checked if each.rule == "field-is-not-deprecated"}
    assert places == {unread.place}

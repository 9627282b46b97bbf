"""What is found in manifests, dumps and the output of gcloud, and where it is shown."""

from __future__ import annotations

import json

import pytest
import yaml

from components.model.findings import Severity
from components.model.stack_file.reading import read
from policies.lint.formats import as_json, as_text
from policies.lint.linting import Options, SeveralClustersError
from tests.lint.given import CLUSTER, OBJECTS, POOLS, SHARES, edited, linted, told
from tests.stacks import a_platform, given_file, stack_file

_QUOTA = edited(OBJECTS, "nominalQuota: 16", "nominalQuota: 64")
_QUOTA_TOLD = "quota-within-pools ClusterQueue research: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
_HALF_A_SLICE = edited(POOLS, '"initialNodeCount": 2', '"initialNodeCount": 1')


def test_a_sound_platform_is_clean() -> None:
    verdict = linted(OBJECTS, POOLS, CLUSTER)
    assert (verdict.shown, verdict.notes) == ((), ())
    assert as_text(verdict).endswith("nothing found; 12 objects checked in 3 files.")


def test_queues_of_one_file_meet_the_pools_of_another() -> None:
    assert told(linted(POOLS, _QUOTA, CLUSTER)) == [f"b:26:52 {_QUOTA_TOLD}"]
    assert told(linted(_QUOTA, POOLS, CLUSTER)) == [f"a:26:52 {_QUOTA_TOLD}"]


_SPARE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spare}
spec:
  nodeLabels:
    cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
    cloud.google.com/gke-tpu-topology: 2x4
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: second}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors:
        - name: spare
          resources: [{name: google.com/tpu, nominalQuota: 8}]
"""


def test_two_flavors_of_the_same_nodes_promise_their_chips_once() -> None:
    quota = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    assert told(linted(OBJECTS, _SPARE, POOLS, CLUSTER)) == [f"b:18:60 quota-within-pools ClusterQueue second: {quota}"]
    labels = "    cloud.google.com/gke-tpu-topology: 2x4\n"
    wider = edited(_SPARE, labels, "")
    assert told(linted(OBJECTS, wider, POOLS, CLUSTER)) == [f"b:17:60 quota-within-pools ClusterQueue second: {quota}"]


def test_what_lacks_its_other_half_is_not_checked_and_told() -> None:
    verdict = linted(_QUOTA)
    assert verdict.shown == ()
    reason = "JobSet train and 2 more refer to node pools, and there are none here"
    (without_pools,) = [each for each in verdict.doubts if each.reason == reason]
    assert "quota-within-pools" in without_pools.rules
    count = len(without_pools.rules)
    assert f"{count} rules not checked ({reason}): chips-are-counted, " in as_text(verdict)
    assert f" and {count - 4} more\n" in as_text(verdict)
    assert all(rule in as_json(verdict) for rule in without_pools.rules)


def test_a_finding_in_what_gcloud_printed_has_the_keys_of_gcloud() -> None:
    assert told(linted(_HALF_A_SLICE)) == ["a:17:25 slice-has-all-its-nodes NodePool slice-a: initialNodeCount"]
    machine = POOLS.replace("ct5lp-hightpu-4t", "ct5lp-hightpu-3t", 1)
    assert told(linted(machine)) == ["a:16:31 machine-exists NodePool slice-a: config.machineType"]


def test_shares_are_judged_as_gcloud_lists_them() -> None:
    assert told(linted(SHARES, CLUSTER)) == []
    odd = edited(SHARES, '"1024"', '"1100"')
    assert told(linted(odd)) == ["a:5:35 share-fits-tier Instance share: fileShares[0].capacityGb"]


def test_a_share_belongs_to_no_cluster() -> None:
    other = CLUSTER.replace("clusters/ml", "clusters/lab")
    odd = edited(SHARES, '"1024"', '"1100"')
    verdict = linted(odd, CLUSTER, other, options=Options(cluster="ml"))
    assert [each.finding.rule for each in verdict.shown] == ["share-fits-tier"]


def test_a_finding_shows_the_line() -> None:
    verdict = linted(_HALF_A_SLICE, OBJECTS, CLUSTER)
    finding = verdict.findings[0]
    assert as_text(verdict).split("\n\n")[0] == (
        f"a:17:25: NodePool slice-a: initialNodeCount: {finding.says}\n"
        '  17 |     "initialNodeCount": 1,\n'
        "     |                         ^\n"
        f"  {finding.remedy}\n"
        f"  [slice-has-all-its-nodes] {finding.source}"
    )


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_list_is_judged_item_by_item(form: str) -> None:
    items = list(yaml.safe_load_all(_QUOTA))
    whole = {"apiVersion": "v1", "kind": "List", "items": items}
    text = json.dumps(whole, indent=1) if form == "json" else yaml.safe_dump(whole)
    (found,) = linted(text, POOLS, CLUSTER).shown
    assert found.sighting.path == _QUOTA_TOLD.partition(" ")[2]
    assert "64" in found.sighting.line


def test_items_of_a_list_of_one_kind_need_not_say_what_they_are() -> None:
    queues = [each for each in yaml.safe_load_all(_QUOTA) if each["kind"] == "ClusterQueue"]
    bare = [{"metadata": each["metadata"], "spec": each["spec"]} for each in queues]
    text = yaml.safe_dump({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueueList", "items": bare})
    rest = "---".join(each for each in _QUOTA.split("---") if "kind: ClusterQueue" not in each)
    assert [each.finding.rule for each in linted(text, rest, POOLS, CLUSTER).shown] == ["quota-within-pools"]


def test_a_dump_is_judged_by_what_was_asked_for() -> None:
    queue = next(each for each in yaml.safe_load_all(OBJECTS) if each["kind"] == "ClusterQueue")
    queue["status"] = {"flavorsReservation": "nonsense"}
    queue["metadata"]["managedFields"] = [{"fieldsV1": {"f:spec": {}}}]
    rest = "---".join(each for each in OBJECTS.split("---") if "kind: ClusterQueue" not in each)
    assert told(linted(yaml.safe_dump(queue), rest, POOLS, CLUSTER)) == []


def test_what_a_controller_made_is_judged_through_its_owner() -> None:
    made = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata:
  name: high
  ownerReferences: [{apiVersion: example.org/v1, kind: Priorities, name: all, uid: a, controller: true}]
value: many
"""
    verdict = linted(OBJECTS, POOLS, CLUSTER, made)
    assert verdict.shown == ()
    assert verdict.notes == ("skipped 1 object that controllers made",)
    assert told(linted(edited(made, "controller: true", "controller: false"))) == [
        "a:7:8 field-has-its-type WorkloadPriorityClass high: value"
    ]


def test_what_nobody_judges_is_told() -> None:
    other = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n---\nreplicas: 3\n---\njust text\n"
    assert linted(other).notes == (
        "skipped, because no rule knows the kind: ServiceAccount (1)",
        "skipped, because it is not a Kubernetes object, node pool, cluster, share or stack file: a:5:1 and a:7:1",
    )


@pytest.mark.parametrize(
    "text",
    ["", "# nothing yet\n", "---\n---\n", "{}\n", "[]\n", "apiVersion: v1\nitems: []\nkind: List\n"],
)
def test_a_file_without_an_object_is_told(text: str) -> None:
    verdict = linted(OBJECTS, text)
    assert verdict.notes == ("no object found in b",)
    assert verdict.objects == linted(OBJECTS).objects


def test_files_without_an_object_are_told_in_one_line() -> None:
    assert as_text(linted("", "")) == "no object found in a and b\n\nnothing to check: no objects in 2 files."


def test_an_object_that_is_there_twice_is_no_empty_file() -> None:
    assert linted(OBJECTS, OBJECTS).notes == ()


@pytest.mark.parametrize("text", ["kind: Pod\nmetadata: {name: a}\n", "apiVersion: v1\nkind: [Pod]\n"])
def test_half_an_object_is_told(text: str) -> None:
    assert told(linted(text)) == ["a:1:1 document-is-an-object"]


@pytest.mark.parametrize("metadata", ["{labels: {a: b}}", "", '{name: ""}'])
def test_an_object_without_a_name_is_told(metadata: str) -> None:
    (found,) = linted(f"apiVersion: v1\nkind: Namespace\nmetadata: {metadata}\n").findings
    assert (found.rule, found.says) == ("document-is-an-object", "the object has no name.")


@pytest.mark.parametrize("other", ["x-common: &common {a: b}", "text", "- a\n- b"])
def test_a_document_beside_objects_is_an_object(other: str) -> None:
    text = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: a}}\n---\n{other}\n"
    (found,) = linted(text).shown
    assert (found.finding.rule, found.sighting.where) == ("document-is-an-object", "a:5:1")
    assert linted(f"{other}\n").findings == ()


def test_the_api_server_may_make_a_name() -> None:
    assert told(linted("apiVersion: v1\nkind: Namespace\nmetadata: {generateName: team-}\n")) == []
    assert told(linted("apiVersion: v1\nkind: Namespace\nmetadata: {name: $TEAM}\n")) == []


def test_an_object_is_declared_once() -> None:
    (normal,) = [each for each in OBJECTS.split("---") if "description: work of the day" in each]
    other = edited(normal, "description: work of the day", "description: other work")
    verdict = linted(f"{OBJECTS}---{other}", POOLS, CLUSTER)
    (found,) = told(verdict)
    assert found.endswith("object-is-declared-once WorkloadPriorityClass normal")
    assert verdict.findings[0].says == "a:33 declares it too, with other values."
    assert told(linted(f"{OBJECTS}---{normal}", POOLS, CLUSTER)) == []
    assert told(linted(OBJECTS, OBJECTS, POOLS, POOLS, CLUSTER)) == []


def test_objects_of_one_name_are_all_judged() -> None:
    assert told(linted(OBJECTS, _QUOTA, POOLS, CLUSTER)) == [f"b:26:52 {_QUOTA_TOLD}"]
    assert told(linted(_QUOTA, OBJECTS, POOLS, CLUSTER)) == [f"a:26:52 {_QUOTA_TOLD}"]
    assert told(linted(_QUOTA, _QUOTA, POOLS, CLUSTER)) == [f"a:26:52 {_QUOTA_TOLD}", f"b:26:52 {_QUOTA_TOLD}"]


def test_pools_of_a_described_cluster_are_judged() -> None:
    described = {**json.loads(CLUSTER), "nodePools": json.loads(_HALF_A_SLICE)}
    found, *_ = linted(OBJECTS, json.dumps([described], indent=1)).shown
    assert (found.finding.rule, found.sighting.line.strip()) == ("slice-has-all-its-nodes", '"initialNodeCount": 1,')


def test_clusters_are_judged_one_at_a_time() -> None:
    other = POOLS.replace("clusters/ml", "clusters/lab").replace('"initialNodeCount": 2', '"initialNodeCount": 1')
    with pytest.raises(SeveralClustersError) as refused:
        linted(POOLS, other)
    names = "tpu-sandbox/locations/us-west4/clusters/lab, tpu-sandbox/locations/us-west4/clusters/ml"
    assert str(refused.value) == f"several clusters in these files; choose one with --cluster: {names}"
    assert told(linted(POOLS, other, options=Options(cluster="ml"))) == []
    assert [each.finding.rule for each in linted(POOLS, other, options=Options(cluster="lab")).shown] == [
        "slice-has-all-its-nodes"
    ]
    with pytest.raises(SeveralClustersError, match="no cluster prod in these files"):
        linted(POOLS, options=Options(cluster="prod"))


def test_words_are_what_kubectl_makes_of_them() -> None:
    text = edited(OBJECTS, "backoffLimit: 0", "suspend: yes\n          backoffLimit: 0x0")
    assert told(linted(text, POOLS, CLUSTER)) == []
    labels = edited(OBJECTS, "  nodeLabels:\n", "  nodeLabels:\n    a: on\n")
    assert "a:7:8 field-has-its-type ResourceFlavor v5e: spec.nodeLabels.a" in told(linted(labels))


@pytest.mark.parametrize("name", ["multislice", "dev"])
def test_a_stack_file_gets_the_report_of_the_program(name: str) -> None:
    text = edited(stack_file(name), "release_channel: ", "release_chanel: ")
    verdict = linted(text)
    assert verdict.objects == 1
    program = read(given_file(text)).report.replace("Pulumi.test.yaml", "a").rpartition("\n\n")[0]
    assert as_text(verdict).rpartition("\n\n")[0] == program


def _stack(release: str) -> str:
    platform = a_platform().set(controllers={"kueue": {"version": release}}).platform
    return yaml.safe_dump({"config": {"gcp:project": "tpu-sandbox", "tpu-platform:platform": platform}})


def test_objects_beside_a_stack_file_are_judged_by_the_release_that_it_installs() -> None:
    policy = "concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}"
    queue = edited(OBJECTS, "  namespaceSelector: {}\n", f"  namespaceSelector: {{}}\n  {policy}\n")
    old, new = _stack("0.16.2"), _stack("0.19.2")
    found = "a:20:3 release-has-the-field ClusterQueue research: spec.concurrentAdmissionPolicy"
    assert told(linted(queue, POOLS, CLUSTER, old)) == [found]
    assert told(linted(queue, POOLS, CLUSTER, new)) == told(linted(queue, POOLS, CLUSTER, old, new)) == []
    assert told(linted(queue, POOLS, CLUSTER)) == []


_SHARED = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {accessModes: [ReadWriteMany], storageClassName: standard-rwo, resources: {requests: {storage: 1Ti}}}
"""


def test_the_default_class_may_be_another_one_than_gkes() -> None:
    default = edited(_SHARED, " storageClassName: standard-rwo,", "")
    found = [each.finding for each in linted(_SHARED, default).shown]
    assert {each.rule for each in found} == {"many-writers-need-a-share"}
    assert [each.severity for each in found] == [Severity.ERROR, Severity.WARNING]

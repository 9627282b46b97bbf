"""What the real API server and the webhooks of Kueue and JobSet say of objects: those of the catalogue, and changes.

`server_answers.yaml` has every refusal of a broken object of the catalogue of rules; it takes all others, although they
never work. What it refuses must be an error of ours, and what is sound in the catalogue must be taken by it.
`UPDATE_GOLDEN=1` writes the refusals anew. What it refuses to change of an object of a stack must be changed by a new
object, or stay.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from components.kubeapi import Api, ApiError, Discovery, UnknownKindError
from components.manifests.fixed_fields import fixed_fields
from components.model.facts import kinds
from components.model.findings import Severity
from policies.rules import judge
from simulator.providers.differences import is_within
from simulator.providers.kube.replacing import needs_replacement
from tests.control_plane.edited import EditedStack, without_work
from tests.control_plane.written import Written, fixed, written
from tests.policies.cases import Case, an_object, cases, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.harness import Simulator

_STACK: Final = "multislice"
_ANSWERS: Final = Path(__file__).parent / "server_answers.yaml"
_WITHOUT_AMOUNT: Final = ("spec.resources[storage]: Required value", "[spec.capacity: Required value")
"""Why it refuses claims and volumes that are sound but for the amount, which no rule asks for: its words are clear."""
_SHARE: Final[dict[str, Any]] = {
    "name": "grown",
    "tier": "ZONAL",
    "location": "us-west4-a",
    "share": "data",
    "capacity_gib": 1024,
    "claims": [{"name": "data", "namespace": "default"}],
}
_RAISED: Final = "/apis/scheduling.k8s.io/v1/priorityclasses/raised"
_CLAIM: Final = "/api/v1/namespaces/default/persistentvolumeclaims/data"
_ELSEWHERE: Final = {
    kind.group for kind in (kinds.LEADER_WORKER_SET, kinds.RAY_CLUSTER, kinds.COMPUTE_CLASS, kinds.POD_MONITORING)
}
"""Groups whose controllers are not installed here."""
_LEAST: Final = 40
"""Broken objects of which the server is asked."""


@pytest.fixture(scope="module")
def bare(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> EditedStack:
    """A cluster with JobSet and Kueue, without slices, queues or work."""
    return without_work(simulator, _STACK, tmp_path_factory.mktemp("answers") / "project")


@pytest.fixture(scope="module")
def api(bare: EditedStack) -> Api:
    """The cluster's API server, with every namespace there is."""
    found = bare.simulator.api()
    for name in sorted({each["metadata"]["namespace"] for _, each in _objects() if "namespace" in each["metadata"]}):
        if found.find(f"/api/v1/namespaces/{name}") is None:
            found.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return found


def _objects() -> Iterator[tuple[Case, dict[str, Any]]]:
    """Every Kubernetes object of the catalogue of which the server can know the kind, with its case."""
    for case in cases():
        for resource in case.resources:
            body = resource.get("manifest")
            if body is not None and body["apiVersion"].rpartition("/")[0] not in _ELSEWHERE:
                yield case, body


def _key(case: Case, body: dict[str, Any]) -> str:
    return f"{case.rule}: {case.name}: {name_of({'manifest': body})}"


def _is_broken(case: Case, body: dict[str, Any]) -> bool:
    return name_of({"manifest": body}) in case.finds


def _answer(api: Api, discovery: Discovery, body: dict[str, Any]) -> str | None:
    """The server's refusal of an object, None if it takes it; nothing is made."""
    try:
        collection = discovery.collection(body["apiVersion"], body["kind"], _namespace(discovery, body))
        api.create(collection, body, {"dryRun": "All"})
    except UnknownKindError as error:
        return str(error)
    except ApiError as error:
        return None if error.reason == "AlreadyExists" else " ".join(str(error).split())
    return None


def _namespace(discovery: Discovery, body: dict[str, Any]) -> str | None:
    if not discovery.is_namespaced(body["apiVersion"], body["kind"]):
        return None
    return str(body["metadata"].get("namespace", "default"))


def test_what_the_server_refuses_is_an_error_of_ours(api: Api) -> None:
    discovery = Discovery(api)
    broken = [(case, body) for case, body in _objects() if _is_broken(case, body)]
    assert len(broken) >= _LEAST
    answers = {_key(case, body): _answer(api, discovery, body) for case, body in broken}
    refusals = {key: answer for key, answer in answers.items() if answer is not None}
    if os.environ.get("UPDATE_GOLDEN"):
        _ANSWERS.write_text(yaml.safe_dump(refusals, sort_keys=True, width=1000), encoding="utf-8")
    assert refusals == yaml.safe_load(_ANSWERS.read_text(encoding="utf-8"))
    refused = [(case, body) for case, body in broken if _key(case, body) in refusals]
    assert [_key(case, body) for case, body in refused if not _is_error(case, body)] == []


def _is_error(case: Case, body: dict[str, Any]) -> bool:
    found = judge(case.world, case.settings).findings
    ours = [each for each in found if each.place.origin == an_object({"manifest": body}).place.origin]
    return any(each.severity is Severity.ERROR for each in ours)


def test_what_is_sound_is_taken_by_the_server(api: Api) -> None:
    discovery = Discovery(api)
    sound = [(case, body) for case, body in _objects() if not _is_broken(case, body)]
    answers = {_key(case, body): _answer(api, discovery, body) for case, body in sound}
    refused = [f"{key}: {answer}" for key, answer in answers.items() if answer is not None]
    assert [each for each in refused if not any(reason in each for reason in _WITHOUT_AMOUNT)] == []


def test_what_the_server_refuses_to_change_is_replaced_or_stays(api: Api) -> None:
    fields = written()
    refused = [each for each in fixed(api, fields) if not _is_replaced_by_the_provider(each)]
    assert {each.field for each in refused} == {each.field for each in fields if _is_in_the_table(each)}
    assert {each.field for each in refused} == {
        ("AdmissionCheck", "spec.controllerName"),
        ("ClusterQueue", "spec.concurrentAdmissionPolicy.migration.mode"),
        ("LocalQueue", "spec.clusterQueue"),
        ("PersistentVolume", "spec.nodeAffinity.required.nodeSelectorTerms.*.matchExpressions.*.key"),
        ("PersistentVolume", "spec.nodeAffinity.required.nodeSelectorTerms.*.matchExpressions.*.operator"),
        ("PersistentVolume", "spec.nodeAffinity.required.nodeSelectorTerms.*.matchExpressions.*.values.*"),
        ("PersistentVolumeClaim", "spec.resources.requests.storage"),
        ("PriorityClass", "value"),
    }


def _is_replaced_by_the_provider(each: Written) -> bool:
    return needs_replacement(each.resource.inputs["apiVersion"], each.kind, each.property)


def _is_in_the_table(each: Written) -> bool:
    replaced, kept = fixed_fields(each.resource.inputs["apiVersion"], each.kind)
    return any(is_within(each.property, field) for field in (*replaced, *kept))


def test_a_priority_changes_by_a_new_class_and_a_share_grows_under_its_claim(bare: EditedStack, api: Api) -> None:
    text = bare.read()
    text["priorities"] = [{"name": "raised", "value": 100}]
    text["shared_storage"] = [_SHARE]
    bare.write(text)
    bare.up()
    class_, claim = (api.get(path) for path in (_RAISED, _CLAIM))

    text["priorities"][0]["value"], text["shared_storage"][0]["capacity_gib"] = 200, 2048
    bare.write(text)
    bare.up()

    successor = api.get(_RAISED)
    assert (successor["value"], successor["metadata"]["uid"] != class_["metadata"]["uid"]) == (200, True)
    assert api.get("/api/v1/persistentvolumes/grown-default-data")["spec"]["capacity"] == {"storage": "2Ti"}
    assert api.get(_CLAIM)["spec"] == claim["spec"]
    bare.simulator.pulumi("preview", "--expect-no-changes", "--stack", _STACK)

"""From a preview to the files for `pulumi import`, in phases, and to a state of no more than the program says."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from components.model.facts.engine import UNKNOWN_TEXT as UNKNOWN
from tpu.adopt.importing import (
    FORMS,
    PreviewError,
    Registered,
    cut,
    exported,
    filled,
    import_id,
    parsed,
    registered,
    settled,
)

_HEAD: Final = "urn:pulumi:prod::tpu-platform::"
_JOBSET: Final = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_SECRET: Final = "4dabf18193072939515e22adb298388d"  # noqa: S105  it is none


def _one(type_: str, name: str, /, **inputs: Any) -> Registered:  # noqa: ANN401  inputs of any resource
    return Registered(urn=f"{_HEAD}{type_}::{name}", type=type_, op="create", inputs=inputs)


@pytest.mark.parametrize(
    ("type_", "inputs", "id_"),
    [
        ("gcp:projects/service:Service", {"service": "file.googleapis.com"}, "acme/file.googleapis.com"),
        ("gcp:projects/service:Service", {"service": "x", "project": "other"}, "other/x"),
        (
            "gcp:projects/iAMMember:IAMMember",
            {"role": "roles/viewer", "member": "user:a@example.com"},
            "acme roles/viewer user:a@example.com",
        ),
        ("gcp:compute/network:Network", {"name": "n"}, "projects/acme/global/networks/n"),
        (
            "gcp:compute/routerNat:RouterNat",
            {"name": "nat", "router": "r", "region": "us-west4"},
            "projects/acme/regions/us-west4/routers/r/nat",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"name": "p", "cluster": "c", "location": "us-west4"},
            "projects/acme/locations/us-west4/clusters/c/nodePools/p",
        ),
        (
            "gcp:serviceaccount/account:Account",
            {"accountId": "nodes"},
            "projects/acme/serviceAccounts/nodes@acme.iam.gserviceaccount.com",
        ),
        ("gcp:storage/bucketIAMMember:BucketIAMMember", {"bucket": "b", "role": "r", "member": "m"}, "b/b r m"),
        (_RELEASE, {"name": "kueue", "namespace": "kueue-system"}, "kueue-system/kueue"),
        ("kubernetes:core/v1:Namespace", {"metadata": {"name": "research"}}, "research"),
        (_JOBSET, {"metadata": {"name": "train", "namespace": "research"}}, "research/train"),
        (_JOBSET, {"metadata": {"name": UNKNOWN}}, None),
        ("gcp:compute/routerNat:RouterNat", {"name": "nat", "router": UNKNOWN, "region": "us-west4"}, None),
        ("random:index/randomPassword:RandomPassword", {"length": 32}, None),
    ],
)
def test_ids_are_those_that_the_providers_import_by(type_: str, inputs: dict[str, Any], id_: str | None) -> None:
    assert import_id(type_, inputs, "acme") == id_


_SDK_TELLS_NO_SUCH_FORM: Final = {
    "gcp:container/nodePool:NodePool",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:serviceaccount/account:Account",
    "gcp:storage/bucket:Bucket",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
}


@pytest.mark.parametrize("type_", FORMS)
def test_forms_of_ids_are_those_that_the_sdk_tells(type_: str) -> None:
    """Every other form has its source in the module's docstring."""
    name = type_.split(":")[1].replace("iAM", "iam").replace("IAM", "Iam")
    told = _sdk("pulumi_gcp", f"{re.sub('(?=[A-Z])', '_', name).lower()}.py")
    forms = {re.sub(r"\{\{\w+\}\}", "*", form) for form in re.findall(rf"\$ pulumi import {type_} \w+ (.*)", told)}
    assert (re.sub(r"\{\w+\}", "*", FORMS[type_]) in forms) is (type_ not in _SDK_TELLS_NO_SUCH_FORM)


def test_the_form_of_a_releases_id_is_the_one_that_the_sdk_tells() -> None:
    assert f"$ pulumi import {_RELEASE} myRelease <namespace>/<releaseName>" in _sdk(
        "pulumi_kubernetes", "helm/v3/Release.py"
    )


def _sdk(package: str, file: str) -> str:
    """A source file of an SDK, whose documentation stands in overloads that do not live to be asked."""
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return (Path(found.origin).parent / file).read_text(encoding="utf-8")


def _entries(*, kubeconfig: str) -> dict[str, Any]:
    """What a preview writes of a network, what is in its component, an object in the cluster and a password."""
    return {
        "nameTable": {"main": f"{_HEAD}pulumi:providers:kubernetes::main"},
        "providerInputs": {"main": {"kubeconfig": kubeconfig}},
        "resources": [
            {"type": "tpu-platform:network:Network", "name": "network", "component": True},
            {"type": "gcp:compute/network:Network", "name": "n", "id": "<PLACEHOLDER>", "parent": "network"},
            {"type": _JOBSET, "name": "trainJobSet", "logicalName": "train", "id": "<PLACEHOLDER>", "provider": "main"},
            {"type": "random:index/randomPassword:RandomPassword", "name": "secret", "id": "<PLACEHOLDER>"},
        ],
    }


_SHOWN: Final = (
    _one("gcp:compute/network:Network", "n", name="n"),
    _one(_JOBSET, "train", metadata={"name": "train", "namespace": "research"}),
    _one("random:index/randomPassword:RandomPassword", "secret", length=32),
)


def test_the_first_phase_leaves_what_is_in_a_cluster_that_is_not_known_yet() -> None:
    phase = filled(_entries(kubeconfig=UNKNOWN), _SHOWN, "acme")

    assert phase.document == {
        "resources": [
            {"type": "tpu-platform:network:Network", "name": "network", "component": True},
            {
                "type": "gcp:compute/network:Network",
                "name": "n",
                "id": "projects/acme/global/networks/n",
                "parent": "network",
            },
        ]
    }
    assert (phase.resources, phase.later) == (1, (f"{_JOBSET} train",))
    assert phase.made == ("random:index/randomPassword:RandomPassword secret",)


def test_the_next_phase_brings_the_provider() -> None:
    phase = filled(_entries(kubeconfig="{}"), _SHOWN, "acme")

    assert [each.get("id") for each in phase.document["resources"]][-1] == "research/train"
    assert phase.document["providerInputs"] == {"main": {"kubeconfig": "{}"}}
    assert phase.later == ()


def test_what_has_no_name_yet_is_left_to_the_next_phase() -> None:
    network, _, secret = _SHOWN
    shown = (network, _one(_JOBSET, "train", metadata={"name": UNKNOWN, "namespace": "research"}), secret)
    phase = filled(_entries(kubeconfig="{}"), shown, "acme")

    assert phase.later == (f"{_JOBSET} train",)
    assert "providerInputs" not in phase.document


def test_an_entry_that_the_preview_shows_twice_is_refused() -> None:
    with pytest.raises(PreviewError, match="the preview shows 2 resources of type gcp:compute/network:Network named n"):
        filled(_entries(kubeconfig="{}"), (*_SHOWN, _SHOWN[0]), "acme")


def test_an_entry_that_the_preview_does_not_show_is_refused() -> None:
    with pytest.raises(PreviewError, match="the preview shows no resources of type gcp:compute/network:Network"):
        filled(_entries(kubeconfig="{}"), (), "acme")


@pytest.mark.parametrize("text", ["", "[]", '{"resources": 4}', '{"resources": [4]}', "[" * 100_000])
def test_what_is_no_import_file_is_refused(text: str) -> None:
    with pytest.raises(PreviewError, match=r"^entries"):
        parsed("entries", text)


def _event(op: str, urn: str, **inputs: Any) -> dict[str, Any]:  # noqa: ANN401  inputs of any resource
    metadata = {"op": op, "urn": urn, "type": urn.split("::")[2], "new": {"inputs": inputs}}
    return {"resourcePreEvent": {"metadata": metadata}}


def test_a_preview_is_read_from_its_events() -> None:
    urn = f"{_HEAD}{_JOBSET}::train"
    events: list[dict[str, Any]] = [
        _event("create", urn, kind="JobSet"),
        {"summaryEvent": {"result": "succeeded"}},
        {"cancelEvent": {}},
    ]
    found = registered("events", "\n".join(map(json.dumps, events)))

    assert [(each.urn, each.op, each.name, each.inputs) for each in found] == [
        (urn, "create", "train", {"kind": "JobSet"})
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "events does not contain a successful preview"),
        ('{"summaryEvent": {"result": "failed"}}', "events does not contain a successful preview"),
        ("Previewing update", "events:1 is not an event of the engine"),
        ("4\n[1]", "events does not contain a successful preview"),
    ],
)
def test_what_is_no_preview_is_refused(text: str, says: str) -> None:
    with pytest.raises(PreviewError) as caught:
        registered("events", text)
    assert str(caught.value).startswith(says)


_LIVE: Final = {
    "spec": {"suspend": False, "replicatedJobs": [{"name": "slice", "replicas": 2, "groupName": "default"}]},
    "metadata": {"name": "train", "labels": {"team": "vision"}},
}


def _state(inputs: object, *, type_: str = _JOBSET, name: str = "train", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    entry = {"urn": f"{_HEAD}{type_}::{name}", "type": type_, "id": name, "inputs": inputs, **more}
    return {"version": 3, "deployment": {"resources": [{"urn": "other", "type": "t", "inputs": {"a": 1}}, entry]}}


def test_an_import_keeps_of_an_object_what_the_program_says_with_the_values_of_the_cluster() -> None:
    declared = {"spec": {"replicatedJobs": [{"name": "slice", "replicas": 3}]}, "metadata": {"name": "train"}}
    done = settled(_state(_LIVE), [_one(_JOBSET, "train", **declared)])

    other, entry = done.state["deployment"]["resources"]
    assert entry["inputs"] == {
        "spec": {"replicatedJobs": [{"name": "slice", "replicas": 2}]},
        "metadata": {"name": "train"},
    }
    assert other["inputs"] == {"a": 1}
    assert (done.objects, done.kept) == (1, ())


def test_an_object_that_records_no_more_than_the_program_says_is_not_counted() -> None:
    before = _state(_LIVE)
    done = settled(before, [_one(_JOBSET, "train", **_LIVE)])

    assert (done.objects, done.kept, done.state) == (0, (), before)


def test_an_object_that_holds_a_secret_stays_as_it_was_imported() -> None:
    live = {**_LIVE, "data": {_SECRET: "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}}
    before = _state(live)
    done = settled(before, [_one(_JOBSET, "train", data={"a": "b"})])

    assert done.kept == (f"{_JOBSET} train: it holds a secret, which no preview shows",)
    assert (done.objects, done.state) == (0, before)


def test_what_the_server_leaves_out_of_an_answer_is_there_only_if_it_is_empty() -> None:
    assert cut({"a": "", "b": {}, "c": 1, "d": [1]}, {"d": [1, 2]}) == {"a": "", "b": {}, "d": [1, 2]}


def _release(**outputs: Any) -> dict[str, Any]:  # noqa: ANN401  outputs of a release
    status = {"chart": "kueue", "version": "0.19.2"}
    inputs = {"name": "kueue", "chart": "kueue", "version": "0.19.2"}
    return _state(inputs, type_=_RELEASE, name="kueue", outputs={"status": status, "values": {"a": 1}, **outputs})


_OURS: Final = {
    "name": "kueue",
    "chart": "oci://registry.example/charts/kueue",
    "version": "0.19.2",
    "values": {"a": 1},
}


def test_a_release_of_the_same_chart_and_values_is_the_programs() -> None:
    done = settled(_release(), [_one(_RELEASE, "kueue", **_OURS)])

    assert done.state["deployment"]["resources"][1]["inputs"] == _OURS


def test_a_copy_of_the_inputs_in_the_outputs_is_changed_with_them() -> None:
    hidden = {_SECRET: "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:abc"}
    done = settled(_release(__inputs=hidden), [_one(_RELEASE, "kueue", **_OURS)])

    copy = done.state["deployment"]["resources"][1]["outputs"]["__inputs"]
    assert json.loads(copy.pop("plaintext")) == _OURS
    assert copy == {_SECRET: "1b47061264138c4ac30d75fd1eb44270"}


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({**_OURS, "values": {"a": 2}}, "its values are not the program's"),
        ({**_OURS, "version": "0.17.0", "chart": "x"}, "its chart and version are not the program's"),
        (
            {**_OURS, "version": UNKNOWN},
            "the program's inputs are not known yet; finish the import, preview again and settle then",
        ),
        ({**_OURS, "values": "[secret]"}, "it holds a secret, which no preview shows"),
    ],
)
def test_what_cannot_be_settled_stays_as_it_was_imported(inputs: dict[str, Any], reason: str) -> None:
    before = _release()
    done = settled(before, [_one(_RELEASE, "kueue", **inputs)])

    assert done.state == before
    assert done.kept == (f"{_RELEASE} kueue: {reason}",)


@pytest.mark.parametrize("text", ["", "{}", '{"version": 2, "deployment": {"resources": []}}', '{"version": 3}'])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(PreviewError, match=r"^state"):
        exported("state", text)

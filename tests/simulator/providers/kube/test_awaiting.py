"""When objects count as ready and as gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from components.kubeapi import Document, WaitError, describe
from simulator.providers.kube import awaiting
from simulator.providers.kube.awaiting import AwaitError, await_gone, await_ready, awaited_conditions
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from collections.abc import Callable

_PATH = "/collection"


class Waiting(MemoryApi):
    """Doubles an API server whose object goes through states: a wait looks at each, and is over after the last."""

    def __init__(self, *states: Document | None) -> None:
        super().__init__()
        self.states = states
        self.limits: list[float] = []

    def wait(
        self, path: str, name: str, done: Callable[[Document | None], bool], *, seconds: float, what: str
    ) -> Document | None:
        """As `Api.wait`."""
        assert (path, name) == (_PATH, "it")
        self.limits.append(seconds)
        for state in self.states:
            if done(state):
                return state
        raise WaitError(f"waited {seconds:.0f} s for {what}; last seen: {describe(self.states[-1])}")


def an_object(kind: str, spec: Document | None = None, **status: Any) -> Document:  # noqa: ANN401  any status
    """An object with that status."""
    metadata = {"name": "it", "namespace": "team", "uid": "u", "generation": 2}
    return {"kind": kind, "metadata": metadata, "spec": spec or {}, "status": status}


def annotated(document: Document, **annotations: str) -> Document:
    """With annotations of Pulumi."""
    named = {f"pulumi.com/{key}": value for key, value in annotations.items()}
    return {**document, "metadata": {**document["metadata"], "annotations": named}}


def condition(type_: str, status: str = "True", **more: str) -> Document:
    """A status condition."""
    return {"type": type_, "status": status, **more}


def rolled(replicas: int, **more: Any) -> Document:  # noqa: ANN401  any status
    """The status of a rollout that has come that far."""
    return {"observedGeneration": 2, "updatedReplicas": replicas, "availableReplicas": replicas, **more}


_DEPLOYED = {"observedGeneration": 2, "readyReplicas": 3, "currentRevision": "r", "updateRevision": "r"}


@pytest.mark.parametrize(
    ("kind", "spec", "early", "ready"),
    [
        ("Deployment", {"replicas": 3}, rolled(2), rolled(3)),
        ("Deployment", {"replicas": 3}, rolled(3, observedGeneration=1), rolled(3)),
        ("Deployment", {"replicas": 3}, rolled(3, updatedReplicas=1), rolled(3)),
        ("Deployment", {"replicas": 3}, {**rolled(3), "replicas": 4}, {**rolled(3), "replicas": 3}),
        ("Deployment", {}, {}, rolled(1)),
        ("Deployment", {"replicas": 0}, {"observedGeneration": 1}, {"observedGeneration": 2}),
        ("StatefulSet", {"replicas": 3}, {**_DEPLOYED, "readyReplicas": 2}, _DEPLOYED),
        ("StatefulSet", {"replicas": 3}, {**_DEPLOYED, "currentRevision": "old"}, _DEPLOYED),
        ("Job", {}, {"active": 1}, {"conditions": [condition("Complete")]}),
        ("Pod", {}, {"phase": "Running"}, {"phase": "Running", "conditions": [condition("Ready")]}),
        ("Pod", {}, {"phase": "Pending"}, {"phase": "Succeeded"}),
        ("PersistentVolumeClaim", {}, {"phase": "Pending"}, {"phase": "Bound"}),
        ("Namespace", {}, {}, {"phase": "Active"}),
    ],
)
def test_a_kind_is_ready_when_its_status_says_so(kind: str, spec: Document, early: Document, ready: Document) -> None:
    api = Waiting(an_object(kind, spec, **early), an_object(kind, spec, **ready))
    assert await_ready(api.api, _PATH, an_object(kind, spec), 0) == an_object(kind, spec, **ready)
    with pytest.raises(AwaitError):
        await_ready(Waiting(an_object(kind, spec, **early)).api, _PATH, an_object(kind, spec), 0)


@pytest.mark.parametrize("kind", ["ConfigMap", "ClusterQueue", "JobSet", "Secret"])
def test_other_kinds_are_ready_at_once(kind: str) -> None:
    api, live = Waiting(), an_object(kind)
    assert await_ready(api.api, _PATH, live, 0) is live
    assert api.limits == []


@pytest.mark.parametrize(
    ("wait_for", "early", "ready"),
    [
        ("condition=Active", [condition("Active", "False")], [condition("Active")]),
        ("condition=Active", [condition("Ready")], [condition("Active")]),
        ("condition=Active=False", [condition("Active")], [condition("Active", "False")]),
        ('["condition=A", "condition=B"]', [condition("A")], [condition("A"), condition("B")]),
    ],
)
def test_an_annotation_says_what_to_wait_for(wait_for: str, early: list[Document], ready: list[Document]) -> None:
    live = annotated(an_object("ClusterQueue"), waitFor=wait_for)
    before, after = ({**live, "status": {"conditions": each}} for each in (early, ready))
    assert await_ready(Waiting(live, before, after).api, _PATH, live, 0) == after
    with pytest.raises(AwaitError, match="waited 600 s for ClusterQueue it to be ready"):
        await_ready(Waiting(live, before).api, _PATH, live, 0)


@pytest.mark.parametrize("text", ["jsonpath={.phase}", "condition", "condition=", "Active", "[", "condition=A=B="])
def test_other_waits_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  its text is of two sources
        awaited_conditions(annotated(an_object("ClusterQueue"), waitFor=text))


@pytest.mark.parametrize(
    ("live", "timeout", "limits"),
    [
        (an_object("Job"), 0, [600.0]),
        (an_object("Job"), 5, [5]),
        (annotated(an_object("Job"), timeoutSeconds="30"), 0, [30.0]),
        (annotated(an_object("Job"), timeoutSeconds="30"), 5, [5]),
        (annotated(an_object("Job"), skipAwait="true"), 0, []),
        (annotated(an_object("Job"), skipAwait="false"), 0, [600.0]),
    ],
)
def test_the_limit_is_the_callers_the_objects_or_the_default(
    live: Document, timeout: float, limits: list[float]
) -> None:
    api = Waiting(an_object("Job", conditions=[condition("Complete")]))
    await_ready(api.api, _PATH, live, timeout)
    assert api.limits == limits


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (
            an_object("Job", conditions=[condition("Failed", reason="DeadlineExceeded", message="too slow")]),
            "Job it failed: DeadlineExceeded: too slow",
        ),
        (
            an_object("Deployment", conditions=[condition("Progressing", "False", reason="Stuck", message="no image")]),
            "Deployment it does not progress: Progressing=False, Stuck, no image",
        ),
        (None, "Job it was deleted while it was awaited"),
        (an_object("Job", active=1), "waited 600 s for Job it to be ready; last seen: no status yet"),
    ],
)
def test_what_will_not_become_ready_is_told(state: Document | None, text: str) -> None:
    live = an_object("Job" if state is None else state["kind"])
    with pytest.raises(AwaitError) as caught:
        await_ready(Waiting(state).api, _PATH, live, 0)
    assert str(caught.value) == text


def test_a_claim_whose_class_waits_for_a_pod_is_not_awaited() -> None:
    api = Waiting(an_object("PersistentVolumeClaim", {"storageClassName": "rwo"}, phase="Pending"))
    path = "/apis/storage.k8s.io/v1/storageclasses/rwo"
    api.put(path, {"metadata": {"name": "rwo"}, "volumeBindingMode": "Immediate"})
    with pytest.raises(AwaitError):
        await_ready(api.api, _PATH, an_object("PersistentVolumeClaim"), 0)
    api.put(path, {"metadata": {"name": "rwo"}, "volumeBindingMode": "WaitForFirstConsumer"})
    await_ready(api.api, _PATH, an_object("PersistentVolumeClaim"), 0)


@pytest.mark.parametrize(
    ("spec", "endpoints", "ready"),
    [
        ({"clusterIP": "None", "selector": {"a": "b"}}, None, True),
        ({}, None, True),
        ({"selector": {"a": "b"}}, None, False),
        ({"selector": {"a": "b"}}, [], False),
        ({"selector": {"a": "b"}}, [{"addresses": ["10.0.0.1"]}], True),
    ],
    ids=["headless", "without a selector", "no slice", "an empty slice", "an endpoint"],
)
def test_a_service_that_selects_pods_needs_an_endpoint(
    spec: Document, endpoints: list[Document] | None, *, ready: bool
) -> None:
    service = an_object("Service", spec)
    api = Waiting(service)
    for name, found in (("it", endpoints), ("other", [{"addresses": ["10.0.0.2"]}])):
        if found is not None:
            labels = {"kubernetes.io/service-name": name}
            path = f"/apis/discovery.k8s.io/v1/namespaces/team/endpointslices/{name}"
            api.put(path, {"metadata": {"name": name, "labels": labels}, "endpoints": found})
    api.put(f"{_PATH}/it", service)
    if ready:
        await_ready(api.api, _PATH, service, 0)
    else:
        with pytest.raises(AwaitError) as caught:
            await_ready(api.api, _PATH, service, 0.05)
        assert str(caught.value).startswith("waited 0.05 s for Service it: it does not target any Pods.")


def test_an_endpoint_that_comes_later_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaiting, "_POLL_SECONDS", 0.005)
    service = an_object("Service", {"selector": {"a": "b"}})
    api = Waiting(service)
    api.put(f"{_PATH}/it", service)
    slice_ = {
        "metadata": {"name": "it-x", "labels": {"kubernetes.io/service-name": "it"}},
        "endpoints": [{"addresses": ["10.0.0.1"]}],
    }
    path = "/apis/discovery.k8s.io/v1/namespaces/team/endpointslices/it-x"
    later = threading.Timer(0.05, api.put, (path, slice_))
    later.start()
    assert await_ready(api.api, _PATH, service, 30)["metadata"]["name"] == "it"
    later.join()


def test_what_did_not_become_ready_is_told_with_what_its_containers_wait_for() -> None:
    live = an_object("Deployment", {"selector": {"matchLabels": {"app": "it"}}})
    api = Waiting(live)
    pods: dict[str, tuple[str, Document]] = {
        "other": ("another", {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}),
        "crashed": ("it", {"waiting": {"reason": "CrashLoopBackOff", "message": "the container exited with status 1"}}),
        "runs": ("it", {"running": {}}),
    }
    for name, (app, state) in pods.items():
        metadata = {"name": name, "namespace": "team", "labels": {"app": app}}
        status = {"containerStatuses": [{"name": "c", "state": state}]}
        api.put(f"/api/v1/namespaces/team/pods/{name}", {"metadata": metadata, "status": status})
    with pytest.raises(AwaitError) as caught:
        await_ready(api.api, _PATH, live, 5)
    assert str(caught.value) == (
        "waited 5 s for Deployment it to be ready; last seen: no status yet; "
        "pod crashed: CrashLoopBackOff: the container exited with status 1"
    )


def test_an_object_is_gone_when_it_is_none_or_another() -> None:
    other = an_object("ConfigMap")
    other["metadata"]["uid"] = "v"
    for state in (None, other):
        await_gone(Waiting(state).api, _PATH, an_object("ConfigMap"), 5)
    api = Waiting()
    await_gone(api.api, _PATH, annotated(an_object("ConfigMap"), skipAwait="true"), 5)
    assert api.limits == []


def test_what_does_not_go_although_nothing_holds_it_is_told() -> None:
    with pytest.raises(AwaitError, match=r"^waited 5 s for Queue it to be deleted; last seen: no status yet$"):
        await_gone(Waiting(an_object("Queue")).api, _PATH, an_object("Queue"), 5)

"""What Autopilot makes of pods and what it refuses."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from simulator.pods.admission import Admission
from simulator.pods.autopilot import WARDEN, judge, warden_configuration
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from components.kubeapi import Document


def resources(container: dict[str, Any], namespace: str = "team") -> dict[str, Any] | None:
    """What a pod's one container asks for after admission; None when that is left alone."""
    pod = a_pod().container("jax:1", "true", **container).document
    review = {"request": {"uid": "u", "namespace": namespace, "object": pod}}
    admission = Admission({}, is_autopilot=True)
    answer = json.loads(admission.answer(json.dumps(review).encode()))
    patch = json.loads(base64.b64decode(answer["response"]["patch"]))
    return next((each["value"] for each in patch if each["path"].endswith("/resources")), None)


def test_a_container_gets_the_requests_that_it_lacks() -> None:
    assert resources({}) == {
        "requests": {"cpu": "500m", "memory": "2Gi", "ephemeral-storage": "1Gi"},
        "limits": {"ephemeral-storage": "1Gi"},
    }
    stated = {"requests": {"cpu": "2", "ephemeral-storage": "5Gi"}, "limits": {"memory": "4Gi"}}
    assert resources({"resources": stated}) == {
        "requests": {"cpu": "2", "memory": "4Gi", "ephemeral-storage": "5Gi"},
        "limits": {"memory": "4Gi", "ephemeral-storage": "5Gi"},
    }


def test_the_systems_own_pods_are_left_alone() -> None:
    assert resources({}, "kube-system") is None


def verdict(spec: Document, kind: str = "Pod", namespace: str = "team") -> dict[str, Any]:
    """Warden's response to an object with that pod specification."""
    wrapped: dict[str, Document] = {
        "Pod": {"spec": spec},
        "Job": {"spec": {"template": {"spec": spec}}},
        "CronJob": {"spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}},
    }
    user = {"username": "ada", "groups": ["team", "system:authenticated"]}
    request = {"uid": "u", "namespace": namespace, "userInfo": user, "object": {"kind": kind, **wrapped[kind]}}
    return json.loads(judge(json.dumps({"request": request}).encode()))["response"]


_PRIVILEGED: Document = {"containers": [{"name": "c", "securityContext": {"privileged": True}}], "hostNetwork": True}


@pytest.mark.parametrize("kind", ["Pod", "Job", "CronJob"])
def test_warden_refuses_privilege_and_the_hosts_network(kind: str) -> None:
    response = verdict(_PRIVILEGED, kind)
    assert not response["allowed"]
    assert response["status"]["reason"] == "GKE Warden constraints violations"
    assert response["status"]["message"] == (
        "GKE Warden rejected the request because it violates one or more constraints.\n"
        'Violations details: {"[denied by autogke-disallow-hostnamespaces]":'
        '["enabling hostNetwork is not allowed in Autopilot."],'
        '"[denied by autogke-disallow-privilege]":["container c is privileged; not allowed in Autopilot"]}\n'
        "Requested by user: 'ada', groups: 'team,system:authenticated'."
    )


def test_warden_lets_other_pods_and_the_system_in() -> None:
    assert verdict({"containers": [{"name": "c"}]}) == {"uid": "u", "allowed": True}
    assert verdict(_PRIVILEGED, namespace="kube-system")["allowed"]


def test_warden_sees_pods_and_the_templates_of_workloads() -> None:
    (webhook,) = warden_configuration({"url": "https://127.0.0.1:1/warden"})["webhooks"]
    assert webhook["name"] == WARDEN
    seen = {resource for rule in webhook["rules"] for resource in rule["resources"]}
    assert seen == {"pods", "daemonsets", "deployments", "statefulsets", "cronjobs", "jobs"}

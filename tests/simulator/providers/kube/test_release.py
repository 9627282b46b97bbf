"""Helm releases, with a Helm that is a script."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from simulator.processes import start_time
from simulator.providers.base import Change, Failure, Found, PartlyCreatedError, ProviderError
from simulator.providers.kube.charts import Charts, without_visibility
from simulator.providers.kube.helm import HelmError
from simulator.providers.values import UNKNOWN, Properties
from tests.simulator.providers.kube.builders import RELEASE, Kube, ScriptedHelm, Told

_CHART: Final = "oci://registry.k8s.io/kueue/charts/kueue"
_STATUS: Final = {
    "name": "kueue",
    "namespace": "kueue-system",
    "version": 2,
    "info": {"status": "deployed"},
    "config": {"a": 1},
}
_INSTALLED: Final = {
    **_STATUS,
    "chart": {"metadata": {"name": "kueue", "version": "0.16.2", "appVersion": "v0.16.2"}},
}
_NOT_FOUND: Final = "Error: release: not found\n"


def a_release(**more: Any) -> Properties:  # noqa: ANN401  any property
    """The checked inputs of a release."""
    return {"name": "kueue", "namespace": "kueue-system", "chart": _CHART, "timeout": 300, **more}


def create(kube: Kube, helm: ScriptedHelm, inputs: Properties, timeout: float = 0) -> Properties:
    """The outputs of a release that is installed."""
    helm.says("install", json.dumps(_INSTALLED))
    return kube.provider.create(replace(RELEASE, new=inputs, timeout=timeout)).outputs


def test_name_namespace_and_limit_are_filled_in(kube: Kube) -> None:
    first = kube.provider.check(replace(RELEASE, new={"chart": _CHART, "version": "0.16.2"}, seed=b"s"))
    assert first.failures == []
    name = first.inputs["name"]
    assert first.inputs == {
        "chart": _CHART,
        "version": "0.16.2",
        "namespace": "default",
        "timeout": 300,
        "name": name,
    }
    assert str(name).startswith("kueue-")
    assert (
        kube.provider.check(replace(RELEASE, old=first.inputs, new={"chart": _CHART}, seed=b"t")).inputs["name"] == name
    )
    assert kube.provider.check(replace(RELEASE, new=a_release(), seed=b"s")).inputs == a_release()


@pytest.mark.parametrize(
    ("inputs", "failure"),
    [
        (
            {"chart": "oci://example.org/redis"},
            Failure(
                "chart",
                "chart oci://example.org/redis is not modelled by the simulator. It has"
                " oci://registry.k8s.io/kueue/charts/kueue, oci://registry.k8s.io/jobset/charts/jobset.",
            ),
        ),
        (
            {"chart": _CHART, "version": "0.17.0"},
            Failure("chart", f"chart {_CHART} is here in version 0.19.2 or 0.16.2, not 0.17.0."),
        ),
        (
            {"chart": _CHART, "postrender": "x"},
            Failure("postrender", "the simulator does not model postrender of a Release; see simulator/__init__.py"),
        ),
    ],
)
def test_what_is_not_here_is_refused(kube: Kube, inputs: Properties, failure: Failure) -> None:
    assert kube.provider.check(replace(RELEASE, new=inputs, seed=b"s")).failures == [failure]


@pytest.mark.parametrize(
    "more", [{"version": "v0.16.2"}, {"version": UNKNOWN}, {"chart": UNKNOWN}, {"postrender": None}]
)
def test_what_may_be_here_is_not_refused(kube: Kube, more: Properties) -> None:
    assert kube.provider.check(replace(RELEASE, new={"chart": _CHART, **more}, seed=b"s")).failures == []


def test_only_another_name_or_namespace_is_another_release(kube: Kube) -> None:
    old = a_release(values={"a": 1}, version="0.16.1")

    def diff(*ignored: str, **changed: Any) -> dict[str, Change]:  # noqa: ANN401  any property
        difference = kube.provider.diff(replace(RELEASE, id="id", old=old, new={**old, **changed}, ignored=ignored))
        assert not difference.delete_before_replace
        return difference.changes

    assert diff(values={"a": 2}, version="0.16.2") == {"values.a": Change.UPDATE, "version": Change.UPDATE}
    assert diff("values", values={"a": 2}) == {}
    assert diff(name="other") == {"name": Change.UPDATE_REPLACE}
    assert diff(namespace="other") == {"namespace": Change.UPDATE_REPLACE}


def test_a_preview_asks_nobody(kube: Kube, helm: ScriptedHelm) -> None:
    created = kube.provider.create(replace(RELEASE, new=a_release(), preview=True))
    assert (created.id, created.outputs) == ("kueue-system/kueue", {**a_release(), "status": UNKNOWN})
    assert kube.provider.create(replace(RELEASE, new=a_release(name=UNKNOWN), preview=True)).id == ""
    updated = kube.provider.update(replace(RELEASE, id="id", new=a_release(), preview=True))
    assert updated["status"] is UNKNOWN
    assert helm.asked() == []


def test_an_installation_is_helms_with_the_chart_that_is_here(kube: Kube, helm: ScriptedHelm) -> None:
    values = {"controllerManager": {"replicas": 1}}
    outputs = create(kube, helm, a_release(values=values, createNamespace=True, atomic=True, skipCrds=False))
    (install,) = helm.asked()
    words = install.split()
    assert words[:4] == ["install", "kueue", str(helm.folder / "kueue" / "0.19.2"), "--namespace=kueue-system"]
    assert [word for word in words[4:] if not word.startswith(("--values=", "--post-renderer="))] == [
        "--timeout=300s",
        "--output=json",
        "--atomic",
        "--create-namespace",
        "--wait",
        "--disable-openapi-validation",
    ]
    assert yaml.safe_load(helm.seen("values")) == values
    assert helm.seen("kubeconfig") == kube.cluster.kubeconfig
    assert outputs["status"] == {
        "appVersion": "v0.16.2",
        "chart": "kueue",
        "name": "kueue",
        "namespace": "kueue-system",
        "revision": 2,
        "status": "deployed",
        "version": "0.16.2",
    }


def test_nothing_of_an_installation_stays_on_disk(kube: Kube, helm: ScriptedHelm) -> None:
    create(kube, helm, a_release(values={}))
    values = next(word for word in helm.asked()[0].split() if word.startswith("--values=")).partition("=")[2]
    assert not Path(values).parent.exists()


@pytest.mark.parametrize(
    ("more", "timeout", "flags"),
    [
        ({"skipAwait": True, "waitForJobs": True}, 0, {"--timeout=300s", "--wait-for-jobs"}),
        ({"timeout": 60, "cleanupOnFail": True}, 0, {"--timeout=60s", "--cleanup-on-fail", "--wait"}),
        ({"waitForJobs": True}, 0, {"--timeout=300s", "--wait-for-jobs", "--wait"}),
        ({"timeout": 60}, 5.0, {"--timeout=5s", "--wait"}),
        ({"skipAwait": True, "skipCrds": True}, 0, {"--timeout=300s", "--skip-crds"}),
    ],
)
def test_options_are_helms_flags(
    kube: Kube, helm: ScriptedHelm, more: dict[str, Any], timeout: float, flags: set[str]
) -> None:
    create(kube, helm, a_release(**more), timeout)
    given = {word for word in helm.asked()[0].split() if word.startswith("--")}
    usual = ("--values", "--post", "--namespace", "--output", "--disable")
    assert {word for word in given if not word.startswith(usual)} == flags


def test_an_update_is_an_upgrade(kube: Kube, helm: ScriptedHelm) -> None:
    helm.says("upgrade", json.dumps(_INSTALLED))
    outputs = kube.provider.update(replace(RELEASE, id="id", new=a_release(createNamespace=True)))
    assert helm.asked()[0].startswith("upgrade kueue ")
    assert "--create-namespace" not in helm.asked()[0]
    assert isinstance(outputs["status"], dict)


def test_what_helm_renders_goes_through_the_post_renderer(kube: Kube, helm: ScriptedHelm) -> None:
    documents = ["kind: Service\nmetadata: {name: a}", "apiVersion: v1\nkind: APIService\nmetadata: {name: b}"]
    (helm.folder / "manifests").write_text("---\n" + "\n---\n".join(documents) + "\n")
    create(kube, helm, a_release())
    assert (helm.folder / "rendered").read_text() == "---\nkind: Service\nmetadata: {name: a}"


def test_a_release_that_was_not_installed_is_not_kept(kube: Kube, helm: ScriptedHelm) -> None:
    helm.fails("install", "Error: INSTALLATION FAILED: chart needs Kubernetes 1.40\n")
    helm.fails("status", _NOT_FOUND)
    with pytest.raises(ProviderError) as caught:
        kube.provider.create(replace(RELEASE, new=a_release()))
    assert not isinstance(caught.value, PartlyCreatedError)
    assert str(caught.value) == "helm install kueue: INSTALLATION FAILED: chart needs Kubernetes 1.40"


def test_a_release_that_was_installed_but_is_not_ready_is_kept(kube: Kube, helm: ScriptedHelm) -> None:
    helm.fails("install", "Error: INSTALLATION FAILED: context deadline exceeded\n")
    helm.says("status", json.dumps({**_STATUS, "info": {"status": "failed"}}))
    with pytest.raises(PartlyCreatedError) as caught:
        kube.provider.create(replace(RELEASE, new=a_release()))
    error = caught.value
    assert (error.id, error.inputs) == ("kueue-system/kueue", a_release())
    assert error.reasons == ["helm install kueue: INSTALLATION FAILED: context deadline exceeded"]
    status = error.outputs["status"]
    assert isinstance(status, dict)
    assert status["status"] == "failed"


@pytest.mark.parametrize(
    ("verb", "refusal"),
    [
        ("install", "Error: cannot re-use a name that is still in use"),
        ("upgrade", "Error: another operation (install/upgrade/rollback) is in progress"),
        ("upgrade", 'Error: "kueue" has no deployed releases'),
    ],
)
def test_a_release_that_helm_refuses_at_once_is_not_stored(
    kube: Kube, helm: ScriptedHelm, verb: str, refusal: str
) -> None:
    helm.fails(verb, refusal)
    helm.says("status", json.dumps(_STATUS))
    changes = {
        "install": lambda: kube.provider.create(replace(RELEASE, new=a_release())),
        "upgrade": lambda: kube.provider.update(replace(RELEASE, id="id", new=a_release())),
    }
    with pytest.raises(ProviderError, match=f"helm {verb} kueue: ") as caught:
        changes[verb]()
    assert not isinstance(caught.value, PartlyCreatedError), "it would be uninstalled with the stack"


def test_a_release_is_read_as_helm_knows_it(kube: Kube, helm: ScriptedHelm) -> None:
    installed = create(kube, helm, a_release())
    helm.says("status", json.dumps({**_STATUS, "version": 3}))
    found = kube.provider.read(replace(RELEASE, id="kueue-system/kueue", old=a_release(), outputs=installed))
    assert isinstance(found, Found)
    assert (found.id, found.inputs) == ("kueue-system/kueue", a_release())
    before = installed["status"]
    assert isinstance(before, dict)
    assert found.outputs["status"] == {**before, "revision": 3}
    helm.says("get", json.dumps({"name": "kueue", "chart": "kueue", "version": "0.16.2", "appVersion": "v0.16.2"}))
    imported = kube.provider.read(replace(RELEASE, id="kueue-system/kueue"))
    assert isinstance(imported, Found)
    named = {"name": "kueue", "namespace": "kueue-system", "chart": "kueue", "version": "0.16.2"}
    assert imported.inputs == {**named, "values": {"a": 1}}
    status = imported.outputs["status"]
    assert isinstance(status, dict)
    assert (status["chart"], status["version"], status["appVersion"]) == ("kueue", "0.16.2", "v0.16.2")


def test_a_release_whose_chart_helm_does_not_tell_is_not_imported(kube: Kube, helm: ScriptedHelm) -> None:
    helm.says("status", json.dumps(_STATUS))
    helm.fails("get", "Error: broken record")
    with pytest.raises(ProviderError, match="helm get metadata kueue: broken record"):
        kube.provider.read(replace(RELEASE, id="kueue-system/kueue"))


def test_a_release_that_helm_does_not_know_is_gone(kube: Kube, helm: ScriptedHelm) -> None:
    helm.fails("status", _NOT_FOUND)
    assert kube.provider.read(replace(RELEASE, id="kueue-system/kueue", old=a_release())) is None
    kube.provider.delete(replace(RELEASE, id="kueue-system/kueue", old=a_release()))
    assert {line.split()[0] for line in helm.asked()} == {"status"}


def test_a_deletion_uninstalls_and_waits(kube: Kube, helm: ScriptedHelm) -> None:
    helm.says("status", json.dumps(_STATUS))
    kube.provider.delete(replace(RELEASE, id="kueue-system/kueue", old=a_release(), timeout=20))
    assert helm.asked()[1] == "uninstall kueue --namespace=kueue-system --wait --timeout=20s"
    helm.fails("uninstall", "Error: uninstallation completed with 1 error(s): it hangs\n")
    with pytest.raises(ProviderError) as caught:
        kube.provider.delete(replace(RELEASE, id="kueue-system/kueue", old=a_release(), timeout=20))
    assert str(caught.value) == "helm uninstall kueue: uninstallation completed with 1 error(s): it hangs"


def test_a_helm_that_cannot_look_is_told(kube: Kube, helm: ScriptedHelm) -> None:
    helm.fails("status", "Error: unknown flag: --output\n")
    with pytest.raises(ProviderError) as caught:
        kube.provider.read(replace(RELEASE, id="kueue-system/kueue", old=a_release()))
    assert str(caught.value) == "helm status kueue: unknown flag: --output"


def test_a_helm_that_finds_no_cluster_asks_the_reporter(kube: Kube, helm: ScriptedHelm, told: Told) -> None:
    words = "Error: Kubernetes cluster unreachable: connection refused\n"
    helm.fails("install", words)
    told.outages.append((False, "kube-apiserver keeps ending"))
    with pytest.raises(ProviderError) as caught:
        kube.provider.create(replace(RELEASE, new=a_release()))
    assert str(caught.value) == "configured Kubernetes cluster is unreachable: kube-apiserver keeps ending"
    assert [line.split()[0] for line in helm.asked()] == ["install"], "nothing was installed that could be looked for"


def test_charts_are_found_by_reference_and_version(helm: ScriptedHelm) -> None:
    charts: Charts = helm.tool.charts
    assert charts.folder(_CHART, None) == charts.folder(_CHART, "v0.19.2") == helm.folder / "kueue" / "0.19.2"
    assert charts.folder(_CHART, "0.16.2") == helm.folder / "kueue" / "0.16.2"


@pytest.mark.parametrize(
    ("manifests", "kept"),
    [
        ("", ""),
        ("kind: A\n", "kind: A\n"),
        ("---\nkind: A\n---\nkind: APIService\n---\nkind: B\n", "---\nkind: A\n---\nkind: B\n"),
        ("kind: APIService\n", ""),
        (
            "---\n# Source: x\nkind: A\nspec:\n  kind: APIService\n",
            "---\n# Source: x\nkind: A\nspec:\n  kind: APIService\n",
        ),
        ("---\nkind: A\ndata: |\n  ---\n  kind: APIService\n", "---\nkind: A\ndata: |\n  ---\n  kind: APIService\n"),
    ],
)
def test_only_api_services_are_left_out(manifests: str, kept: str) -> None:
    assert without_visibility(manifests) == kept


def test_helm_does_not_wait_for_clusters_that_are_gone_with_the_daemon(helm: ScriptedHelm) -> None:
    looks = iter((False, True))
    tool = dataclasses.replace(helm.tool, clusters_are_gone=lambda: next(looks))
    process = helm.stays("install")
    with pytest.raises(HelmError, match="daemon does not answer"):
        tool.run("{}", ["install", "kueue"])
    assert list(looks) == []
    assert start_time(int(process.read_text())) is None

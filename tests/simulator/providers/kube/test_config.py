"""The provider's own configuration, and which types it answers for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.providers.base import Change, Failure, ProviderError
from simulator.providers.kube.provider import KubernetesProvider
from simulator.providers.values import UNKNOWN, Properties
from tests.simulator.providers.kube.builders import CONFIG, Kube, ScriptedHelm, Told, a_config, target

_REPLACE = Change.UPDATE_REPLACE


def test_what_is_modelled_is_taken(kube: Kube) -> None:
    config: Properties = {"kubeconfig": "k", "clusterIdentifier": "i", "enablePatchForce": True, "namespace": "team"}
    checked = kube.provider.check_config("urn", {}, config)
    assert (checked.inputs, checked.failures) == (config, [])


def test_what_is_not_modelled_is_refused_by_name(kube: Kube) -> None:
    config: Properties = {"renderYamlToDirectory": "out", "cluster": "c", "enableServerSideApply": "false"}
    assert kube.provider.check_config("urn", {}, config).failures == [
        Failure("cluster", "the simulator does not model the kubernetes provider's cluster"),
        Failure(
            "renderYamlToDirectory", "the simulator does not model the kubernetes provider's renderYamlToDirectory"
        ),
        Failure("enableServerSideApply", "the simulator models server-side apply only"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"kubeconfig": "a"}, {"kubeconfig": "a"}, {}),
        ({"kubeconfig": "a"}, {"kubeconfig": "b"}, {"kubeconfig": _REPLACE}),
        ({"kubeconfig": "a"}, {"kubeconfig": UNKNOWN}, {"kubeconfig": _REPLACE}),
        (
            {"kubeconfig": "a", "clusterIdentifier": "i"},
            {"kubeconfig": UNKNOWN, "clusterIdentifier": "i"},
            {"kubeconfig": Change.UPDATE},
        ),
        (
            {"kubeconfig": "a", "clusterIdentifier": "i"},
            {"kubeconfig": "a", "clusterIdentifier": "j"},
            {"clusterIdentifier": _REPLACE},
        ),
        (
            {"kubeconfig": "a", "clusterIdentifier": "i"},
            {"kubeconfig": "b", "clusterIdentifier": "j"},
            {"kubeconfig": _REPLACE, "clusterIdentifier": _REPLACE},
        ),
        ({"kubeconfig": "a"}, {"kubeconfig": "a", "clusterIdentifier": "i"}, {"clusterIdentifier": Change.ADD}),
        ({"namespace": "a"}, {"namespace": "b"}, {"namespace": Change.UPDATE}),
    ],
)
def test_only_another_cluster_replaces_what_is_in_it(
    kube: Kube, old: Properties, new: Properties, changes: dict[str, Change]
) -> None:
    assert kube.provider.diff_config("urn", old, new).changes == changes


def test_a_kubeconfig_is_needed_and_nothing_is_asked_yet(kube: Kube) -> None:
    with pytest.raises(ProviderError) as caught:
        kube.provider.configure({})
    assert str(caught.value) == (
        "the kubernetes provider needs an explicit kubeconfig here: the simulator reads no ambient one"
    )
    assert kube.cluster.server.asked == []


def test_a_kubeconfig_that_leads_nowhere_is_told_when_it_is_used(kube: Kube) -> None:
    kube.provider.configure({"kubeconfig": "{}"})
    with pytest.raises(ProviderError) as caught:
        kube.provider.create(replace(CONFIG, new=a_config()))
    assert str(caught.value) == "kubeconfig: the kubeconfig names no context to use"


def test_a_provider_that_was_not_configured_says_so(told: Told, helm: ScriptedHelm) -> None:
    provider = KubernetesProvider(told, told, helm.tool)
    with pytest.raises(ProviderError, match="was not configured"):
        provider.check(replace(CONFIG, new=a_config()))


@pytest.mark.parametrize(
    "type_",
    [
        "kubernetes:helm.sh/v3:Chart",
        "kubernetes:helm.sh/v4:Chart",
        "kubernetes:yaml:ConfigFile",
        "kubernetes:yaml/v2:ConfigGroup",
        "kubernetes:kustomize:Directory",
        "kubernetes:core/v1:ConfigMapList",
        "kubernetes:core/v1:ConfigMapPatch",
    ],
)
def test_what_is_no_object_is_refused(kube: Kube, type_: str) -> None:
    with pytest.raises(ProviderError) as caught:
        kube.provider.check(target(type_))
    assert str(caught.value) == (
        f"stand-in provider kubernetes: {type_} is not modelled by the simulator; see simulator/__init__.py"
    )

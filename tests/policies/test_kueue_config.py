"""Kueue's configuration as rules read it: what of it cannot be read, and what it does to amounts."""

from __future__ import annotations

import pytest

from components.model.facts import kinds
from components.model.facts.quantities import parse
from policies.objects.judging import TYPES, Settings
from policies.objects.kueue_config import counting, frameworks
from policies.objects.values import UNKNOWN, UndecidedError, Value
from policies.objects.world import Object, World, cloud_object
from policies.rules import judge
from tests.policies.cases import cases


def _release(config: Value, chart: str = "oci://registry.k8s.io/kueue/charts/kueue", version: str = "0.19.2") -> Object:
    values: dict[str, Value] = {"managerConfig": {"controllerManagerConfigYaml": config}}
    return cloud_object(
        kinds.RELEASE, {"name": "kueue", "chart": chart, "version": version, "values": values}, origin="r"
    )


def _queued(*more: Object) -> World:
    """A run in a queue that has no quota of what the run asks for."""
    [case] = [each for each in cases() if each.name == "cpu for the pods of a slice"]
    return World([*case.world.objects, *more])


def test_a_configuration_that_is_no_yaml_is_told_where_it_stands() -> None:
    found = judge(_queued(_release("resources: [")), Settings()).findings
    [told] = [each for each in found if each.rule == TYPES.id]
    assert str(told.place) == "values.managerConfig.controllerManagerConfigYaml"
    assert "is not YAML." in told.says


def test_a_configuration_that_is_not_known_yet_decides_nothing() -> None:
    verdict = judge(_queued(_release(UNKNOWN)), Settings())
    assert "slice-requests-are-covered" not in {each.rule for each in verdict.findings}
    undecided = {each.rule for each in verdict.not_checked if each.place is not None}
    assert {"slice-requests-are-covered", "queued-kind-is-managed"} <= undecided


@pytest.mark.parametrize("text", ["", "just text", "[a]", "apiVersion: config.jobset.x-k8s.io/v1alpha1\nresources: 1"])
def test_what_is_no_configuration_of_kueue_changes_nothing(text: str) -> None:
    world = World([_release(text)])
    assert counting(world).names("cpu") == ("cpu",)
    assert frameworks(world) is None


def test_the_values_of_another_chart_are_not_kueues() -> None:
    assert frameworks(World([_release("kind: Configuration", chart="jobset")])) is None
    assert frameworks(World([_release("kind: Configuration")])) == ("batch/job",)


@pytest.mark.parametrize(("release", "credits_counted"), [("0.16.9", "5"), ("0.17.0", "4"), ("0.19.2", "4"), ("", "4")])
def test_what_a_pod_asks_for_was_rounded_up_before_it_was_transformed(release: str, credits_counted: str) -> None:
    config = "resources: {transformations: [{input: cpu, outputs: {example.com/credits: 2}, strategy: Replace}]}"
    counts = counting(World([_release(config, version=release)]))
    asked = {"cpu": parse("1500m"), "example.com/credits": parse("1")}
    assert counts.counted(asked) == {"example.com/credits": parse(credits_counted)}


@pytest.mark.parametrize(("release", "kept"), [("0.16.2", "12Gi"), ("0.19.2", "6Gi")])
def test_what_is_kept_was_multiplied_with_what_is_made_of_it(release: str, kept: str) -> None:
    config = "resources: {transformations: [{input: memory, outputs: {example.com/m: 1}, multiplyBy: example.com/gpu}]}"
    counts = counting(World([_release(config, version=release)]))
    made = counts.counted({"memory": parse("6Gi"), "example.com/gpu": parse("2")})
    assert made["memory"] == parse(kept)
    assert made["example.com/m"].milli == parse("12Gi").milli


def test_a_release_of_which_nothing_is_known_may_be_kueues() -> None:
    with pytest.raises(UndecidedError):
        frameworks(World([], [_release("kind: Configuration")]))

"""The package's inputs: the keys of stack files, read strictly, and judged by the rules before anything is made."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
from pulumi import InputPropertiesError
from pulumi.provider.experimental.property_value import Computed, PropertyValue
from pulumi.provider.experimental.provider import ConstructRequest
from pulumi.resource import ResourceOptions

from components.package.provider import COMPONENTS, Package, options_of, package_schema
from components.package.wire import Reading, Shape, sent

if TYPE_CHECKING:
    from pulumi import Resource

CLUSTER = {"name": "dev", "location": "us-south1", "nodeServiceAccount": "dev-nodes@acme.iam.gserviceaccount.com"}
IN_PROJECT = {**CLUSTER, "project": "acme-ml-dev"}
GROUP = {"name": "v5e", "slices": 2, "machineType": "ct5lp-hightpu-4t", "topology": "2x4", "zone": "us-south1-a"}
FLAVOR = {"name": "v5e", "machineType": "ct5lp-hightpu-4t", "topology": "2x4"}
LEDGER = {
    "slices": [GROUP],
    "flavors": [FLAVOR],
    "queues": [{"name": "vision", "flavors": [{"name": "v5e"}], "localQueues": [{"name": "vision"}]}],
}
RUN = {"queue": "vision", "flavor": "v5e", "slices": 1, "image": "registry.example/train:1.0", "command": ["train"]}


@pytest.fixture(scope="module")
def package() -> Package:
    return Package()


def _value(value: object) -> PropertyValue:
    """A value as the engine sends it."""
    if isinstance(value, dict):
        return PropertyValue({key: _value(item) for key, item in cast("dict[str, object]", value).items()})
    if isinstance(value, list):
        return PropertyValue([_value(item) for item in cast("list[object]", value)])
    if isinstance(value, PropertyValue):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    assert isinstance(value, (bool, str, Computed))
    return PropertyValue(value)


def _refused(package: Package, component: str, given: dict[str, Any]) -> str:
    """What the user reads when a component called `it` is asked for with these inputs."""
    request = ConstructRequest(
        f"tpu-platform:index:{component}", "it", {key: _value(item) for key, item in given.items()}, ResourceOptions()
    )
    with pytest.raises(InputPropertiesError) as refused:
        asyncio.run(package.construct(request))
    return refused.value.message


def test_a_shape_that_no_machine_makes_is_refused_by_the_path_of_the_input(package: Package) -> None:
    given = {"cluster": IN_PROJECT, "groups": [{**GROUP, "topology": "3x4"}]}
    assert _refused(package, "TpuSlices", given) == (
        "it: groups[0].topology: ct5lp-hightpu-4t makes no 3x4 slices: it is not a shape of TPU v5e.\n"
        "  ct5lp-hightpu-4t makes 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16. Nearest: 2x4 (8 chips) and 4x4 (16 chips).\n"
        '  [topology-exists] GKE documentation "About TPUs in GKE", read 2026-11\n'
        "\n"
        "1 error."
    )


def test_an_unknown_input_and_one_that_is_missing_are_told_at_once(package: Package) -> None:
    group = {key: value for key, value in GROUP.items() if key != "topology"}
    text = _refused(package, "TpuSlices", {"cluster": IN_PROJECT, "groups": [{**group, "machinetype": "ct5lp"}]})
    assert "it: groups[0]: topology is missing.\n  Required: machineType, name and topology." in text
    assert (
        "it: groups[0].machinetype: unknown input.\n  Did you mean machineType? There are: name, slices, machineType,"
        in text
    )
    assert text.endswith("\n\n2 errors.")


def test_a_value_of_another_type_is_told_by_the_names_of_the_schema(package: Package) -> None:
    given = {"cluster": IN_PROJECT, "groups": [{**GROUP, "maxRunSeconds": "60"}]}
    assert 'it: groups[0].maxRunSeconds: "60" is text; a whole number belongs here.\n  Write 60 without quotes.' in (
        _refused(package, "TpuSlices", given)
    )


def test_pools_need_the_account_of_their_nodes_and_the_project(package: Package) -> None:
    cluster = {"name": "dev", "location": "us-south1"}
    text = _refused(package, "TpuSlices", {"cluster": cluster, "groups": [GROUP]})
    assert "it: cluster: nodeServiceAccount is missing, which slices cannot do without." in text
    assert "it: cluster.project: it is missing." in text


def test_what_is_not_known_before_the_update_is_refused(package: Package) -> None:
    given = {"cluster": {**IN_PROJECT, "name": Computed()}, "groups": [{**GROUP, "slices": Computed()}]}
    text = _refused(package, "TpuSlices", given)
    assert "it: cluster.name: it is not known before the update.\n  Give the value itself:" in text
    assert "it: groups[0].slices: it is not known before the update." in text


def test_a_secret_is_refused(package: Package) -> None:
    secret = PropertyValue("registry.example/train:1.0", is_secret=True)
    text = _refused(package, "JobSet", {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "image": secret})
    assert text.startswith("it: image: it is a secret, and would be shown in the cluster.\n")


def test_queues_promise_no_more_than_the_slices_that_were_passed(package: Package) -> None:
    queues = [{"name": "vision", "flavors": [{"name": "v5e", "chips": 24}], "localQueues": [{"name": "vision"}]}]
    given = {"cluster": IN_PROJECT, "slices": [GROUP], "flavors": [FLAVOR], "queues": queues}
    assert _refused(package, "Queues", given) == (
        "it: queues[0].flavors[0].chips: 24 chips are promised, but v5e has 16.\n"
        "  Set 16 (2 slices), or declare more slices.\n"
        "  [quota-within-pools] the chip ledger, components/model/plan/\n"
        "\n"
        "1 error."
    )


def test_a_flavor_that_no_slices_serve_is_refused_by_the_name_of_the_input(package: Package) -> None:
    given = {**LEDGER, "cluster": IN_PROJECT, "slices": [{**GROUP, "topology": "4x4"}]}
    text = _refused(package, "Queues", given)
    assert "it: flavors[0].name: no pool has 2x4 slices of ct5lp-hightpu-4t, which v5e counts." in text
    assert "Declare them under slices." in text


def test_without_slices_every_quota_is_stated(package: Package) -> None:
    given = {key: value for key, value in LEDGER.items() if key != "slices"}
    assert "it: queues[0].flavors[0].name: no pool holds 2x4 slices" in (
        _refused(package, "Queues", {"cluster": IN_PROJECT, **given})
    )


def test_a_workload_that_its_queue_can_never_run_is_refused(package: Package) -> None:
    given = {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "slices": 3}
    assert "it: slices: 3 slices of v5e are 24 chips, but vision has 16;" in _refused(package, "JobSet", given)


def test_variables_and_accounts_of_a_workload_are_read_as_a_stack_file_has_them(package: Package) -> None:
    env = {"STEPS": {"value": "10"}, "TOKEN": {"secret": "hf", "key": "token"}, "TPU_WORKER_ID": {"value": "0"}}
    given = {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "env": env, "serviceAccount": "trainer"}
    text = _refused(package, "JobSet", given)
    assert text.startswith("it: env.TPU_WORKER_ID: GKE sets it, to another value in each pod.")
    assert text.endswith("\n\n1 error.")


_MOUNTS = [
    {"claim": "share", "path": "/share", "readOnly": True},
    {"bucket": "data", "path": "/data", "profile": "training"},
    {"ephemeral": "10Gi", "path": "/scratch"},
]


def test_mounts_and_sidecars_of_a_workload_are_read_as_a_stack_file_has_them(package: Package) -> None:
    sidecar = {"name": "jax-tpu", "image": "registry.example/log:1.0", "mounts": [{"claim": "share", "path": "/s"}]}
    given = {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "mounts": _MOUNTS, "sidecars": [sidecar]}
    text = _refused(package, "JobSet", given)
    assert text.startswith("it: sidecars[0].name: the name jax-tpu is taken by the workload's own container.")
    assert text.endswith("\n\n1 error.")


def test_a_mount_is_of_one_kind_and_its_keys_are_of_that_kind(package: Package) -> None:
    mounts = [{"claim": "share", "path": "/a", "profile": "training"}, {"bucket": "Data", "path": "/b"}]
    text = _refused(package, "JobSet", {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "mounts": mounts})
    assert "it: mounts[0].profile: unknown key" in text
    assert text.count("it: mounts[1].bucket: ") == 1


def test_resources_beside_chips_need_quota_that_the_ledger_can_state(package: Package) -> None:
    run = {"cluster": IN_PROJECT, **RUN, "resources": {"cpu": "8"}}
    assert "it: resources.cpu: vision has no quota of cpu;" in _refused(package, "JobSet", {**run, "ledger": LEDGER})
    shares = [{"name": "v5e"}, {"name": "cpu", "resources": {"cpu": "4"}}]
    ledger = {**LEDGER, "flavors": [FLAVOR, {"name": "cpu"}], "queues": [{**LEDGER["queues"][0], "flavors": shares}]}
    text = _refused(package, "JobSet", {**run, "ledger": ledger})
    assert text.startswith("it: resources.cpu: 2 pods with 8 of cpu take 16, but vision has 4;")
    assert text.endswith("\n\n1 error.")


def test_a_variable_has_a_value_or_a_source(package: Package) -> None:
    env = {"TOKEN": {"value": "x", "secret": "hf", "key": "token"}}
    assert "it: env.TOKEN.value: unknown key." in (
        _refused(package, "JobSet", {"cluster": IN_PROJECT, "ledger": LEDGER, **RUN, "env": env})
    )


def test_a_queue_that_is_not_in_the_ledger_is_refused_and_the_ledger_by_its_own_path(package: Package) -> None:
    ledger = {**LEDGER, "flavors": [{**FLAVOR, "topology": "2x5"}]}
    text = _refused(package, "JobSet", {"cluster": IN_PROJECT, "ledger": ledger, **RUN, "queue": "visoin"})
    assert text.startswith("it: ledger.flavors[0].topology: ct5lp-hightpu-4t makes no 2x5 slices")
    assert "it: queue: " in text
    assert "Did you mean vision?" in text


def test_outputs_are_inputs_of_the_next_component() -> None:
    schema = package_schema()
    shape = Shape(schema, schema["resources"]["tpu-platform:index:Queues"]["properties"]["ledger"])
    reading = Reading()
    ledger = reading.value(_value(LEDGER), shape, ())
    assert ledger["slices"][0]["machine_type"] == "ct5lp-hightpu-4t"
    again = sent(ledger, shape, frozenset({"urn:of:queues"}))
    assert again.dependencies == {"urn:of:queues"}
    assert reading.value(again, shape, ()) == ledger
    assert reading.findings == []


def test_a_component_comes_after_what_its_inputs_came_from() -> None:
    given = {
        "cluster": PropertyValue({"name": PropertyValue("dev", dependencies=frozenset({"urn:of:cluster"}))}),
        "groups": PropertyValue([], dependencies=frozenset({"urn:of:slices"})),
        "billingLabels": PropertyValue({}),
    }
    request = ConstructRequest("tpu-platform:index:TpuSlices", "it", given, ResourceOptions())

    async def origins() -> list[str | None]:
        after = cast("list[Resource]", options_of(request).depends_on)
        return [await each.urn.future() for each in after]

    assert asyncio.run(origins()) == ["urn:of:cluster", "urn:of:slices"]


def test_every_component_is_in_the_schema() -> None:
    assert list(package_schema()["resources"]) == [f"tpu-platform:index:{each.made.__name__}" for each in COMPONENTS]

"""The JSON schema of stack files: it is that of the declarations, says what each key is, and agrees with the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import pytest
import yaml

from components.model.facts import tpu
from components.model.stack_file.reading import read
from components.schema.__main__ import FILE, main
from components.schema.stack_file import text
from tests.model.stacks_of_rules import BROKEN, SOUND
from tests.model.test_config import WRONG, told_of_shape
from tests.model.test_reading import ONE_MISTAKE
from tests.schema import accepts, refusals, schema
from tests.stacks import (
    GCP_PROJECT,
    PLATFORM_KEY,
    Stack,
    a_platform,
    committed,
    given_file,
    in_existing_cluster,
    stack_file,
)
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ONLY_PARSED: Final = (
    "an address range that begins in the middle",
    "half a version",
    "a tag for a release",
    "a day that its month does not have",
    "a release of Ray that is none",
    "an amount in words",
    "an ephemeral folder of no amount",
    "addresses of services that are none",
    "a pattern with a look-ahead",
)
"""What the reader finds with a parser; the schema says of such texts only that they are texts."""
_ONLY_RULES: Final = ("two pools of one name", "four slices of three", "a queue that does not exist")
"""How parts relate is for the rules; a schema sees one part."""
_OF_THE_CATALOGUE: Final = (
    "quota of a generation that does not exist",
    "quota of a GPU that does not exist",
    "a misspelt GPU",
    "auto-provisioning of an accelerator that does not exist",
    "a quota of slices that cannot be",
    "a misspelt machine type",
    "an ordinary machine type for slices",
    "a topology that the generation does not have",
    "dimensions in descending order",
    "a topology that is none",
    "three dimensions for a flat generation",
    "a machine type that is too small for the topology",
)
"""Cases of the rules of which the schema knows the values that there are."""


def _file(platform: object) -> dict[str, Any]:
    return {"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: platform}}


def test_the_committed_schema_is_that_of_the_declarations() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run tpu schema"


def test_the_command_writes_where_it_is_told(tmp_path: Path) -> None:
    main([str(tmp_path / "schema.json")])
    assert (tmp_path / "schema.json").read_text(encoding="utf-8") == text()


# --- what it says


def _objects(part: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every mapping within the schema, with where it is."""
    if isinstance(part, dict):
        mapping = cast("dict[str, Any]", part)
        yield path, mapping
        for key, value in mapping.items():
            yield from _objects(value, f"{path}/{key}")
    elif isinstance(part, list):
        for index, value in enumerate(cast("list[Any]", part)):
            yield from _objects(value, f"{path}/{index}")


def _sections() -> dict[str, dict[str, Any]]:
    """The mappings whose keys the declarations name, by where they are."""
    return {path: part for path, part in _objects(schema()) if "additionalProperties" in part and "properties" in part}


def test_every_key_has_a_description() -> None:
    said = [(path, key, value) for path, part in _sections().items() for key, value in part["properties"].items()]
    assert len(said) > 200
    assert [f"{path} {key}" for path, key, value in said if not value.get("description", "").strip()] == []


def test_no_description_speaks_of_the_language_of_the_program() -> None:
    words = [part["description"] for _, part in _objects(schema()) if isinstance(part.get("description"), str)]
    assert [each for each in words if "None" in each.split() or "None." in each or "class below" in each] == []


def test_no_section_takes_an_unknown_key() -> None:
    assert [path for path, part in _sections().items() if part["additionalProperties"] is not False] == []
    names = [name for name, part in schema()["definitions"].items() if "properties" in part]
    assert len(names) > 40
    assert [name for name in names if f"/definitions/{name}" not in _sections()] == []


def test_it_is_a_schema() -> None:
    assert schema()["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert refusals(schema(), of_schemas=True) == []


def test_every_machine_type_is_suggested_with_its_topologies() -> None:
    for machine in tpu.machines():
        for topology in tpu.topologies(machine.name):
            slices = {"name": "a", "machine_type": machine.name, "topology": topology, "zone": "us-west4-a"}
            assert accepts(_file(a_platform().set(tpu_slices=[slices]).platform)), slices
        wrong = {"name": "a", "machine_type": machine.name, "topology": "3x5", "zone": "us-west4-a"}
        assert {each.inside for each in refusals(_file(a_platform().set(tpu_slices=[wrong]).platform))} == {
            "tpu_slices[0].topology"
        }


def test_a_machine_type_that_nobody_is_offered_is_taken_as_the_rules_take_it() -> None:
    taken = {machine.name for generation in tpu.GENERATIONS for machine in generation.machines}
    for name in taken - {machine.name for machine in tpu.machines()}:
        flavor = {"name": "other", "machine_type": name, "topology": tpu.topologies(name)[0]}
        assert accepts(_file(a_platform().add("flavors", **flavor).platform)), name


# --- what it takes


@pytest.mark.parametrize("name", committed())
def test_committed_stack_files_are_right(name: str) -> None:
    assert refusals(yaml.safe_load(stack_file(name))) == []


@pytest.mark.parametrize("name", committed())
def test_committed_stack_files_tell_editors_of_it(name: str) -> None:
    first = stack_file(name).splitlines()[0]
    assert first == f"# yaml-language-server: $schema={FILE.relative_to(ROOT)}"


@pytest.mark.parametrize("stack", SOUND.values(), ids=SOUND)
def test_what_the_rules_take_is_right(stack: Stack) -> None:
    assert refusals(_file(stack.platform)) == []


@pytest.mark.parametrize("case", BROKEN)
def test_of_the_rules_cases_it_refuses_what_the_catalogue_decides_and_so_do_they(case: str) -> None:
    stack, _ = BROKEN[case]
    assert accepts(_file(stack.platform)) == (case not in _OF_THE_CATALOGUE)
    assert case not in _OF_THE_CATALOGUE or stack.reading().plan is None


def test_what_pulumi_reads_besides_is_right() -> None:
    whole: dict[str, Any] = {
        "secretsprovider": "gcpkms://projects/p/locations/l/keyRings/r/cryptoKeys/k",
        "encryptedkey": "AAAB",
        "encryptionsalt": "v1:AAAB",
        **_file(a_platform().platform),
    }
    whole["config"] |= {"gcp:zone": "us-west4-a", "pulumi:tags": {"team": "ml"}}
    assert refusals(whole) == []


def test_the_project_may_be_encrypted_and_texts_too() -> None:
    whole = _file(a_platform().set("priorities", 0, description={"secure": "AAAB"}).platform)
    whole["config"]["gcp:project"] = {"secure": "AAAB"}
    assert refusals(whole) == []
    assert refusals(_file(a_platform().set("priorities", 0, description={"secret": "AAAB"}).platform))


def test_an_encrypted_text_has_its_cipher() -> None:
    assert refusals(_file(a_platform().set("workloads", 0, image={}).platform))


@pytest.mark.parametrize("key", ["tpu-platform:platfrom", "platfrom", "gpc:zone"])
def test_a_key_beside_the_platform_that_nobody_reads_is_refused_as_by_the_reader(key: str) -> None:
    whole = _file(a_platform().platform)
    whole["config"][key] = "x"
    assert [each.place for each in refusals(whole)] == [("config",)]
    assert read(given_file(yaml.safe_dump(whole))).plan is None


def test_what_a_key_is_where_it_is_left_out_stands_in_its_description() -> None:
    sections = schema()["definitions"]
    assert sections["CreatedNetwork"]["properties"]["mtu"]["description"].endswith("Default: 8896.")
    assert sections["StandardCluster"]["properties"]["private_nodes"]["description"].endswith("Default: true.")
    slices = sections["TpuSlices"]["properties"]
    assert slices["capacity"]["description"].endswith('Default: "on-demand".')
    assert "Default" not in slices["zone"]["description"]


def test_values_may_come_from_an_environment() -> None:
    assert refusals({"environment": ["platform-dev"]}) == []
    assert refusals({"config": {"gcp:project": GCP_PROJECT}})


def test_the_short_key_is_right() -> None:
    assert refusals({"config": {"gcp:project": GCP_PROJECT, "platform": in_existing_cluster().platform}}) == []


@pytest.mark.parametrize(("value", "is_right"), [(True, True), ("true", True), ("yes", False), (1, False)])
def test_the_key_of_adoption_is_a_boolean(value: object, is_right: bool) -> None:  # noqa: FBT001  of the table
    whole = _file(in_existing_cluster().platform)
    whole["config"] |= {"tpu-platform:adopting": value}
    assert (refusals(whole) == []) is is_right


def test_a_key_without_a_value_is_as_good_as_none() -> None:
    assert refusals(_file(a_platform().set(auto_provisioning=None).set("node_pools", 0, gpu=None).platform)) == []
    assert refusals(_file(a_platform().set("queues", 0, stop=None).set("tpu_slices", 0, zones=None).platform)) == []


# --- what it refuses


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_shape_is_refused_where_the_reader_refuses_it(case: str) -> None:
    stack = WRONG[case]
    [place] = [each.place for each in told_of_shape(stack)]
    found = refusals(_file(stack.platform))
    if case in _ONLY_PARSED:
        assert found == []
        return
    assert found
    # Of a key, the mapping that it is in; of a value, the value itself.
    assert {each.inside for each in found} <= {place, place.rpartition(".")[0]}


@pytest.mark.parametrize("case", ONE_MISTAKE)
def test_one_mistake_in_a_file_is_refused(case: str) -> None:
    assert accepts(yaml.safe_load(ONE_MISTAKE[case])) == (case.replace("-", " ") in _ONLY_RULES)


def test_wrong_kinds_of_work_are_told_by_their_kind_alone() -> None:
    (refusal,) = refusals(_file(a_platform().set("workloads", 0, kind="job").platform))
    assert refusal.place[-1] == "kind"
    assert "'jobset', 'tpu-job', 'batch-job', 'redis', 'manifest'" in refusal.says


def test_what_is_given_once_is_given_once() -> None:
    work = a_platform()
    assert accepts(_file(work.set("workloads", 0, command=None).platform))
    for wrong in (
        work.set("workloads", 0, command=["true"]),
        work.set("workloads", 0, script=None),
        work.drop("workloads", 0, "flavor"),
        work.add("workloads", name="a", kind="tpu-job", image="a:1", flavor="v5e-2x4", script="a", args=["b"]),
    ):
        found = refusals(_file(wrong.platform))
        assert found
        assert all(each.inside.startswith("workloads[") for each in found)
        assert wrong.reading().plan is None

"""What owners allow: from configuration files to the rules' parameters, and what is wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest

from policies.names import SETTINGS
from policies.objects.judging import Settings
from policies.pack import PACKS, pack_of
from policies.rules import OBJECT_RULES
from policies.settings import complaints, schema, settings_from
from tests.policies.asking import Asked, Registered
from tests.tracked import staged, tracked

if TYPE_CHECKING:
    from pathlib import Path

FILES: Final = tracked("policies/config/*.json")
ENVIRONMENTS: Final = ("dev", "prod", "tutorial")


def stated(name: str) -> dict[str, Any]:
    return json.loads(staged(f"policies/config/{name}"))


def test_there_is_a_file_for_each_pack_and_environment() -> None:
    assert [file.name for file in FILES] == sorted(f"{pack}.{name}.json" for pack in PACKS for name in ENVIRONMENTS)


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_a_file_states_settings_that_exist(file: Path) -> None:
    said = stated(file.name)
    assert said.keys() == {SETTINGS}
    asked = Asked(pack_of(file.name.partition(".")[0]))
    asked.state(said)
    assert asked.resource(Registered("pulumi:pulumi:Stack", "dev", {})) == []


@pytest.mark.parametrize("wrong", [{"levels": {"topology-exists": "advisery"}}, {"regions": "us-west4"}])
def test_what_does_not_fit_the_schema_is_not_handed_over(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        Asked().state({SETTINGS: wrong})


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_allows_the_same_in_every_pack(environment: str) -> None:
    names = [f"{pack}.{environment}.json" for pack in PACKS]
    assert len({json.dumps(stated(name)[SETTINGS], sort_keys=True) for name in names}) == 1


def test_the_schema_has_every_setting_with_its_default() -> None:
    assert set(schema()) == {*Settings.__struct_fields__, "levels"}
    defaults = {name: each["default"] for name, each in schema().items() if "default" in each}
    assert settings_from(defaults) == settings_from({}) == Settings()


def test_a_rule_names_the_setting_that_decides_it() -> None:
    stated = {rule.setting for rule in OBJECT_RULES if rule.setting}
    assert stated == set(Settings.__struct_fields__)


def test_settings_come_back_in_the_types_of_their_fields() -> None:
    config = {"is_protected": True, "regions": ["us-west4"], "chips": 64.0, "chips_of_queue": {"research": 8.0}}
    read = settings_from(config)
    assert read == Settings(is_protected=True, regions=("us-west4",), chips=64, chips_of_queue={"research": 8})
    assert type(read.chips) is type(read.chips_of_queue["research"]) is int


def test_settings_that_mean_nothing_are_refused_with_what_would_be_right() -> None:
    said = list(complaints({"region": ["us-west4"], "generations": ["v5e", "v6"]}, (), ()))
    assert said[0].startswith("region: there is no such setting. Did you mean regions? Settings: is_protected, ")
    assert said[1].startswith("generations: there is no v6. ")
    assert "v6e" in said[1]
    assert len(said) == 2
    asked = Asked()
    asked.configure({"generations": ["v6"]})
    found = asked.resource(Registered("pulumi:pulumi:Stack", "dev", {}))
    assert [(each.policy, each.level) for each in found] == [(SETTINGS, "mandatory")]


def test_levels_of_what_is_no_rule_are_refused_with_what_would_be_right() -> None:
    asked = Asked(pack_of("topology"))
    asked.configure(topology_exist="advisory", quota_within_pools="disabled", topology_exists="remediate")
    said = asked.resource(Registered("pulumi:pulumi:Stack", "dev", {}))
    fixed = "flex-start-nodes-are-asked-for and slice-limits-are-per-zone"
    assert {each.text for each in said} == {
        "levels: this pack has no rule topology-exist. Did you mean topology-exists? docs/rules.md lists all rules.",
        "levels: this pack has no rule quota-within-pools. docs/rules.md lists all rules.",
        f"levels: topology-exists has no remedy. Set mandatory. Rules with a remedy: {fixed}.",
    }

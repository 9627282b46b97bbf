"""What controllers serve, read from definitions and Go types as small as can be, and merged release by release."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from components.model.facts.apis.fields import Field, Kinds, Life, Version
from components.model.facts.kinds import Kind
from simulator.toolchain.apis.crds import read_definitions, read_served
from simulator.toolchain.apis.data import newest_first, sorted_groups, updated_chart, written
from simulator.toolchain.apis.go_types import GoTypes
from simulator.toolchain.apis.merging import merge
from simulator.toolchain.apis.modules import Sources
from simulator.toolchain.apis.openapi import OpenApi
from simulator.toolchain.tools import API_KUEUE_GATES, API_KUEUE_VALUES

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = {"type": "string"}
_GVK = {"group": "batch", "kind": "Job", "version": "v1"}
_SCHEMA: dict[str, Any] = {
    "properties": {
        "apiVersion": _TEXT,
        "metadata": {"properties": {"name": _TEXT}},
        "status": {"properties": {"state": _TEXT}},
        "spec": {
            "required": ["name", "mode"],
            "properties": {
                "name": _TEXT,
                "mode": {"enum": ["All", "Any"], "default": "All"},
                "old": {"description": "It was.\nDeprecated: use name."},
                "template": {"properties": {"metadata": {}, "spec": {"properties": {"deep": {}}}}},
                "taints": {
                    "maxItems": 8,
                    "items": {"properties": {"effect": _TEXT}},
                    "x-kubernetes-validations": [{"rule": "self.all(x, x.effect in ['NoSchedule', 'NoExecute'])"}],
                },
                "labels": {"maxProperties": 4, "additionalProperties": _TEXT},
                "counts": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                "share": {"type": "number"},
                "on": {"type": "boolean"},
                "port": {"x-kubernetes-int-or-string": True},
                "quota": {"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+$"},
                "free": {"x-kubernetes-preserve-unknown-fields": True, "properties": {"known": _TEXT}},
                "pods": {"properties": {"metadata": {}, "spec": {"properties": {"containers": {}}}}},
                "byName": {"additionalProperties": {"properties": {"size": {"type": "integer"}}}},
            },
        },
    }
}


def test_definitions_are_read_as_far_down_as_somebody_may_write(tmp_path: Path) -> None:
    versions = [
        {"name": "v1", "served": True, "deprecated": True, "schema": {"openAPIV3Schema": _SCHEMA}},
        {"name": "v0", "served": False, "schema": {"openAPIV3Schema": _SCHEMA}},
    ]
    document = {"spec": {"group": "example.com", "names": {"kind": "Queue"}, "versions": versions}}
    (tmp_path / "queues.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    assert list(read_served(tmp_path)) == [("example.com", "Queue", "v1")]
    assert read_definitions(tmp_path, []) == {}
    found = read_definitions(tmp_path, [Kind("Queue", "Queues")])
    assert (
        written(msgspec.to_builtins(found))
        == """\
{
 "Queue": {
  "v1": {
   "deprecated": "",
   "fields": {
    "apiVersion": {"type": "text"},
    "metadata": {"type": "ObjectMeta"},
    "status": {},
    "spec": {
     "fields": {
      "name": {"type": "text", "required": true},
      "mode": {"values": {"All": {}, "Any": {}}},
      "old": {"deprecated": ""},
      "template": {},
      "taints": {
       "type": "[]",
       "most": 8,
       "fields": {"effect": {"type": "text", "values": {"NoSchedule": {}, "NoExecute": {}}}}
      },
      "labels": {"type": "{}text", "most": 4},
      "counts": {"type": "[][]int"},
      "share": {"type": "number"},
      "on": {"type": "bool"},
      "port": {"type": "int-or-text"},
      "quota": {"type": "quantity"},
      "free": {},
      "pods": {"type": "PodTemplateSpec"},
      "byName": {"type": "{}"}
     }
    }
   }
  }
 }
}
"""
    )


_OPENAPI: dict[str, Any] = {
    "paths": {
        "/jobs": {"post": {"x-kubernetes-action": "post", "x-kubernetes-group-version-kind": _GVK}},
        "/jobs/proxy": {"post": {"x-kubernetes-action": "connect", "x-kubernetes-group-version-kind": _GVK}},
        "/jobs/{name}": {"get": {}},
    },
    "definitions": {
        "io.api.batch.v1.Job": {
            "x-kubernetes-group-version-kind": [_GVK],
            "properties": {"spec": {"$ref": "#/definitions/io.api.batch.v1.JobSpec"}, "status": {"$ref": "#/no"}},
        },
        "io.api.batch.v1.JobSpec": {
            "properties": {
                "items": {"type": "array", "items": {"$ref": "#/definitions/io.api.batch.v1.Item"}},
                "limits": {"type": "object", "additionalProperties": {"$ref": "#/definitions/io.api.Quantity"}},
                "since": {"$ref": "#/definitions/io.api.Time"},
            }
        },
        "io.api.batch.v1.Item": {"properties": {"more": {"$ref": "#/definitions/io.api.batch.v1.Item"}}},
        "io.api.batch.v1.Unused": {"properties": {}},
        "io.api.Quantity": {"type": "string"},
        "io.api.Time": {"type": "string"},
    },
}


def test_kinds_of_kubernetes_are_read_with_the_types_that_they_refer_to(tmp_path: Path) -> None:
    path = tmp_path / "swagger.json"
    path.write_text(json.dumps(_OPENAPI))
    read = OpenApi(path)
    assert list(read.served()) == [("batch", "Job", "v1")]
    assert msgspec.to_builtins(read.kinds([("batch", "Job")])) == {
        "Job": {"v1": {"fields": {"spec": {"type": "JobSpec"}, "status": {}}}},
        "Item": {"": {"fields": {"more": {"type": "Item"}}}},
        "JobSpec": {
            "": {"fields": {"items": {"type": "[]Item"}, "limits": {"type": "{}quantity"}, "since": {"type": "text"}}}
        },
    }


def test_versions_are_listed_from_the_best_on() -> None:
    versions = ["v1alpha2", "v1beta1", "v2", "v1", "v1beta2"]
    assert sorted(versions, key=newest_first) == ["v2", "v1", "v1beta2", "v1beta1", "v1alpha2"]
    assert sorted_groups({"batch": {"Job": ["v1beta1", "v1"]}, "": {"Pod": ["v1"]}}) == {
        "": {"Pod": ["v1"]},
        "batch": {"Job": ["v1", "v1beta1"]},
    }


_TYPES = """\
package v1

type Configuration struct {
    metav1.TypeMeta `json:",inline"`

    Metadata metav1.ObjectMeta `json:"metadata,omitempty"`

    // Deprecated: use Sets.
    Old *Alias `json:"old,omitempty"`
    Sets []Set `json:"sets" protobuf:"x"`
    // It stays.
    Modes []Mode `json:"modes"`
    ByName map[string]Set `json:"byName"`
    Hidden string `json:"-"`
    unexported int
}

type Alias = Set

type Set struct {
    Mode Mode `json:"mode"`
    Text string `json:"text"`
}

type Mode string

const (
    ModeAll Mode = "All"
    ModeAny Mode = "Any"
    Other string = "no mode"
)
"""


def test_go_types_are_read_by_their_names_in_json(tmp_path: Path) -> None:
    (tmp_path / "types.go").write_text(_TYPES.replace("    ", "\t"))
    (tmp_path / "types_test.go").write_text('package v1\n\nconst ModeOfTest Mode = "Test"\n')
    meta = tmp_path / "meta" / "types.go"
    meta.parent.mkdir()
    structs = (("TypeMeta", "Kind", "kind"), ("ObjectMeta", "Name", "name"))
    meta.write_text(
        "".join(f'type {name} struct {{\n\t{key} string `json:"{json}"`\n}}\n' for name, key, json in structs)
    )
    found = GoTypes([tmp_path, meta]).fields("Configuration")
    modes = {"All": Life(), "Any": Life()}
    assert found == {
        "kind": Field(),
        "metadata": Field(),
        "old": Field(deprecated="", fields={"mode": Field(values=modes), "text": Field()}),
        "sets": Field(fields={"mode": Field(values=modes), "text": Field()}),
        "modes": Field(),
        "byName": Field(),
    }


def _kinds(*versions: str, **spec: Field) -> Kinds:
    return {"Queue": {version: Version(fields={"spec": Field(fields=spec)}) for version in versions}}


_OLD = _kinds("v1", name=Field(), mode=Field(values={"All": Life()}), gone=Field())
_NEW = _kinds(
    *("v1", "v2"),
    name=Field(deprecated=""),
    mode=Field(values={"All": Life(), "Any": Life()}),
    policy=Field(fields={"deep": Field()}),
)


def test_the_first_release_is_as_old_as_anything() -> None:
    assert merge({}, _NEW, "0.16") == _NEW


def test_a_release_that_is_read_again_changes_nothing() -> None:
    once = merge(_OLD, _NEW, "0.19")
    assert merge(once, _NEW, "0.19") == once


def test_what_is_new_and_what_is_gone_is_noted_by_the_release() -> None:
    merged = merge(_OLD, _NEW, "0.19")["Queue"]
    assert merged["v1"].fields["spec"].fields == {
        "name": Field(deprecated="0.19"),
        "mode": Field(values={"All": Life(), "Any": Life(since="0.19")}),
        "policy": Field(since="0.19", fields={"deep": Field()}),
        "gone": Field(until="0.19"),
    }
    assert merged["v2"].since == "0.19"


@pytest.mark.parametrize("known", [_kinds("v1", name=Field()), _kinds("v1", name=Field(), mode=Field(), odd=Field())])
def test_a_field_that_the_data_lack_and_one_that_the_module_lacks_change_the_data(known: Kinds) -> None:
    assert merge(known, _kinds("v1", name=Field(), mode=Field()), "0.19") != known


def test_what_was_gone_before_stays_gone_since_then_and_a_beginning_put_right_by_hand_stays() -> None:
    known = _kinds("v1", policy=Field(since="0.18"), gone=Field(since="0.17", until="0.18"))
    assert merge(known, _kinds("v1", policy=Field()), "0.19") == known


def test_a_feature_gate_says_itself_since_when_it_is_there(tmp_path: Path) -> None:
    (tmp_path / API_KUEUE_GATES).write_text(
        "const (\n"
        '\tOne featuregate.Feature = "One"\n\n'
        '\tSecond featuregate.Feature = "Other"\n'
        ")\n\nvar gates = {\n"
        '\tSecond: {\n\t\t{Version: version.MustParse("0.9"), Default: false},\n'
        '\t\t{Version: version.MustParse("0.17"), Default: true},\n\t},\n'
        '\tOne: {\n\t\t{Version: version.MustParse("0.18"), Default: true},\n\t},\n}\n'
    )
    (found,) = Sources(tmp_path).kueue_gates()["FeatureGates"].values()
    assert found.fields == {"One": Field(since="0.18"), "Other": Field(since="0.9")}


def test_a_chart_that_states_the_same_has_no_entry_of_its_own(tmp_path: Path) -> None:
    stated = "kind: Configuration\nclientConnection: {qps: 1}\nintegrations: {frameworks: [pod]}\n"
    values = {"managerConfig": {"controllerManagerConfigYaml": stated}}
    (tmp_path / API_KUEUE_VALUES).write_text(yaml.safe_dump(values))
    found = Sources(tmp_path).kueue_chart()
    assert found == {"kind": "Configuration", "clientConnection": {"qps": 1}}
    assert updated_chart({"0.9": found}, found, "0.19") == {"0.9": found}
    other = {"kind": "Other"}
    assert updated_chart({"0.9": found, "0.10": other}, found, "0.19") == {"0.9": found, "0.10": other, "0.19": found}

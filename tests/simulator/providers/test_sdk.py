"""The data of package gcp is what the generator writes from the installed SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.providers.sdk import __main__ as command
from simulator.providers.sdk.marks import REPLACED, SECRET
from simulator.providers.sdk.reading import Sdk
from simulator.providers.sdk.writing import text

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_what_the_generator_writes(tmp_path: Path) -> None:
    written = tmp_path / "gcp.json"
    command.main([], written)
    assert written.read_text(encoding="utf-8") == text()
    assert command.FILE.read_text(encoding="utf-8") == text(), "run `python -m simulator.providers.sdk`"


@pytest.mark.parametrize(
    ("module", "class_name", "name", "written", "is_required"),
    [
        ("container", "ClusterAddonsConfigGcsFuseCsiDriverConfigArgs", "enabled", "boolean", True),
        ("container", "ClusterNodeConfigArgs", "diskSizeGb", "integer", False),
        ("container", "ClusterNodeConfigArgs", "labels", "{string}", False),
        ("container", "ClusterNodeConfigArgs", "oauthScopes", "[string]", False),
        ("compute", "SubnetworkLogConfigArgs", "flowSampling", "number", False),
    ],
)
def test_a_property_of_an_object_is_read(
    module: str, class_name: str, name: str, written: str, *, is_required: bool
) -> None:
    member = Sdk("gcp").members(module, class_name)[name]

    assert member.plain is not None
    assert (member.container.format(member.plain), member.is_required) == (written, is_required)


def test_objects_name_their_class_and_resources_their_secrets() -> None:
    inputs, every, secret = Sdk("gcp").resource("compute", "Subnetwork")

    assert inputs["secondaryIpRanges"].class_name == "SubnetworkSecondaryIpRangeArgs"
    assert (inputs["secondaryIpRanges"].container, inputs["ipCidrRange"].is_required) == ("[{}]", False)
    assert "gatewayAddress" in every.keys() - inputs.keys()
    assert not secret
    assert Sdk("gcp").resource("storage", "Bucket")[2] == {"effectiveLabels", "pulumiLabels"}


def test_a_deprecated_property_is_left_out() -> None:
    assert "enableLogging" not in Sdk("gcp").resource("compute", "Firewall")[0]


def test_every_mark_names_a_property() -> None:
    written = command.FILE.read_text(encoding="utf-8")

    assert all(f'"{owner}": {{' in written for owner in (*REPLACED, *SECRET))
    marked = sum(len(names) for names in REPLACED.values())
    assert written.count(" replace") == marked

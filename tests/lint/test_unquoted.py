"""Values of a stack file that YAML reads otherwise than they are meant: the finding has the value as it is written."""

from __future__ import annotations

import pytest

from components.model.findings import Severity
from policies.lint.files import File
from policies.lint.linting import Options, lint
from tests.lint.given import edited
from tests.stacks import stack_file

_CHANNEL = "release_channel: RAPID"
_WINDOW = "maintenance: {exclusions: [{name: a, start: 2026-12-01, end: 2026-12-20, scope: NO_UPGRADES}]}"


@pytest.mark.parametrize(
    ("old", "new", "path", "says"),
    [
        ("topology: 2x4, zone", "topology: 0x4, zone", "tpu_slices[0].topology", "0x4 without quotes is the number 4;"),
        (_CHANNEL, f"{_CHANNEL}\n      minimum_version: 1.33", "cluster.minimum_version", "1.33 is a number;"),
        (
            _CHANNEL,
            f"{_CHANNEL}\n      {_WINDOW}",
            "cluster.maintenance.exclusions[0].start",
            "2026-12-01 without quotes is a date;",
        ),
    ],
    ids=["0x4", "a version", "a date"],
)
def test_a_value_is_told_as_it_is_written(old: str, new: str, path: str, says: str) -> None:
    text = edited(stack_file("multislice"), old, new)
    (first, *_) = lint([File("Pulumi.test.yaml", text.encode())], Options()).shown
    assert (first.sighting.path, first.finding.says) == (path, f"{says} text belongs here.")
    assert "decrypted" not in first.finding.remedy


def test_too_many_chips_have_one_remedy() -> None:
    text = edited(stack_file("multislice"), "- name: vlp-24 #", "- name: vlp-24\n            chips: 999999 #")
    found = lint([File("Pulumi.test.yaml", text.encode())], Options()).findings
    first, second = (each for each in found if each.severity is Severity.ERROR)
    assert (first.remedy, second.remedy) == ("Set 24 (3 slices).", "Set 24 (3 slices), or declare more slices.")

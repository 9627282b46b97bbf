"""Every option, key and form by which lint is told what to check is documented once, and in the help."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from policies.lint.__main__ import parser
from policies.lint.placeholders import filled
from policies.lint.project_file import FILE_NAME, RELEASES, project_file
from policies.objects.judging import Settings
from policies.objects.values import Unknown
from tests.docs.blocks import blocks, text_of

if TYPE_CHECKING:
    from pathlib import Path

_DOCUMENT: Final = "docs/operations.md"
_SECTION: Final = text_of(_DOCUMENT).partition("\n## Check files before you apply them\n")[2].partition("\n## ")[0]


def _options() -> list[str]:
    made = (each for each in parser()._actions if each.option_strings and "--help" not in each.option_strings)
    return [each.option_strings[-1] for each in made]


def test_every_option_has_one_row() -> None:
    rows = re.findall(r"^\| `(--[a-z-]+)", _SECTION, re.MULTILINE)
    assert sorted(rows) == sorted(_options())


@pytest.mark.parametrize("option", ["--severity", "--fail-on", "--format"])
def test_the_row_of_an_option_names_its_values(option: str) -> None:
    (row,) = re.findall(rf"^\| `{option} .*$", _SECTION, re.MULTILINE)
    (action,) = [each for each in parser()._actions if option in each.option_strings]
    every = row if option != "--fail-on" else _SECTION  # of the same levels
    assert [each for each in action.choices or () if f"`{each}`" not in every] == []


def test_the_help_names_what_is_no_option() -> None:
    text = " ".join(re.sub(r"(?<=\w-)\n *", "", parser().format_help()).split())
    for part in (f"{FILE_NAME} holds", "# tpu-lint: ignore=RULE reason", "${NAME} or <NAME>", "| tpu lint -"):
        assert part in text


def _yaml_of(key: str) -> str:
    """The one YAML block of the section that has a key."""
    found = [each.text for each in blocks(_DOCUMENT) if each.language == "yaml" and f"\n{key}:" in f"\n{each.text}"]
    (text,) = [each for each in found if each in _SECTION]
    return text


def test_every_limit_of_an_environment_is_shown() -> None:
    shown = yaml.safe_load(_yaml_of("is_protected"))
    assert sorted(shown) == sorted(Settings.__struct_fields__)


def test_every_key_of_the_settings_file_is_shown(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(_yaml_of("ignore"))
    read = project_file(tmp_path / FILE_NAME)
    assert read.ignores
    assert read.levels.keys() == {"severity", "fail_on"}
    assert read.releases.keys() == RELEASES.keys()


def test_every_form_of_a_placeholder_that_is_shown_is_one() -> None:
    (sentence,) = re.findall(r"A placeholder \((.*?), or capitals", _SECTION, re.DOTALL)
    forms = re.findall(r"`([^`]+)`", sentence)
    assert len(forms) >= 7
    assert [each for each in forms if not isinstance(filled(each, "image"), Unknown)] == []

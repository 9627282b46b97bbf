"""Every option of lint is in its help; keys of its settings and forms of placeholders are in docs/lint.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import yaml

from policies.lint.__main__ import parser
from policies.lint.placeholders import filled
from policies.lint.report_options import FILE_NAME, RELEASES, project_file
from policies.objects.judging import Settings
from policies.objects.values import Unknown
from tests.docs.blocks import blocks, text_of

if TYPE_CHECKING:
    from pathlib import Path

_DOCUMENT: Final = "docs/lint.md"


def test_every_option_has_a_help_text() -> None:
    assert [each.dest for each in parser()._actions if not each.help] == []


def test_the_help_names_what_is_no_option() -> None:
    text = " ".join(re.sub(r"(?<=\w-)\n *", "", parser().format_help()).split())
    for part in (f"{FILE_NAME} holds", "# tpu-lint: ignore=RULE reason", "${NAME} or <NAME>", "| tpu lint -"):
        assert part in text


def _yaml_of(key: str) -> str:
    """The one YAML block of the page that has a key."""
    (text,) = [each.text for each in blocks(_DOCUMENT) if each.language == "yaml" and f"\n{key}:" in f"\n{each.text}"]
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
    (sentence,) = re.findall(r"A placeholder \((.*?), or capitals", text_of(_DOCUMENT), re.DOTALL)
    forms = re.findall(r"`([^`]+)`", sentence)
    assert len(forms) >= 7
    assert [each for each in forms if not isinstance(filled(each, "image"), Unknown)] == []

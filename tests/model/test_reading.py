"""Whole stack files with one mistake each: the whole text that the user reads, and nothing besides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from msgspec import structs
from msgspec.structs import replace

from components.model.project import KEY, PROJECT
from components.model.stack_file.reading import STACK_FILE_LIMIT, read
from tests.golden import assert_golden_text
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform, closed, given, given_file
from tests.tracked import ROOT

_GOLDEN = Path(__file__).parent / "golden"
_MULTISLICE = closed("multislice")


def _edited(old: str, new: str) -> str:
    """The text of the stack `multislice` with one passage replaced."""
    assert _MULTISLICE.count(old) == 1, old
    return _MULTISLICE.replace(old, new)


ONE_MISTAKE = {
    "an unknown key": _edited("release_channel: RAPID", "release_chanel: RAPID"),
    "a topology that v5e does not have": _edited("topology: 2x4, zone", "topology: 3x4, zone"),
    "a machine type that is too small": _edited("3, machine_type: ct5lp-hightpu-4", "3, machine_type: ct5lp-hightpu-1"),
    "two pools of one name": _edited("name: system,", "name: nodepool2,"),
    "a quota in quotes": _edited("- name: vlp-24 #", '- name: vlp-24\n            chips: "24" #'),
    "four slices of three": _edited("        slices: 3\n", "        slices: 4\n"),
    "a queue that does not exist": _edited(
        "queue: multislice-queue\n        priority: low", "queue: multislice-quee\n        priority: low"
    ),
    "a topology without quotes that is a number": _edited("topology: 2x4, zone", "topology: 0x4, zone"),
    "an empty platform": f"config:\n  gcp:project: {GCP_PROJECT}\n  {PLATFORM_KEY}: {{}}\n",
    "a misspelt namespace": _edited("tpu-platform:platform", "tpu-platfrom:platform"),
    "a misspelt section of the file": _edited("\nconfig:", "\nconfg: {}\nconfig:"),
    "a misspelt provider": _edited("gcp:project", "gpc:project"),
    "a project that is none": _edited("gcp:project: tpu-sandbox", "gcp:project: TPU"),
    "no project": _edited("  gcp:project: tpu-sandbox\n", ""),
    "no platform": f"config:\n  gcp:project: {GCP_PROJECT}\n",
    "a platform of nothing": f"config:\n  gcp:project: {GCP_PROJECT}\n  {PLATFORM_KEY}:\n",
}  # fmt: skip


_CIPHER = {"secure": "v1:AAAA:BBBB"}
_HF = {"name": "hf", "data": {"token": _CIPHER}}


def _file(**platform: object) -> str:
    return yaml.safe_dump(
        {"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: a_platform().set(**platform).platform}}, sort_keys=False
    )


def test_a_secret_with_an_encrypted_value_is_read() -> None:
    reading = read(given_file(_file(secrets=[_HF])))
    assert reading.report == ""
    assert reading.plan is not None
    assert '"made"' not in str(reading.plan)
    assert [each.data["token"].text for each in reading.plan.secrets] == ['{"made": "up"}']


def test_a_secret_in_clear_is_refused_and_its_line_is_not_shown() -> None:
    reading = read(given_file(_file(secrets=[_HF, {"name": "b", "data": {"key.json": "hunter2"}}])))
    assert reading.plan is None
    assert "secrets[1].data.key.json: it is in clear: whoever may read the file has the value." in reading.report
    assert "[secrets][1]" not in reading.report
    assert '["secrets"][1]["data"]["key.json"]' in reading.report
    assert "hunter2" not in reading.report


def test_an_encrypted_value_that_would_be_in_clear_elsewhere_is_refused() -> None:
    image = {"name": "j", "kind": "batch-job", "pods": 1, "image": "registry.example/j:1", "env": {"TOKEN": _CIPHER}}
    reading = read(given_file(_file(workloads=[image])))
    assert reading.plan is None
    assert "workloads[0].env.TOKEN: it is encrypted here, but it would be in clear" in reading.report


def test_values_from_elsewhere_are_as_the_engine_says() -> None:
    stack = a_platform().set(secrets=[{"name": "hf", "data": {"token": "hunter2"}}])
    refused = read(given(platform=stack.platform))
    assert refused.plan is None
    assert "secrets[0].data.token: it is in clear" in refused.report
    assert read(structs.replace(given(platform=stack.platform), has_secrets=True)).plan is not None


@pytest.mark.parametrize("case", [case for case, text in ONE_MISTAKE.items() if given_file(text).platform is None])
def test_the_projects_default_changes_no_message(case: str) -> None:
    """The engine passes the default of `Pulumi.yaml` where the file has no platform."""
    plain = given_file(ONE_MISTAKE[case])
    assert read(structs.replace(plain, platform="{}")) == read(plain)


@pytest.mark.parametrize("case", ONE_MISTAKE)
def test_one_mistake_is_told_once_on_its_line(case: str) -> None:
    reading = read(given_file(ONE_MISTAKE[case]))
    assert reading.plan is None
    assert reading.report.endswith("\n\n1 error; nothing was changed.")
    assert_golden_text(_GOLDEN / "reports" / f"{case.replace(' ', '-')}.txt", f"{reading.report}\n")


def test_all_mistakes_are_told_in_the_order_of_the_file() -> None:
    text = _edited("topology: 2x4, zone", "topology: 3x4, zone").replace("zones: [us-west4-a]", "zones: [us-east1-b]")
    report = read(given_file(text)).report
    headings = [line for line in report.splitlines() if line.startswith("Pulumi.test.yaml:")]
    assert [heading.split(": ")[1] for heading in headings] == [
        "node_pools[0].zones[0]",
        "tpu_slices[0].topology",
    ]
    assert report.endswith("\n\n2 errors; nothing was changed.")


def test_warnings_alone_do_not_stop() -> None:
    reading = read(given_file(_edited("zone: us-west4-a}", "zone: us-west4-b}")))
    assert reading.plan is not None
    assert reading.report.endswith("\n\n1 warning.")


def test_a_sound_file_is_told_nothing() -> None:
    reading = read(given_file(_MULTISLICE))
    assert reading.plan is not None
    assert reading.report == ""


def test_the_platforms_namespace_may_be_left_out() -> None:
    text = _edited("tpu-platform:platform:", "platform:").replace("topology: 2x4, zone", "topology: 3x4, zone")
    config = given_file(_MULTISLICE.replace("topology: 2x4, zone", "topology: 3x4, zone"))
    report = read(given(platform=json.loads(str(config.platform)), file_text=text)).report
    assert report.startswith("Pulumi.test.yaml:27:79: tpu_slices[0].topology: ")


def test_values_from_elsewhere_are_shown_by_their_path() -> None:
    other = a_platform().set("tpu_slices", 0, topology="3x4")
    for file_text in (_MULTISLICE, None):
        report = read(given(platform=other.platform, file_text=file_text)).report
        assert report.startswith("tpu-platform:platform: tpu_slices[0].topology: ct5lp-hightpu-4t makes no 3x4 slices")


def test_a_file_that_is_not_where_the_values_are_from_is_left_aside() -> None:
    text = _edited("tpu-platform:platform", "tpu-platfrom:platform")
    assert read(given(platform=a_platform().platform, file_text=text)).plan is not None


def test_a_file_that_is_too_large() -> None:
    text = f"{_MULTISLICE}#{'x' * STACK_FILE_LIMIT}\n"
    assert read(given_file(text)).report == (
        f"Pulumi.test.yaml: the file has {len(text)} bytes; a stack file may have 102400 at most.\n"
        "  The engine passes all of it in one string. Use counts instead of lists: slices: 64 makes 64 pools.\n"
        "  [stack-file] components/model/stack_file/reading.py\n\n"
        "1 error; nothing was changed."
    )


@pytest.mark.parametrize(
    ("text", "report"),
    [
        (
            "config:\n\tgcp:project: x\n",
            (
                "Pulumi.test.yaml:2:1: found character that cannot start any token.\n  2 | \tgcp:project: x\n    | ^\n"
                "  Indent with spaces.\n"
            ),
        ),
        (
            "config:\n  gcp:project: a\n  gcp:project: b\n",
            (
                'Pulumi.test.yaml:3:3: the key "gcp:project" appears twice.\n  3 |   gcp:project: b\n    |   ^\n'
                "  Keep one of them.\n"
            ),
        ),
    ],
)
def test_what_the_engine_would_refuse_first(text: str, report: str) -> None:
    assert read(given(file_text=text)).report == (
        f"{report}  [stack-file] components/model/stack_file/reading.py\n\n1 error; nothing was changed."
    )


_REMEDIES = {
    # a text that is not YAML that is read here, and what to do about it
    "a: &a [*a]": "Write the value in place of the alias.",
    "a: *b": "Write the anchor before its first alias, or put a text that begins with * in quotes.",
    "a: 1\n b: 2": "Begin a new line before this key, or put a text with a colon in quotes.",
    "a: b: c": "Begin a new line before this key, or put a text with a colon in quotes.",
    "a: @x": "Put the value in quotes.",
    "a: [1": "Close the list with ], or put a comma between its items.",
    "a: {x: 1": "Close the mapping with }, or put a comma between its keys.",
    'a: "x': "Close the quotes.",
    "a:\n  - 1\n b: 2": "Indent the line like the other keys of its mapping.",
    "a: 1\nb": "Put a colon behind the key, or indent the line as a part of the text before it.",
    "a: 1\n---\nb: 2": "Keep one document: remove the line --- and what follows it.",
    "? [a]\n: 1": "Write a word before the colon.",
    "a: \0": "Remove the character, or write it as an escape in double quotes.",
    "a: " + "[" * 200 + "]" * 200: "Remove brackets or indentation; no key of a stack file is that deep.",
    "a: &x 1\n&x": "Put a colon behind the key, or indent the line as a part of the text before it.",
}


@pytest.mark.parametrize(("text", "remedy"), _REMEDIES.items(), ids=[text[:12] for text in _REMEDIES])
def test_what_is_no_yaml_is_told_what_to_do(text: str, remedy: str) -> None:
    assert read(given(file_text=text)).report.splitlines()[-4].strip() == remedy


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- config:\n", "Pulumi.test.yaml:1:1: this is a list; a mapping belongs here."),
        ("config\n", "Pulumi.test.yaml:1:1: this is text; a mapping belongs here."),
        ("config:\n  - a\n", "Pulumi.test.yaml:1:1: config: this is a list; a mapping belongs here."),
        ("config: a\n", "Pulumi.test.yaml:1:1: config: this is text; a mapping belongs here."),
    ],
)
def test_what_is_no_mapping_is_told_once(text: str, told: str) -> None:
    report = read(given(file_text=text)).report
    assert (report.splitlines()[0], report.splitlines()[-1]) == (told, "1 error; nothing was changed.")


@pytest.mark.parametrize("project", ["example.com:tpu-sandbox", "sub.example.com:abcdef", "abcdef"])
def test_a_project_may_be_of_a_domain(project: str) -> None:
    assert read(given(platform=a_platform().platform, gcp_project=project)).report == ""


@pytest.mark.parametrize("project", ["example:tpu-sandbox", ":abcdef", "Example.com:abcdef", "example.com:ab"])
def test_what_is_before_a_project_is_a_domain(project: str) -> None:
    report = read(given(platform=a_platform().platform, gcp_project=project)).report
    assert f'config.gcp:project: "{project}" is not the id of a project.' in report


@pytest.mark.parametrize("text", ["", "# nothing\n", "config:\n", "config: {}\n"])
def test_an_empty_file_is_told_what_it_lacks(text: str) -> None:
    report = read(given(file_text=text, gcp_project=None)).report
    assert "config.tpu-platform:platform: it is missing or empty, so there is no platform to build." in report
    assert report.endswith("\n\n1 error; nothing was changed.")


def test_a_stack_without_a_file_is_told_which_and_the_nearest() -> None:
    asked = replace(given(gcp_project=None), beside=("Pulumi.tests.yaml", "Pulumi.prod.yaml"))
    lines = read(asked).report.splitlines()
    assert lines[0].endswith("Pulumi.test.yaml does not exist, so there is no platform to build.")
    assert lines[1] == "  Did you mean tests? The stack files beside it are those of prod and tests."
    assert lines[-1] == "1 error; nothing was changed."


@pytest.mark.parametrize("value", ["multislice", 5, ["a"]])
def test_a_platform_that_is_no_mapping(value: object) -> None:
    report = read(given(platform=value)).report
    assert "a mapping belongs here." in report
    assert report.endswith("\n\n1 error; nothing was changed.")


def test_project_and_key_are_those_that_the_engine_knows() -> None:
    known = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())

    assert (known["name"], list(known["config"])) == (PROJECT, [f"{PROJECT}:{KEY}"])

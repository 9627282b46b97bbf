"""The command: what it prints in each format, its exit codes, and what it makes of settings and stack files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from policies.lint.__main__ import main
from policies.lint.files import File
from policies.lint.formats import as_github, as_json, as_sarif
from policies.lint.linting import Options, lint
from policies.lint.settings import SettingsError, settings_in
from policies.lint.stacks import given
from policies.objects.judging import Settings
from tests.lint.given import HERE, OBJECTS, POOLS, edited, linted
from tests.stacks import PLATFORM_KEY, closed, stack_file
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_HALF = edited(POOLS, '"initialNodeCount": 2', '"initialNodeCount": 1')
_FOUND = linted(_HALF).findings[0]
_SAYS, _REMEDY, _SOURCE = _FOUND.says, _FOUND.remedy, _FOUND.source


def _run(*arguments: str, given_: str = "", folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "policies.lint", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=given_,
        capture_output=True,
        text=True,
        check=False,
    )


def test_json_has_what_a_program_needs() -> None:
    document = json.loads(as_json(linted(_HALF)))
    assert document["findings"] == [
        {
            "rule": "slice-has-all-its-nodes",
            "severity": "error",
            "file": "a",
            "line": 17,
            "column": 25,
            "endColumn": 26,
            "object": "NodePool slice-a",
            "path": "initialNodeCount",
            "says": _SAYS,
            "remedy": _REMEDY,
            "source": _SOURCE,
        }
    ]
    assert (document["errors"], document["warnings"], document["objects"], document["notes"]) == (1, 0, 3, [])
    assert all(each["rules"] and each["reason"] for each in document["notChecked"])


def test_sarif_has_rule_level_and_region() -> None:
    log = json.loads(as_sarif(linted(_HALF)))
    (run,) = log["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    (result,) = run["results"]
    assert log["version"] == "2.1.0"
    assert rule["id"] == "slice-has-all-its-nodes"
    assert rule["shortDescription"]["text"] == "a multi-host pool has as many nodes as its slice has hosts, or none"
    assert result == {
        "ruleId": "slice-has-all-its-nodes",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": f"NodePool slice-a: initialNodeCount: {_SAYS} {_REMEDY}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a"},
                    "region": {"startLine": 17, "startColumn": 25, "endColumn": 26},
                },
                "logicalLocations": [{"fullyQualifiedName": "NodePool slice-a: initialNodeCount"}],
            }
        ],
    }


def test_sarif_tells_what_was_not_checked() -> None:
    verdict = linted(OBJECTS)
    (invocation,) = json.loads(as_sarif(verdict))["runs"][0]["invocations"]
    assert len(invocation["toolExecutionNotifications"]) == len(verdict.doubts) > 0


def test_github_shows_a_finding_at_its_line() -> None:
    assert as_github(linted(_HALF)).splitlines()[0] == (
        "::error file=a,line=17,col=25,endColumn=26,title=slice-has-all-its-nodes::"
        f"NodePool slice-a: initialNodeCount: {_SAYS} {_REMEDY}"
    )


def test_github_cannot_be_given_other_commands() -> None:
    text = edited(OBJECTS, "name: normal", 'name: "100%\\n::error::x"').replace("value: 500", "value: many")
    name, line = [each for each in as_github(linted(text)).splitlines() if each.startswith("::error")]
    assert "title=name-is-in-lower-case::WorkloadPriorityClass 100%25\\n::error::x: metadata.name" in name
    assert line.endswith(
        "::WorkloadPriorityClass 100%25\\n::error::x: value: many is not a whole number. Write a whole number."
    )


@pytest.mark.parametrize(("form", "begin"), [("text", "stdin:17:25: "), ("json", "{"), ("sarif", "{"), ("github", ":")])
def test_standard_input_is_a_file_too(form: str, begin: str) -> None:
    done = _run("-", "--format", form, given_=_HALF)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(begin)


def test_the_exit_code_says_whether_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "half.json").write_text(_HALF, encoding="utf-8")
    sound = [str(HERE / name) for name in ("sound.yaml", "sound-pools.json", "sound-cluster.json")]
    assert main(sound) == 0
    assert main([str(tmp_path / "half.json"), *sound[:1]]) == 1
    assert main([*sound, str(tmp_path / "none.yaml")]) == 2
    assert capsys.readouterr().err == f"lint: {tmp_path / 'none.yaml'}: No such file or directory\n"
    assert main([str(tmp_path)]) == 1
    assert main([*sound, "--cluster", "prod"]) == 2
    with pytest.raises(SystemExit) as usage:
        main([])
    assert usage.value.code == 2


def test_a_file_that_is_named_twice_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(HERE / "sound-pools.json")] * 2) == 0
    assert capsys.readouterr().out.endswith("3 objects checked in 1 file.\n")


_LOADED = """if True:
    import sys
    from policies.lint.__main__ import main
    code = main(sys.argv[1:])
    print("pydantic" in sys.modules, file=sys.stderr)
    sys.exit(code)
"""


@pytest.mark.parametrize(
    ("file", "is_loaded"),
    [
        pytest.param(HERE / "sound.yaml", False, id="manifests"),
        pytest.param(ROOT / "Pulumi.multislice.yaml", True, id="a stack file"),
    ],
)
def test_what_reads_a_stack_file_is_loaded_for_stack_files_alone(file: Path, *, is_loaded: bool) -> None:
    # It takes longer to load than a thousand manifests to judge.
    command = [sys.executable, "-c", _LOADED, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == f"{is_loaded}\n"


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "policies.lint", str(HERE / "sound.yaml")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_stack_file_is_read_with_the_project_beside_it(tmp_path: Path) -> None:
    text = closed("multislice").replace("tpu-platform:platform", "lab:platform")
    (tmp_path / "Pulumi.test.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "Pulumi.yaml").write_text("name: lab\nruntime: python\n", encoding="utf-8")
    assert _run("Pulumi.test.yaml", folder=tmp_path).stdout == "nothing found; 1 object checked in 1 file.\n"
    done = _run("Pulumi.test.yaml", "--project", "tpu-platform", folder=tmp_path)
    assert done.returncode == 1
    assert "config.lab:platform: nothing reads this key." in done.stdout


def test_a_stack_file_is_known_by_its_content() -> None:
    done = _run("-", given_=edited(stack_file("multislice"), "release_channel: RAPID", "release_channel: NONE"))
    assert done.returncode == 1
    assert "cluster.standard.release_channel" in done.stdout or "cluster.release_channel" in done.stdout


def test_a_secret_in_a_stack_file_is_some_text() -> None:
    text = edited(stack_file("multislice"), "gcp:project: tpu-sandbox", "gcp:project: {secure: AAAB}")
    read = given(File("Pulumi.test.yaml", text.encode()), None)
    assert (read.project, read.gcp_project) == ("tpu-platform", "decrypted")
    assert PLATFORM_KEY in str(read.file_text)


@pytest.mark.parametrize("written", ["3.0", "3.", "+3", "0x3"])
def test_a_number_is_what_the_engine_passes(written: str) -> None:
    text = edited(closed("multislice"), "        slices: 3\n", f"        slices: {written}\n")
    file, plain = (File("Pulumi.test.yaml", each.encode()) for each in (text, closed("multislice")))
    assert given(file, None).platform == given(plain, None).platform
    assert lint([file], Options()).findings == ()


def test_a_number_that_is_not_whole_is_told_at_its_line() -> None:
    text = edited(stack_file("multislice"), "        slices: 3\n", "        slices: 3.5\n")
    (shown,) = lint([File("Pulumi.test.yaml", text.encode())], Options()).shown
    assert shown.sighting.line.strip() == "slices: 3.5"


def test_settings_are_read() -> None:
    text = "chips: 8\nregions: [us-west4]\nis_protected: true\nchips_of_queue: {research: 4}\n"
    assert settings_in(File("limits.yaml", text.encode())) == Settings(
        chips=8, regions=("us-west4",), is_protected=True, chips_of_queue={"research": 4}
    )


def test_no_setting_is_taken_without_being_read() -> None:
    other = {False: "true", True: "false", (): "[a]", None: "1"}
    for name in Settings.__struct_fields__:
        default = getattr(Settings(), name)
        text = f"{name}: {'{a: 1}' if isinstance(default, dict) else other[default]}\n"
        assert getattr(settings_in(File("limits.yaml", text.encode())), name) != default


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("region: [a]\n", "limits.yaml: unknown key region. Did you mean regions? Keys of settings: is_protected, "),
        ("chips: many\n", "limits.yaml: chips is not a whole number"),
        ("chips_of_queue: {a: many}\n", "limits.yaml: chips_of_queue.a is not a whole number"),
        ("- chips\n", "limits.yaml: one mapping belongs here, with keys of is_protected, "),
        ("", "limits.yaml: one mapping belongs here, with keys of is_protected, "),
        ("a: [\n", "limits.yaml: did not find expected node content"),
    ],
)
def test_settings_that_are_none_are_refused(text: str, says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings_in(File("limits.yaml", text.encode()))
    assert str(refused.value).startswith(says)


def test_the_file_of_a_manifest_is_read_beside_the_stack_file(tmp_path: Path) -> None:
    work = "[{name: run, kind: manifest, file: jobs/run.yaml}]"
    text = closed("multislice")
    (tmp_path / "Pulumi.multislice.yaml").write_text(f"{text[: text.index('    workloads:')]}    workloads: {work}\n")
    refused = _run("Pulumi.multislice.yaml", folder=tmp_path)
    assert (refused.returncode, "there is no file jobs/run.yaml." in refused.stdout) == (1, True)
    (tmp_path / "jobs").mkdir()
    config_map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: run}, data: {}}\n"
    (tmp_path / "jobs" / "run.yaml").write_text(config_map)
    assert _run("Pulumi.multislice.yaml", folder=tmp_path).returncode == 0
    (tmp_path / "jobs" / "run.yaml").write_text(config_map.replace("{}}", "{NODES: 2}}"))
    refused = _run("Pulumi.multislice.yaml", folder=tmp_path)
    assert (refused.returncode, "jobs/run.yaml:1: data.NODES: 2 is not text." in refused.stdout) == (1, True)

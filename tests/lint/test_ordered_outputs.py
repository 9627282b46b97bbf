"""What programs read of a call with several groups: each finding once, in the order of the files and their lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from policies.lint.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_QUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: NAME}
spec:
  namespaceSelector: {}
  queueingStrategy: Fifo
  stopPolicy: Hold
"""
_CLASS: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {name: x}\nvalue: VALUE\n"
_POD: Final = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: a, image: busybox:latest}]}\n"
_BASE: Final = "resources: [../base]\n"
_TEXTS: Final = {
    "base/kustomization.yaml": "resources: [queue.yaml]\n",
    "base/queue.yaml": _QUEUE.replace("NAME", "base"),
    "dev/a-class.yaml": f"{_CLASS.replace('VALUE', '1')}---\n{_CLASS.replace('VALUE', 'many')}",
    "dev/b-queue.yaml": _QUEUE.replace("NAME", "dev"),
    "known/queue.yaml": _QUEUE.replace("NAME", "known"),
    "overlays/one/kustomization.yaml": _BASE,
    "overlays/two/kustomization.yaml": _BASE,
    "prod/a-pod.yaml": _POD,
    "prod/b-queue.yaml": _QUEUE.replace("NAME", "prod").replace("Hold", "Always"),
    "prod/c-queue.yaml": f"# tpu-lint: ignore=queue-value-exists as planned\n{_QUEUE.replace('NAME', 'accepted')}",
}
_EXPECTED: Final = [
    ("error", "base/queue.yaml", 6, "queue-value-exists"),
    ("error", "dev/a-class.yaml", 6, "object-is-declared-once"),
    ("error", "dev/a-class.yaml", 9, "field-has-its-type"),
    ("error", "dev/b-queue.yaml", 6, "queue-value-exists"),
    ("note", "prod/a-pod.yaml", 4, "image-is-pinned"),
    ("error", "prod/b-queue.yaml", 6, "queue-value-exists"),
    ("error", "prod/b-queue.yaml", 7, "queue-value-exists"),
]
"""Level, file, line and rule; two overlays have the base, and a baseline and a comment accept what is missing here."""


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Of a call over a repository with two folders, a base and two overlays, whose baseline has one finding."""
    for name, text in _TEXTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["known", "--write-baseline", "lint.json"]) == 0
    capsys.readouterr()
    return [".", "--severity", "advice", "--baseline", "lint.json"]


def _printed(capsys: pytest.CaptureFixture[str], arguments: list[str], form: str) -> str:
    assert main([*arguments, "--format", form]) == 1
    written = capsys.readouterr()
    assert written.err == ""
    return written.out


def test_annotations_are_in_order(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = _printed(capsys, arguments, "github").splitlines()
    annotations = [line for line in lines if " file=" in line]
    assert lines[: len(annotations)] == annotations
    assert all(line.startswith("::notice::") for line in lines[len(annotations) :])
    levels = {"error": "error", "warning": "warning", "notice": "note"}
    found: list[tuple[str, str, int, str]] = []
    for line in annotations:
        command, _, properties = line.split("::")[1].partition(" ")
        stated = dict(each.split("=", 1) for each in properties.split(","))
        found.append((levels[command], stated["file"], int(stated["line"]), stated["title"]))
    assert found == _EXPECTED


def test_a_log_for_code_scanning_is_in_order(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    log = json.loads(_printed(capsys, arguments, "sarif"))
    assert list(_breaches(log, "log", "log")) == []
    (run,) = log["runs"]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert rules == sorted({rule for _, _, _, rule in _EXPECTED})
    found: list[tuple[str, str, int, str]] = []
    for each in run["results"]:
        (location,) = (one["physicalLocation"] for one in each["locations"])
        assert rules[each["ruleIndex"]] == each["ruleId"]
        file, line = location["artifactLocation"]["uri"], location["region"]["startLine"]
        found.append((each["level"], file, line, each["ruleId"]))
    assert found == _EXPECTED


def test_json_is_in_the_same_order(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(_printed(capsys, arguments, "json"))
    found = [(each["file"], each["line"], each["rule"]) for each in document["findings"]]
    assert found == [tuple(each) for _, *each in _EXPECTED]
    assert document["hidden"] == 2


def test_files_that_are_named_are_in_the_order_of_the_call(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["prod/b-queue.yaml", "dev/b-queue.yaml", "dev/a-class.yaml"]
    document = json.loads(_printed(capsys, [*names, "--apart", *arguments[1:]], "json"))
    assert list(dict.fromkeys(each["file"] for each in document["findings"])) == names


# --- the schema of SARIF 2.1.0, as far as the log uses it


_OBJECTS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "log": ("version runs", {"$schema": "text", "version": "2.1.0", "runs": "[run]"}),
    "run": ("tool", {"tool": "tool", "columnKind": "kind", "invocations": "[invocation]", "results": "[result]"}),
    "tool": ("driver", {"driver": "component"}),
    "component": ("name", {"name": "text", "rules": "[rule]"}),
    "rule": ("id", {"id": "text", "shortDescription": "said", "fullDescription": "said", "help": "said"}),
    "said": ("text", {"text": "text"}),
    "invocation": (
        "executionSuccessful",
        {"executionSuccessful": "flag", "toolExecutionNotifications": "[notification]"},
    ),
    "notification": ("message", {"message": "said", "level": "level"}),
    "result": (
        "message",
        {"ruleId": "text", "ruleIndex": "index", "level": "level", "message": "said", "locations": "[location]"},
    ),
    "location": ("", {"physicalLocation": "physical", "logicalLocations": "[logical]"}),
    "physical": ("artifactLocation", {"artifactLocation": "artifact", "region": "region"}),
    "artifact": ("uri", {"uri": "text"}),
    "region": ("startLine", {"startLine": "position", "startColumn": "position", "endColumn": "position"}),
    "logical": ("", {"fullyQualifiedName": "text"}),
}
"""For each object its required properties, and the types of the properties that it has; it may have no other.

Source: Schemata/sarif-schema-2.1.0.json of the OASIS repository sarif-spec (errata 01), read 2026-11. It takes an id in
place of a message's text, an address in place of a file, an offset in place of a line, and the index -1 for no rule:
GitHub asks for the text, the file and the line.
"""
_VALUES: Final[dict[str, Callable[[object], bool]]] = {
    "text": lambda value: isinstance(value, str) and value != "",
    "flag": lambda value: isinstance(value, bool),
    "2.1.0": lambda value: value == "2.1.0",
    "kind": lambda value: value in ("utf16CodeUnits", "unicodeCodePoints"),
    "level": lambda value: value in ("none", "note", "warning", "error"),
    "index": lambda value: isinstance(value, int) and value >= 0,
    "position": lambda value: isinstance(value, int) and value >= 1,
}


def _breaches(value: Any, type_: str, path: str) -> Iterator[str]:  # noqa: ANN401  anything that JSON holds
    """Where a value is not of the type."""
    if type_.startswith("["):
        for index, each in enumerate(cast("list[Any]", value)):
            yield from _breaches(each, type_.strip("[]"), f"{path}[{index}]")
    elif type_ in _VALUES:
        if not _VALUES[type_](value):
            yield f"{path}: {value!r} is not {type_}"
    else:
        required, known = _OBJECTS[type_]
        yield from (f"{path}.{key} is missing" for key in required.split() if key not in value)
        for key, each in value.items():
            yield from _breaches(each, known[key], f"{path}.{key}") if key in known else [f"{path}.{key} is unknown"]


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ('{"version": "2.1.0"}', "log.runs is missing"),
        ('{"version": "2.0.0", "runs": []}', "log.version: '2.0.0' is not 2.1.0"),
        ('{"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}', "log.runs[0].tool.driver.name is missing"),
        ('{"version": "2.1.0", "runs": [], "run": 1}', "log.run is unknown"),
    ],
)
def test_a_log_that_is_none_is_seen(log: str, says: str) -> None:
    assert list(_breaches(json.loads(log), "log", "log")) == [says]

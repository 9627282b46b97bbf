"""Values that somebody fills in later are not known: no rule fails on them, and the call may state them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.__main__ import main
from policies.lint.linting import Options
from policies.lint.placeholders import ValuesError, filled, may_have_some, stated, values_in
from policies.objects.values import Unknown, Value
from tests.lint.given import CLUSTER, OBJECTS, POOLS, edited, linted, told

if TYPE_CHECKING:
    from pathlib import Path


def _unknown(value: Value) -> list[str]:
    """The texts of all unknown values."""
    match value:
        case Unknown():
            return [value.text]
        case dict():
            return [text for each in value.values() for text in _unknown(each)]
        case list():
            return [text for each in value for text in _unknown(each)]
        case _:
            return []


@pytest.mark.parametrize(
    "text",
    [
        "${NAME}",
        "$NAME",
        "<NAME>",
        "<your name>",
        "{{ NAME }}",
        "a-${USER:-me}",
        "YOUR_NAME",
        "@@NAME@@",
        "%%NAME%%",
        "__NAME__",
        "{NAME}",
    ],
)
def test_placeholders_of_every_form_are_not_known(text: str) -> None:
    assert may_have_some(f"name: {text}\n")
    assert _unknown(filled({"metadata": {"name": text}})) == [text]
    assert _unknown(filled({"metadata": {"annotations": {"note": f"about {text} here"}}})) == []


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ({"metadata": {"name": "NAME", "namespace": "MY_NAMESPACE"}}, ["NAME", "MY_NAMESPACE"]),
        ({"spec": {"parallelism": "HOSTS", "clusterQueue": "QUEUE"}}, ["HOSTS", "QUEUE"]),
        ({"nodeSelector": {"cloud.google.com/gke-tpu-topology": "TOPOLOGY"}}, ["TOPOLOGY"]),
        ({"limits": {"google.com/tpu": "CHIPS"}}, ["CHIPS"]),
        ({"image": "us-docker.pkg.dev/PROJECT_ID/ml/train:1.0"}, ["us-docker.pkg.dev/PROJECT_ID/ml/train:1.0"]),
        ({"image": "ml/train:IMAGE_TAG"}, ["ml/train:IMAGE_TAG"]),
        ({"image": "IMAGE"}, ["IMAGE"]),
        ({"image": "ml/train:RC1"}, []),
        ({"env": [{"name": "TPU_NAME", "value": "BF16"}]}, []),
        ({"env": [{"name": "TOKEN", "value": "${TOKEN}"}]}, ["${TOKEN}"]),
        ({"command": ["sh", "-c", "echo $HOME; cat <<EOF > ${A}"]}, []),
        ({"args": ["--model=$(MODEL)", "$(B)"]}, []),
        ({"stringData": {"token": "<YOUR_TOKEN>"}}, ["<YOUR_TOKEN>"]),
        ({"ports": [{"protocol": "TCP"}], "effect": "NoSchedule"}, []),
        ({"apiVersion": "$V", "kind": "<KIND>"}, []),
        ({"capabilities": {"drop": ["ALL"]}}, []),
        ({"nodeSelector": {"cloud.google.com/gke-tpu-partition-2x2x1-state": "HEALTHY"}}, []),
        ({"metadata": {"name": {"JOB_NAME": None}}}, ["{JOB_NAME}"]),
        ({"emptyDir": {"medium": None}, "labels": {"TEAM": None}, "spec": {"A_B": None, "C": 1}}, []),
    ],
)
def test_what_a_program_or_an_enumeration_writes_is_a_value(body: dict[str, Value], unknown: list[str]) -> None:
    assert _unknown(filled(body)) == unknown


def test_what_has_no_placeholder_stays_the_same_value() -> None:
    body: Value = {"spec": {"list": [{"a": "b"}, 1, None, "c"]}}
    assert filled(body) == body


_BLANK: Final = edited(OBJECTS, "nominalQuota: 16", "nominalQuota: <CHIPS>")


def test_a_placeholder_is_no_error_and_is_told_in_one_line() -> None:
    verdict = linted(_BLANK, POOLS, CLUSTER)
    assert told(verdict) == []
    (line,) = [each for each in verdict.doubts if "is a placeholder" in each.reason]
    assert line.reason.endswith("give values with --set NAME=value")
    assert "quota-within-pools" in line.rules
    assert line.sighting is not None
    assert line.sighting.where.startswith("a:26:")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("A=b".encode("utf-16"), "1: it is UTF-16, and must be UTF-8. Save the file as UTF-8."),
        (b"A=b\nC=caf\xe9\n", "2: byte 0xe9 is not UTF-8. Save the file as UTF-8."),
    ],
    ids=["UTF-16", "Latin-1"],
)
def test_a_file_of_values_that_is_not_utf_8_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, says: str
) -> None:
    (tmp_path / ".env").write_bytes(content)
    (tmp_path / "a.yaml").write_text(OBJECTS, encoding="utf-8")
    assert main([str(tmp_path / "a.yaml"), "--env-file", str(tmp_path / ".env")]) == 2
    assert capsys.readouterr().err == f"lint: {tmp_path / '.env'}:{says}\n"


def test_several_placeholders_are_one_line() -> None:
    verdict = linted(_BLANK.replace("value: 500", "value: ${VALUE}"), POOLS, CLUSTER)
    (line,) = [each for each in verdict.doubts if "is a placeholder" in each.reason]
    assert line.reason.startswith("is a placeholder, and ")


def test_values_that_the_call_states_are_judged() -> None:
    for text in (_BLANK, _BLANK.replace("<CHIPS>", "${CHIPS}"), _BLANK.replace("<CHIPS>", "$CHIPS")):
        assert told(linted(text, POOLS, CLUSTER, options=Options(values={"CHIPS": "16"}))) == []
        found = told(linted(text, POOLS, CLUSTER, options=Options(values={"CHIPS": "64"})))
        assert [each.split()[1] for each in found] == ["quota-within-pools"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A}-$A-<A>-{{ A }}-{{A}}-@A@-%%A%%-{A}", "1-1-1-1-1-1-1-1"),
        ("${A:-x} $AB $(A) A_B BA", "1 $AB $(A) A_B BA"),
        ("image: gcr.io/A/x:A", "image: gcr.io/1/x:1"),
        ("- name: A", "- name: A"),
    ],
)
def test_values_take_the_place_of_their_placeholders(text: str, expected: str) -> None:
    assert stated(text, {"A": "1"}) == expected


def test_values_are_written_as_in_an_env_file() -> None:
    lines = ["# a", "", "A=1", "export B='x y'", 'C="=" ']
    assert values_in(lines, ".env") == {"A": "1", "B": "x y", "C": "="}
    with pytest.raises(ValuesError, match=r"^\.env: 'A B' is not NAME=value$"):
        values_in(["A B"], ".env")


def test_the_command_takes_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"q.yaml": _BLANK, "p.json": POOLS, "c.json": CLUSTER, ".env": "CHIPS=64\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("q.yaml", "p.json", "c.json")]
    assert main(files) == 0
    assert main([*files, "--set", "CHIPS=64"]) == 1
    assert main([*files, "--env-file", str(tmp_path / ".env")]) == 1
    assert main([*files, "--env-file", str(tmp_path / ".env"), "--set", "CHIPS=16"]) == 0
    capsys.readouterr()
    assert main([*files, "--set", "CHIPS"]) == 2
    assert capsys.readouterr().err == "lint: --set: 'CHIPS' is not NAME=value\n"


_LOCAL: Final = "metadata: {name: research, namespace: research}"


def _queue_errors(name: str, namespace: str) -> list[str]:
    text = edited(OBJECTS, _LOCAL, f"metadata: {{name: {name}, namespace: {namespace}}}")
    return [each for each in told(linted(text)) if "workload-queue-exists" in each]


def test_a_queue_that_may_have_any_name_may_be_the_one_that_is_meant() -> None:
    assert _queue_errors("other", "research")
    assert _queue_errors("research", "other")
    assert not _queue_errors("<QUEUE>", "research")
    assert not _queue_errors("research", "<TEAM>")


def test_an_object_without_a_known_name_is_named_as_it_is_written() -> None:
    text = edited(OBJECTS, "name: normal", "name: <NAME>").replace("value: 500", "value: many")
    assert [each.partition(" ")[2] for each in told(linted(text))] == [
        "field-has-its-type WorkloadPriorityClass <NAME>: value"
    ]

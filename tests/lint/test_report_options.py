"""Ignores, settings files, comments, baselines and severities: what is shown, what fails, and the notes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.__main__ import main
from policies.lint.formats import as_github, as_json, as_sarif, as_text
from tests.lint.given import POOLS, linted

if TYPE_CHECKING:
    from pathlib import Path

_QUOTA: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v5e}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: research
spec:
  namespaceSelector: {}
  queueingStrategy: Fifo
"""
_RULE: Final = "queue-value-exists"
_ADVICE: Final = """\
apiVersion: v1
kind: Pod
metadata: {name: probe, namespace: lab}
spec:
  containers:
    - name: main
      image: busybox:latest
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a wrong value, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "queue.yaml").write_text(_QUOTA, encoding="utf-8")
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["samples/queue.yaml", *arguments])
    written = capsys.readouterr()
    return code, written.out + written.err


@pytest.mark.parametrize("path", ["", ":samples", ":samples/*", ":./samples/queue.yaml"])
def test_a_rule_is_ignored_where_somebody_says_so(folder: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    code, told = _run(capsys, "--ignore", f"{_RULE}{path}")
    assert (code, told.count(_RULE)) == (0, 0)
    assert "ignored 1 finding\n" in told
    assert "nothing else found" in told
    assert folder.is_dir()


@pytest.mark.usefixtures("folder")
def test_an_ignore_that_is_not_needed_or_not_a_rule_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = _run(capsys, "--ignore", "image-is-pinned:samples")
    assert code == 1
    assert "unused ignores: image-is-pinned (--ignore)" in told
    code, told = _run(capsys, "--ignore", "image-is-pined")
    assert code == 2
    assert told.startswith("lint: --ignore: no rule is named image-is-pined. Did you mean image-is-pinned? ")


@pytest.mark.parametrize(
    ("old", "new", "is_ignored"),
    [
        pytest.param("Fifo\n", f"Fifo # tpu-lint: ignore={_RULE} as planned\n", True, id="on the line"),
        pytest.param("spec:\n  names", f"# tpu-lint: ignore={_RULE}\nspec:\n  names", True, id="above its mapping"),
        pytest.param("---\n", f"---\n# tpu-lint: ignore={_RULE}\n", True, id="above the object"),
        pytest.param("  queueing", f"  # tpu-lint: ignore={_RULE}\n  queueing", True, id="above the line"),
        pytest.param("metadata:\n  name", f"# tpu-lint: ignore={_RULE}\nmetadata:\n  name", False, id="elsewhere"),
        pytest.param("apiVersion", f"# tpu-lint: ignore={_RULE}\napiVersion", False, id="above another object"),
        pytest.param("Fifo\n", "Fifo # tpu-lint: ignore=field-has-its-type\n", False, id="another rule"),
    ],
)
def test_a_comment_is_about_its_line_or_the_block_below(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, *, is_ignored: bool
) -> None:
    (folder / "samples" / "queue.yaml").write_text(_QUOTA.replace(old, new, 1), encoding="utf-8")
    code, told = _run(capsys)
    assert code == (0 if is_ignored else 1)
    assert ("unused ignores: " in told) is not is_ignored


def test_a_comment_that_says_nothing_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "samples" / "queue.yaml").write_text(f"# tpu-lint: off\n{_QUOTA}", encoding="utf-8")
    assert "samples/queue.yaml:1: this comment has no effect. Write # tpu-lint: ignore=RULE" in _run(capsys)[1]


def test_the_nearest_settings_file_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".tpu-lint.yaml").write_text(f"ignore: ['{_RULE}:samples']\n", encoding="utf-8")
    assert _run(capsys)[0] == 0
    (folder / "samples" / ".tpu-lint.yaml").write_text("severity: error\n", encoding="utf-8")
    assert _run(capsys)[0] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("severity: error\nignores: []\n", ":2: unknown key ignores. Did you mean ignore? Keys: ignore, severity"),
        ("ignore:\n  - image-is-pined\n", ":2: no rule is named image-is-pined. Did you mean image-is-pinned?"),
        ("ignore: image-is-pinned\n", ":1: write a list of RULE or RULE:PATH"),
        ("severity: warn\n", ":1: warn is not a severity. "),
        ("kueue: newest\n", ":1: newest is not a release. Write one such as 0.19"),
        ("- a\n", ": write one mapping. Keys: ignore"),
    ],
)
def test_settings_that_are_wrong_are_told_with_their_line(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    (folder / ".tpu-lint.yaml").write_text(text, encoding="utf-8")
    code, told = _run(capsys)
    assert code == 2
    assert told.startswith(f"lint: .tpu-lint.yaml{says}")


def test_settings_files_that_disagree_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pod.yaml").write_text(_ADVICE, encoding="utf-8")
    (folder / ".tpu-lint.yaml").write_text("kueue: 0.18\n", encoding="utf-8")
    (folder / "samples" / ".tpu-lint.yaml").write_text("kueue: 0.20\n", encoding="utf-8")
    code, told = _run(capsys, "pod.yaml")
    assert code == 2
    assert ".tpu-lint.yaml states kueue: 0.18, and samples/.tpu-lint.yaml kueue: 0.20." in told


def test_a_baseline_knows_findings_on_other_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "samples" / "queue.yaml"
    assert _run(capsys, "--write-baseline", "lint.json")[0] == 0
    file.write_text(f"# moved\n\n{_QUOTA}", encoding="utf-8")
    code, told = _run(capsys, "--baseline", "lint.json")
    assert code == 0
    assert "1 finding of lint.json not shown" in told
    file.write_text(_QUOTA.replace("Fifo", "Lifo"), encoding="utf-8")
    code, told = _run(capsys, "--baseline", "lint.json")
    assert code == 1
    assert "1 finding of lint.json is gone" in told


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}'])
def test_a_file_that_is_not_a_baseline_is_told(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (folder / "lint.json").write_text(text, encoding="utf-8")
    code, told = _run(capsys, "--baseline", "lint.json")
    assert code == 2
    assert told.startswith("lint: lint.json")


def test_advice_is_shown_and_fails_on_request(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "samples" / "queue.yaml").write_text(_ADVICE, encoding="utf-8")
    code, told = _run(capsys)
    assert (code, "image-is-pinned" in told) == (0, False)
    assert "1 finding below warning not shown; --severity advice shows all" in told
    code, told = _run(capsys, "--severity", "advice")
    assert (code, "advice: busybox:latest" in told) == (0, True)
    assert "1 note of advice; 1 object checked" in told
    assert _run(capsys, "--fail-on", "advice")[0] == 1


def test_advice_is_a_note_for_github_and_code_scanning() -> None:
    verdict = linted(_ADVICE)
    assert as_github(verdict).startswith("::notice file=a,line=7,")
    assert json.loads(as_sarif(verdict))["runs"][0]["results"][0]["level"] == "note"
    assert (json.loads(as_json(verdict))["advice"], json.loads(as_json(verdict))["hidden"]) == (1, 0)


def test_a_long_verdict_has_errors_first_and_a_summary_by_rule() -> None:
    wrong = "---\n".join([*(_ADVICE.replace("probe", f"probe-{number}") for number in range(10)), _QUOTA])
    blocks = as_text(linted(wrong)).split("\n\n")
    assert blocks[0].endswith(_lines_of(wrong))
    (summary,) = [each for each in blocks if each.startswith("By rule:")]
    assert summary.splitlines()[1].split() == ["1", "error", _RULE]
    assert "--write-baseline FILE" in summary
    assert "By rule:" not in as_text(linted(_QUOTA))


def _lines_of(text: str) -> str:
    (found,) = [each for each in linted(text).findings if each.rule == _RULE]
    return f"[{_RULE}] {found.source}"


@pytest.mark.parametrize(("release", "is_old"), [("1.32", True), ("1.34", False)])
def test_the_release_that_is_meant_judges_pools_that_state_none(
    folder: Path, capsys: pytest.CaptureFixture[str], release: str, *, is_old: bool
) -> None:
    flex = [{**each, "config": {**each["config"], "flexStart": True}, "version": None} for each in json.loads(POOLS)]
    (folder / "pools.json").write_text(json.dumps(flex), encoding="utf-8")
    (folder / ".tpu-lint.yaml").write_text(f"gke: {release}\n", encoding="utf-8")
    main(["pools.json"])
    told = capsys.readouterr().out
    assert (f"GKE {release}, the release that is meant, is older" in told) is is_old


@pytest.mark.parametrize(("release", "is_known"), [("0.17", False), ("0.19", True)])
def test_the_release_that_is_meant_has_the_fields_or_not(
    folder: Path, capsys: pytest.CaptureFixture[str], release: str, *, is_known: bool
) -> None:
    queue = _QUOTA.replace("  queueingStrategy: Fifo\n", "  concurrentAdmissionPolicy: {}\n")
    (folder / "samples" / "queue.yaml").write_text(queue, encoding="utf-8")
    (folder / ".tpu-lint.yaml").write_text(f"kueue: {release}\n", encoding="utf-8")
    told = _run(capsys)[1]
    assert (f"Kueue {release} does not know" in told) is not is_known

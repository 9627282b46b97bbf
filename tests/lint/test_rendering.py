"""What helm and kustomize print is checked, in the place of what they made it of."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.__main__ import main
from tests.lint.given import OBJECTS, edited

if TYPE_CHECKING:
    from pathlib import Path

_BROKEN: Final = edited(OBJECTS, "value: 500", "value: many")
_TOOL: Final = """#!/bin/sh
case "$*" in *broken*) echo first >&2; echo "Error: no such file" >&2; exit 1;; esac
echo "$(basename $0) $*" >> "$CALLS"
cat "$MADE"
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kustomization with a base, and a chart with another one in it."""
    texts = {
        "base/kustomization.yaml": "resources: [q.yaml]\n",
        "base/q.yaml": _BROKEN,
        "prod/kustomization.yaml": "resources: [../base]\n",
        "app/Chart.yaml": "name: app\n",
        "app/templates/a.yaml": "{{ .Values.a }}",
        "app/charts/sub/Chart.yaml": "name: sub\n",
    }
    for name, text in texts.items():
        (tmp_path / "repo" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "repo" / name).write_text(text, encoding="utf-8")
    (tmp_path / "made.yaml").write_text(OBJECTS, encoding="utf-8")
    monkeypatch.setenv("MADE", str(tmp_path / "made.yaml"))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path


def _install(root: Path, *names: str) -> None:
    (root / "bin").mkdir()
    for name in names:
        (root / "bin" / name).write_text(_TOOL, encoding="utf-8")
        (root / "bin" / name).chmod(0o755)


def test_what_the_tools_make_is_checked(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _install(repository, "helm", "kustomize")
    assert main([".", "--render"]) == 0
    assert (repository / "calls").read_text().splitlines() == ["kustomize build -- prod", "helm template -- app app"]
    assert "1 resource of a built kustomization" in capsys.readouterr().out


def test_a_kustomization_is_built_without_being_asked(repository: Path) -> None:
    _install(repository, "helm", "kubectl")
    assert main(["."]) == 0
    assert (repository / "calls").read_text().splitlines() == ["kubectl kustomize -- prod"]


@pytest.mark.parametrize(
    "more",
    [
        "resources: [../base, https://git.example/a]",
        'resources: [../base, "https:\\/\\/git.example/a"]',
        "resources: [../base, git.example/a/b?ref=v1]",
        "resources: [../base]\nresources: [git.example/a/b?ref=v1]",
        "resources: [../base, ../../outside]",
        "resources: [../base]\npatches: [{path: https://git.example/a.yaml}]",
        "resources: [../base]\ngenerators: [plugin.yaml]",
        f"resources: [../base, {'a' * 300}]",
    ],
)
def test_a_kustomization_that_leads_elsewhere_is_built_only_if_asked(repository: Path, more: str) -> None:
    _install(repository, "helm", "kustomize")
    (repository / "outside").mkdir()
    (repository / "repo" / "prod" / "kustomization.yaml").write_text(more, encoding="utf-8")
    calls = repository / "calls"
    calls.touch()
    main(["."])
    assert "prod" not in calls.read_text()
    main([".", "--render"])
    assert "kustomize build -- prod" in calls.read_text()


def test_the_name_of_a_folder_is_not_an_option(repository: Path) -> None:
    _install(repository, "kustomize")
    (repository / "repo" / "prod").rename(repository / "repo" / "--enable-exec")
    assert main(["."]) == 0
    assert (repository / "calls").read_text() == "kustomize build -- --enable-exec\n"


def test_a_kustomization_that_cannot_be_built_is_checked_object_by_object(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _install(repository, "helm", "kustomize")
    (repository / "repo" / "prod").rename(repository / "repo" / "broken")
    assert main(["."]) == 1
    printed = capsys.readouterr()
    assert (printed.err, "base/q.yaml:36:8" in printed.out) == ("", True)
    assert "checked object by object, because the kustomization is not built: 1 file" in printed.out


def _places(printed: str) -> list[str]:
    lines = (line for line in printed.splitlines() if "value: many is not a whole number" in line)
    return [":".join(line.split(":")[:2]) for line in lines]


def test_a_finding_is_shown_where_its_value_is_written(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _install(repository, "helm", "kustomize")
    (repository / "made.yaml").write_text(f"# built\n{_BROKEN}", encoding="utf-8")
    assert main([".", "--render"]) == 1
    assert _places(capsys.readouterr().out) == ["base/q.yaml:36", "app/(helm template):37"]
    (repository / "repo" / "base" / "q.yaml").write_text(OBJECTS, encoding="utf-8")
    assert main(["."]) == 1
    assert _places(capsys.readouterr().out) == ["prod/(kustomize build):37"]


def test_what_two_overlays_have_of_one_base_is_one_finding(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _install(repository, "kustomize")
    (repository / "made.yaml").write_text(_BROKEN, encoding="utf-8")
    shutil.copytree(repository / "repo" / "prod", repository / "repo" / "dev")
    assert main(["."]) == 1
    assert _places(capsys.readouterr().out) == ["base/q.yaml:36"]


_CLAIM: Final = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team-a}
spec: {resources: 1T}
"""


@pytest.mark.parametrize(
    ("written", "built", "places"),
    [
        (
            f"{_CLAIM}---\n{_CLAIM.replace('team-a', 'team-b')}",
            f"{_CLAIM.replace('team-a', 'team-b')}---\n{_CLAIM}",
            ["base/q.yaml:4:19", "base/q.yaml:9:19"],
        ),
        (_CLAIM, _CLAIM.replace("name: data", "name: my-data-2"), ["base/q.yaml:4:19"]),
        (_CLAIM.replace("name:", "generateName:"), _CLAIM, ["prod/(kustomize build):4:19"]),
        (_CLAIM, _CLAIM.replace("name:", "generateName:"), ["prod/(kustomize build):4:19"]),
        (_CLAIM.replace("name:", "generateName:"), _CLAIM.replace("name:", "generateName:"), ["base/q.yaml:4:19"]),
    ],
    ids=["namespaces", "prefix and suffix", "only the built one has a name", "it has no name", "no name"],
)
def test_a_built_object_is_known_by_its_name_and_namespace(
    repository: Path, capsys: pytest.CaptureFixture[str], written: str, built: str, places: list[str]
) -> None:
    _install(repository, "kustomize")
    (repository / "repo" / "base" / "q.yaml").write_text(written, encoding="utf-8")
    (repository / "made.yaml").write_text(built, encoding="utf-8")
    assert main(["."]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "1T is not a mapping" in line]
    assert [line.partition(": ")[0] for line in lines] == places


def test_kustomizations_that_name_each_other_end(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _install(repository, "kustomize")
    texts = {
        "a/kustomization.yaml": "resources: [../b]\n",
        "b/kustomization.yaml": "resources: [../a, q.yaml]\n",
        "b/q.yaml": _BROKEN,
        "c/kustomization.yaml": "resources: [../a]\n",
    }
    for name, text in texts.items():
        (repository / "repo" / name).parent.mkdir(exist_ok=True)
        (repository / "repo" / name).write_text(text, encoding="utf-8")
    assert main(["."]) == 0
    calls = (repository / "calls").read_text().splitlines()
    assert sorted(calls) == ["kustomize build -- c", "kustomize build -- prod"]
    assert "2 resources of built kustomizations" in capsys.readouterr().out


def test_a_comment_in_a_file_that_is_built_is_an_ignore(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _install(repository, "kustomize")
    (repository / "made.yaml").write_text(_BROKEN, encoding="utf-8")
    text = edited(_BROKEN, "value: many", "value: many # tpu-lint: ignore=field-has-its-type later")
    (repository / "repo" / "base" / "q.yaml").write_text(text, encoding="utf-8")
    assert main(["."]) == 0
    assert "ignored 1 finding" in capsys.readouterr().out


def test_a_tool_that_fails_is_told_and_the_rest_is_checked(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _install(repository, "helm", "kustomize")
    (repository / "repo" / "prod").rename(repository / "repo" / "broken")
    assert main([".", "--render"]) == 2
    printed = capsys.readouterr()
    assert printed.err == "lint: broken/(kustomize build): Error: no such file\n"
    assert "base/q.yaml:36:8" in printed.out


def test_a_tool_that_is_not_installed_is_told(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(repository)
    monkeypatch.setenv("PATH", str(repository / "bin"))
    assert main([".", "--render"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "lint: prod: kustomize or kubectl is not installed",
        "lint: app: helm is not installed",
    ]

"""What is not checked, because it is not applied as it is: recognised by name, place and content, and counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from policies.lint import left_out
from policies.lint.files import File, gather
from policies.lint.formats import as_github, as_json, as_sarif, as_text
from policies.lint.linting import Linted, Options, lint
from tests.lint.given import OBJECTS, linted

if TYPE_CHECKING:
    from pathlib import Path

_JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {containers: []}}}\n"
_CRD = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.example.org}\n"
_RESOURCES = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [job.yaml]\n"
_PATCHES = f"{_RESOURCES}patches:\n  - path: size.yaml\n  - path: rest.json\n  - patch: |\n      - op: remove\n"


def _walked(root: Path, texts: dict[str, str]) -> Linted:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return lint(gather([str(root)]), Options())


def _kinds(verdict: Linted) -> dict[str, int]:
    return {kind: len(names) for kind, names in verdict.left_out.items()}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("main.tf", "", left_out.TEMPLATE),
        ("run.yaml.tftpl", "%{ for a in b }", left_out.TEMPLATE),
        ("queue.yaml.j2", "", left_out.TEMPLATE),
        ("queue.yaml.tmpl", "", left_out.TEMPLATE),
        ("roles/a/templates/queue.yaml", f"{_JOB}# {{% if a %}}", left_out.TEMPLATE),
        ("templates/queue.yaml", f'{_JOB}# "{{{{ .Name }}}}"', left_out.TEMPLATE),
        ("{{cookiecutter.team}}/queue.yaml", _JOB, left_out.TEMPLATE),
        ("a.yaml", "kind: Job\nname: {{ .Values.name }}\n", left_out.TEMPLATE),
        ("a.yaml", "kind: Job\nname: {{ name }}\n", left_out.TEMPLATE),
        ("a.yaml", "kind: Job\nimage: @@IMAGE@@\n", left_out.TEMPLATE),
        ("a.yaml", "kind: Job\nimage: {PROJECT_ID}/train\n", left_out.TEMPLATE),
        ("a.yaml", "kind: Job\n{% for a in b %}\n  - a: {{ a }}\n{% endfor %}\n", left_out.TEMPLATE),
        ("a.yaml", "{{- if .a }}\nkind: Job\n{{- end }}\n", left_out.TEMPLATE),
        ("a.yaml", f'#@ load("@ytt:data", "data")\n---\n{_JOB}', left_out.TEMPLATE),
        ("a.yaml", f"{_JOB}  name: #@ data.values.name\n", left_out.TEMPLATE),
        ("kustomization.yaml", _RESOURCES, left_out.KUSTOMIZATION),
        ("other.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n", left_out.KUSTOMIZATION),
        ("patch.yaml", "- {op: remove, path: /spec/kind}\n", left_out.PATCH),
        ("patch.yaml", f"$patch: delete\n{_JOB}", left_out.PATCH),
        ("crds/a.yaml", _CRD, left_out.CRD),
        (".github/workflows/a.yml", "on: push\njobs: {kind: {}}\n", left_out.WORKFLOW),
        ("ci.yml", "on: push\njobs: {kind: {}}\n", left_out.WORKFLOW),
        ("values.yaml", "replicas: 3\n", left_out.VALUES),
        ("values/prod.yaml", "replicas: 3\n", left_out.VALUES),
        ("my-values-prod.yaml", "kind: x\n", left_out.VALUES),
        ("mkdocs.yml", "site_name: a\nplugins: !!python/name:a.b\n", left_out.OTHER),
        ("openapi.yaml", "kind: none\npaths: {}\n", left_out.OTHER),
        ("package.json", '{"name": "a"}', left_out.OTHER),
        ("broken.json", '{"kind": [}', left_out.OTHER),
    ],
)
def test_a_file_is_left_out_by_name_place_or_content(tmp_path: Path, name: str, text: str, kind: str) -> None:
    verdict = _walked(tmp_path, {name: text})
    assert _kinds(verdict) == {kind: 1}
    assert (verdict.shown, verdict.objects, verdict.files) == ((), 0, 0)


def test_a_chart_is_left_out_whole(tmp_path: Path) -> None:
    verdict = _walked(
        tmp_path,
        {
            "app/Chart.yaml": "apiVersion: v2\nname: a\n",
            "app/values.yaml": "kind: a\n",
            "app/ci/test-values.yaml": "kind: a\n",
            "app/templates/job.yaml": _JOB,
            "app/templates/_helpers.tpl": "{{ define }}",
            "app/crds/a.yaml": _CRD,
            "job.yaml": _JOB,
        },
    )
    expected = {left_out.CHART: 2, left_out.VALUES: 2, left_out.HELM: 1, left_out.CRD: 1}
    assert (_kinds(verdict), verdict.objects) == (expected, 1)


def test_patches_that_a_kustomization_names_are_left_out(tmp_path: Path) -> None:
    texts = {"o/kustomization.yaml": _PATCHES, "o/size.yaml": _JOB, "o/rest.json": "[]", "o/job.yaml": _JOB}
    verdict = _walked(tmp_path, texts)
    assert (_kinds(verdict), verdict.objects) == ({left_out.KUSTOMIZATION: 1, left_out.PATCH: 2}, 1)


def test_a_patch_that_is_named_alone_is_known_by_the_kustomization_above_it(tmp_path: Path) -> None:
    texts = {"o/kustomization.yaml": _RESOURCES.replace("resources: [", "patches: [{path: p/"), "o/p/job.yaml": _JOB}
    texts["o/kustomization.yaml"] = texts["o/kustomization.yaml"].replace("]", "}]")
    _walked(tmp_path, texts)
    alone = lint(gather([str(tmp_path / "o/p/job.yaml")]), Options())
    assert (_kinds(alone), alone.files) == ({left_out.PATCH: 1}, 0)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("kind: Job\nmetadata: {name: a}\n", id="no version"),
        pytest.param("apiVersion: batch/v1\n\tkind: Job\n", id="a tab"),
        pytest.param('{"apiVersion": "v1", "kind": "Pod"', id="not closed"),
        pytest.param("apiVersion: v1\nkind: Pod\nkind: Job\n", id="a key twice"),
    ],
)
def test_what_was_meant_as_an_object_is_no_other_file(tmp_path: Path, text: str) -> None:
    verdict = _walked(tmp_path, {"a.yaml": text})
    assert (len(verdict.shown), verdict.left_out) == (1, {})


def test_templates_in_the_values_of_an_object_are_its_own(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a.tpl: |\n    {{ if .A }}x{{ end }}\n"
    verdict = _walked(tmp_path, {"a.yaml": text})
    assert (verdict.left_out, verdict.objects) == ({}, 1)


def test_one_line_counts_all_in_every_format() -> None:
    files = [File("a/Chart.yaml", b"a: 1"), File("a/templates/b.yaml", b""), File("a/templates/c.yaml", b"")]
    verdict = lint([*files, File("sound.yaml", OBJECTS.encode())], Options())
    line = "left out: 2 Helm templates, 1 file of a Helm chart"
    assert line in as_text(verdict).splitlines()
    assert f"::notice::{line}" in as_github(verdict).splitlines()
    assert line in json.loads(as_json(verdict))["notes"]
    assert json.loads(as_json(verdict))["leftOut"] == {
        "helm chart file": ["a/Chart.yaml"],
        "helm template": ["a/templates/b.yaml", "a/templates/c.yaml"],
    }
    (invocation,) = json.loads(as_sarif(verdict))["runs"][0]["invocations"]
    assert line in [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]


def test_every_kind_has_its_words() -> None:
    for kind in left_out.KINDS:
        one, two = left_out.summary({kind: ["a"]}), left_out.summary({kind: ["a", "b"]})
        assert one.startswith("left out: 1 ")
        assert two.startswith("left out: 2 ")
        assert one[11:] != two[11:]
    assert left_out.summary({}) == ""


def test_templates_are_told_how_they_are_checked() -> None:
    hint = "to check what Helm and Kustomize make, use --render, or pipe: "
    helm, kustomize = "helm template CHART | tpu lint -", "kustomize build FOLDER | tpu lint -"
    assert left_out.hint({left_out.HELM: ["a"]}) == f"{hint}{helm}"
    assert left_out.hint({left_out.KUSTOMIZATION: ["a"], left_out.PATCH: ["b"]}) == f"{hint}{kustomize}"
    assert left_out.hint({left_out.PATCH: ["b"], left_out.HELM: ["a"]}) == f"{hint}{helm}; {kustomize}"
    assert left_out.hint({left_out.OTHER: ["a"]}) == ""
    built = {left_out.KUSTOMIZATION: ["a"], left_out.RENDERED: ["b"]}
    assert left_out.hint(built) == ""
    assert left_out.hint({left_out.HELM: ["a"], **built}) == f"{hint}{helm}"
    assert lint([File("a/Chart.yaml", b""), File("a/templates/b.yaml", b"")], Options(is_rendered=True)).notes == (
        "left out: 1 Helm template, 1 file of a Helm chart",
    )


def test_files_that_a_program_lists_are_those_of_a_walk(tmp_path: Path) -> None:
    texts = {"tsconfig.json": '{"a": {} /* why */}', "mkdocs.yml": "a: !!python/name:b\n", "job.yaml": _JOB}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    named = [str(tmp_path / name) for name in texts]
    verdict = lint(gather(named), Options(is_together=False))
    assert (_kinds(verdict), verdict.objects) == ({left_out.OTHER: 2}, 1)
    assert {each.sighting.name for each in verdict.shown} == {str(tmp_path / "job.yaml")}
    chosen = lint(gather(named), Options())
    assert [each.sighting.name for each in chosen.shown if each.finding.rule == "file-is-readable"] == named[:2]


def test_a_file_that_is_named_is_left_out_too() -> None:
    verdict = linted("name: {{ .Values.name }}\n", OBJECTS)
    assert (_kinds(verdict), verdict.objects) == ({left_out.TEMPLATE: 1}, 8)

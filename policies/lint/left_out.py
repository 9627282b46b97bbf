"""Files that are not checked as they are: templates, kustomizations, charts, and what is not of Kubernetes.

The name and the folder decide it of most, before anybody reads them; the content of the others.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from components.model.findings import listing
from policies.lint.documents import Document, documents
from policies.lint.files import CHARTS, GIT_IGNORED, KUSTOMIZATIONS, TEMPLATES, File, absolute, is_stack_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from policies.objects.values import Value

HELM: Final = "helm template"
TEMPLATE: Final = "template"
CHART: Final = "helm chart file"
VALUES: Final = "helm values"
KUSTOMIZATION: Final = "kustomization"
PATCH: Final = "kustomize patch"
CRD: Final = "crd"
WORKFLOW: Final = "github workflow"
RENDERED: Final = "rendered"
OTHER: Final = "not kubernetes"
_WORDS: Final = {
    HELM: ("Helm template", "Helm templates"),
    TEMPLATE: ("file of Terraform or a template", "files of Terraform or templates"),
    CHART: ("file of a Helm chart", "files of Helm charts"),
    VALUES: ("values file", "values files"),
    KUSTOMIZATION: ("Kustomize configuration", "Kustomize configurations"),
    PATCH: ("Kustomize patch", "Kustomize patches"),
    CRD: ("CustomResourceDefinition", "CustomResourceDefinitions"),
    WORKFLOW: ("GitHub workflow", "GitHub workflows"),
    RENDERED: ("resource of a built kustomization", "resources of built kustomizations"),
    OTHER: ("file that is not of Kubernetes", "files that are not of Kubernetes"),
    GIT_IGNORED: ("path that git ignores", "paths that git ignores"),
}
KINDS: Final = tuple(_WORDS)
"""Why a file may be left out, in the order in which the summary counts them."""
_KUSTOMIZE: Final = "kustomize build FOLDER | tpu lint -"
_PIPES: Final = {HELM: "helm template CHART | tpu lint -", KUSTOMIZATION: _KUSTOMIZE, PATCH: _KUSTOMIZE}
"""By the kind of the files that a command makes manifests of, how to check these."""
_RESOURCES: Final = ("resources", "bases", "components")
_PATCHES: Final = ("patches", "patchesStrategicMerge", "patchesJson6902")
_PLUGINS: Final = ("generators", "transformers", "validators", "helmCharts", "helmChartInflationGenerator")
_CONFIGURATION: Final = ("configurations", "replacements", "crds", "openapi", *_PLUGINS)
_MARK: Final = re.compile(
    r"\{%.*?%\}|\{#.*?#\}|\{\{|-\}\}|%\{\s*(?:for|if|endfor|endif)\b|@[A-Za-z_]\w*@"
    r"|:[ \t]+\{[A-Z][A-Z0-9]*_[A-Z0-9_]*\}[^\s#,]",
    re.DOTALL,
)
"""Marks of what YAML cannot read: Jinja, Go, Terraform, a value `{PROJECT_ID}/{ZONE}`, which begins as a mapping."""
_YTT_MARK: Final = re.compile(rb"^\s*#@\s*(?:load|def|if|for|data/values|overlay/)|:\s#@\s", re.MULTILINE)
"""Code in comments, without which values are empty."""
_VALUES_NAME: Final = re.compile(r"(?:.*[._-])?values(?:[._-].*)?\.(?:ya?ml|json)")
_WORKFLOW_FOLDER: Final = re.compile(r"(?:^|/)\.github/workflows/[^/]+$")
_SPEAKS_OF_OBJECTS: Final = re.compile(
    rb"apiVersion|kind|selfLink|machineType|currentMasterVersion|fileShares|nodePools|:platform\b"
)
_CHART_FILES: Final = tuple(each.lower() for each in CHARTS)
_NAMES: Final = tuple(each.lower() for each in KUSTOMIZATIONS)


class LeftOut(Struct):
    """The files that were left out, by their kind."""

    files: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, kind: str, name: str) -> None:
        """Count a file."""
        self.files.setdefault(kind, []).append(name)


def summary(files: Mapping[str, Sequence[str]]) -> str:
    """One line for all: how many files of each kind were left out; empty where there are none."""
    parts = [f"{len(files[kind])} {_WORDS[kind][len(files[kind]) != 1]}" for kind in KINDS if kind in files]
    return f"left out: {', '.join(parts)}" if parts else ""


def hint(files: Mapping[str, Sequence[str]]) -> str:
    """A hint on files that a command makes manifests of; empty without such files, or where lint builds them."""
    pipes = dict.fromkeys(
        pipe for kind, pipe in _PIPES.items() if kind in files and (kind == HELM or RENDERED not in files)
    )
    return f"to check what Helm and Kustomize make, use --render, or pipe: {'; '.join(pipes)}" if pipes else ""


class Kustomization(Struct, frozen=True):
    """The names in a `kustomization.yaml`, as absolute paths."""

    resources: tuple[str, ...]
    """Files, and folders of other kustomizations."""
    patches: tuple[str, ...]
    configuration: tuple[str, ...]
    is_simple: bool
    """Whether it can be read, and has no plugin and no address, so that only its paths may lead elsewhere."""


def kustomization_in(file: File, folder: str) -> Kustomization:
    """The names in the file, as paths from `folder`; none where it cannot be read."""
    values = [each.value for each in documents(file) if isinstance(each, Document)]
    stated = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}

    def named(keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(posixpath.normpath(posixpath.join(folder, each)) for each in _paths(stated, keys))

    is_simple = bool(stated) and "://" not in str(stated) and stated.keys().isdisjoint(_PLUGINS)
    return Kustomization(named(_RESOURCES), named(_PATCHES), named(_CONFIGURATION), is_simple)


def _paths(stated: Mapping[str, Value], keys: Iterable[str]) -> Iterator[str]:
    """Paths in lists of text and of mappings with a `path`; a patch may also be written in place."""
    for key in keys:
        value = stated.get(key)
        for each in value if isinstance(value, list) else [value]:
            path = each.get("path") if isinstance(each, dict) else each
            if isinstance(path, str) and "\n" not in path and "://" not in path:
                yield path


class Layout:
    """The charts and kustomizations that the files of a call belong to."""

    def __init__(self, files: Iterable[File]) -> None:
        """Reads the kustomizations, and the names of all others."""
        self.kustomizations: dict[str, Kustomization] = {}
        """By the folder."""
        self.charts = set[str]()
        """Folders."""
        for each in files:
            folder, name = posixpath.split(absolute(each.name))
            if name.lower() in _NAMES and each.content:
                self.kustomizations[folder] = kustomization_in(each, folder)
            elif name.lower() in _CHART_FILES:
                self.charts.add(folder)
        named = self.kustomizations.values()
        self.resources = frozenset(path for each in named for path in each.resources)
        """Files that kustomizations take in, and folders of other kustomizations."""
        self._patches = frozenset(path for each in named for path in each.patches)
        self._configuration = frozenset(path for each in named for path in each.configuration)

    def chart_of(self, path: str) -> str | None:
        """The folder of the innermost chart that a path is in."""
        return next((each for each in _above(path) if each in self.charts), None)

    def kind_of(self, file: File) -> str:
        """Why a file is left out, by its name and place; empty for one that has to be read."""
        path = absolute(file.name)
        name = posixpath.basename(path)
        lower, chart = name.lower(), self.chart_of(path)
        if lower in _NAMES or path in self._configuration:
            return KUSTOMIZATION
        if path in self._patches:
            return PATCH
        if chart is not None and (kind := _in_chart(path.removeprefix(chart).lstrip("/"), lower)):
            return kind
        if _WORKFLOW_FOLDER.search(path):
            return WORKFLOW
        return TEMPLATE if lower.endswith(TEMPLATES) or _is_scaffold(file) else ""


def makes_objects(kind: str, file: File) -> bool:
    """Whether a file that is left out is a template of objects, not one of the files of a repository."""
    return kind in (HELM, TEMPLATE) and not _is_scaffold(file)


def _is_scaffold(file: File) -> bool:
    """Whether the folder is yet to get its name, as those of Cookiecutter."""
    return "{{" in posixpath.dirname(file.name)


def _above(path: str) -> Iterator[str]:
    """The folders around a file, from the inside; the root of the file system is none."""
    folder = posixpath.dirname(path)
    while folder != "/":
        yield folder
        folder = posixpath.dirname(folder)


def _in_chart(path: str, name: str) -> str:
    """The kind of a file of a chart, by its path in the chart; empty for one that has to be read."""
    if name in (*_CHART_FILES, "chart.lock", "requirements.yaml", "values.schema.json") or name.endswith(".tpl"):
        return CHART
    if path.startswith("templates/"):
        return HELM
    return VALUES if _VALUES_NAME.fullmatch(name) else ""


def is_silent(file: File) -> bool:
    """Whether a file that nobody named has no word of what lint checks, so that it need not be read as YAML."""
    if is_stack_name(posixpath.basename(file.name)) or not file.content.strip():
        return False
    return _SPEAKS_OF_OBJECTS.search(file.content.replace(b"\0", b"")) is None


def kind_of_silent(file: File) -> str:
    """Why a file without an object is left out."""
    path = file.name.lower()
    is_values = _VALUES_NAME.fullmatch(posixpath.basename(path)) or "/values/" in f"/{path}"
    return VALUES if is_values else OTHER


def is_template(text: str) -> bool:
    """Whether another program has to fill in a text that is not YAML."""
    return _MARK.search(text) is not None


def kind_of_template(file: File) -> str:
    """The kind of a template in a folder of templates, or of one that is YAML itself; empty for all other files."""
    if b"#@" in file.content and _YTT_MARK.search(file.content):
        return TEMPLATE
    is_in_templates = "/templates/" in f"/{file.name.lower()}"
    return TEMPLATE if is_in_templates and is_template(file.content.decode(errors="replace")) else ""


def kind_of_values(values: Sequence[Value], content: bytes) -> str:
    """Why a file is left out whose documents have these values; empty where they may be objects."""
    of_each = {_kind_of_value(each) for each in values}
    kind = of_each.pop() if len(of_each) == 1 else ""
    return PATCH if not kind and b"$patch" in content and any(_has_directive(each, 8) for each in values) else kind


def _kind_of_value(value: Value) -> str:
    if isinstance(value, list):
        is_patch = bool(value) and all(isinstance(each, dict) and {"op", "path"} <= each.keys() for each in value)
        return PATCH if is_patch else ""
    if not isinstance(value, dict):
        return ""
    if value.get("kind") == "CustomResourceDefinition":
        return CRD
    if str(value.get("apiVersion")).startswith("kustomize.config.k8s.io/"):
        return KUSTOMIZATION
    return WORKFLOW if "jobs" in value and "on" in value and "kind" not in value else ""


def _has_directive(value: Value, depth: int) -> bool:
    """Whether a strategic merge patch says what to do with what it names."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    is_here = isinstance(value, dict) and "$patch" in value
    return is_here or (depth > 0 and any(_has_directive(each, depth - 1) for each in inner))


def names(some: Sequence[str], count: int) -> str:
    """The names in a line, and how many of `count` are not among them."""
    return listing([*some, *([f"{count - len(some)} more"] if count > len(some) else [])])

"""The settings file of a repository, `.tpu-lint.yaml`: the nearest one in the folder of a file, or above it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import yaml
from msgspec import Struct

from components.model.findings import Severity, did_you_mean, listing
from components.model.stack_file.yaml_nodes import entries
from policies.lint.documents import Document, documents
from policies.lint.files import read
from policies.lint.ignores import UnknownRuleError, ignore_of
from policies.lint.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.lint.ignores import Ignore

FILE_NAME: Final = ".tpu-lint.yaml"
RELEASES: Final = {"kueue": "0.19", "jobset": "0.12", "gke": "1.34"}
"""Keys that say which release is meant, each with an example."""
_LEVELS: Final = ("severity", "fail_on")
_KEYS: Final = ("ignore", *_LEVELS, *RELEASES)
_RELEASE: Final = re.compile(r"\d{1,9}\.\d{1,9}(\.\d{1,9}(-gke\.\d{1,9})?)?")


class ProjectFile(Struct, frozen=True, kw_only=True):
    """What a settings file states."""

    name: str
    ignores: tuple[Ignore, ...] = ()
    levels: Mapping[str, str]
    """The severities `severity` and `fail_on`, where stated."""
    releases: Mapping[str, str]
    """As they are written, such as `0.19`."""


def nearest(folder: Path) -> Path | None:
    """The settings file of a folder."""
    paths = (each / FILE_NAME for each in (folder, *folder.parents))
    return next((path for path in paths if path.is_file()), None)


def project_file(path: Path) -> ProjectFile:
    """The settings that a file states.

    Raises:
        UnreadableError: the file cannot be read.
        SettingsError: a key or a value is not valid; the text names its line.
    """
    return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)

    def read(self) -> ProjectFile:
        stated = self._entries()
        for key, (node, _) in stated.items():
            if key not in _KEYS:
                self._refuse(node, f"unknown key {key}. {did_you_mean(key, _KEYS)}Keys: {listing(_KEYS)}")
        return ProjectFile(
            name=self._name,
            ignores=self._ignores(stated["ignore"][1]) if "ignore" in stated else (),
            levels={key: self._severity(stated[key][1]) for key in _LEVELS if key in stated},
            releases={key: self._release(key, stated[key][1]) for key in RELEASES if key in stated},
        )

    def _entries(self) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        found = list(documents(read(str(self._path))))
        for each in found:
            if not isinstance(each, Document):
                span = each.text.fault
                line = "" if span is None else f":{span.line + 1}"
                raise SettingsError(f"{self._name}{line}: {each.problem}")
        roots = [each.text.root for each in found if isinstance(each, Document)]
        if not roots:
            return {}
        if len(roots) > 1 or not isinstance(roots[0], yaml.MappingNode):
            raise SettingsError(f"{self._name}: write one mapping. Keys: {listing(_KEYS)}")
        return {key.value: (key, value) for key, value in entries(roots[0])}

    def _refuse(self, node: yaml.Node, problem: str) -> NoReturn:
        raise SettingsError(f"{self._name}:{node.start_mark.line + 1}: {problem}")

    def _text(self, node: yaml.Node, example: str) -> str:
        """A scalar as it is written: 0.20 is not 0.2."""
        if not isinstance(node, yaml.ScalarNode):
            self._refuse(node, f"write {example}")
        return str(node.value)

    def _ignores(self, node: yaml.Node) -> tuple[Ignore, ...]:
        if not isinstance(node, yaml.SequenceNode):
            self._refuse(node, "write a list of RULE or RULE:PATH")
        return tuple(self._ignore(each) for each in node.value)

    def _ignore(self, node: yaml.Node) -> Ignore:
        text = self._text(node, "RULE or RULE:PATH")
        where = f"{self._name}:{node.start_mark.line + 1}"
        try:
            return ignore_of(text, self._path.parent, where)
        except UnknownRuleError as error:
            self._refuse(node, str(error))

    def _severity(self, node: yaml.Node) -> str:
        known = [each.value for each in Severity]
        text = self._text(node, listing(known, "or"))
        if text not in known:
            self._refuse(node, f"{text} is not a severity. {did_you_mean(text, known)}Write {listing(known, 'or')}")
        return text

    def _release(self, key: str, node: yaml.Node) -> str:
        text = self._text(node, f"a release, such as {RELEASES[key]}")
        if _RELEASE.fullmatch(text) is None:
            self._refuse(node, f"{text} is not a release. Write one such as {RELEASES[key]}")
        return text

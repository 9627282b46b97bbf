"""The findings that are shown, and those that fail: flags, and settings files of repositories.

A settings file, `.tpu-lint.yaml`, is the nearest one in the folder of a file, or above it.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import yaml
from msgspec import Struct, field

from components.model.findings import Severity, counted, did_you_mean, listing
from components.model.stack_file.yaml_nodes import entries
from policies.lint.accepted import (
    Ignore,
    Ignores,
    UnknownRuleError,
    comments_in,
    gone_from_baseline,
    ignore_of,
    known_in_baseline,
    not_in_baseline,
    write_baseline,
)
from policies.lint.documents import Document, documents
from policies.lint.files import STANDARD_INPUT, File, absolute, read
from policies.lint.left_out import RENDERED
from policies.lint.settings import SettingsError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from policies.lint.linting import Linted, Shown

FILE_NAME: Final = ".tpu-lint.yaml"
RELEASES: Final = {"kueue": "0.19", "jobset": "0.12", "gke": "1.34"}
"""Keys that say which release is meant, each with an example."""
_LEVELS: Final = ("severity", "fail_on")
_KEYS: Final = ("ignore", *_LEVELS, *RELEASES)
_RELEASE: Final = re.compile(r"\d{1,9}\.\d{1,9}(\.\d{1,9}(-gke\.\d{1,9})?)?")


class ProjectFile(Struct, frozen=True, kw_only=True):
    """The settings of a file."""

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


class ReportOptions(Struct, frozen=True, kw_only=True):
    """The findings that are shown, and those that make the command fail."""

    ignores: tuple[Ignore, ...] = ()
    severity: Severity = Severity.WARNING
    """The least severe findings that are shown."""
    fail_on: Severity = Severity.ERROR
    """The least severe findings that make the command fail."""
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The releases that settings files name, by controller."""
    baseline: str = ""
    written: str = ""
    """The baseline to write."""
    folders: tuple[Path, ...] = ()
    """The folders that are checked: an ignore for all of one that meets nothing is not needed."""

    def applied(self, linted: Linted, files: Sequence[File]) -> Linted:
        """The part of the verdict that is shown, with notes on the rest.

        Raises:
            UnreadableError: a baseline cannot be read or written.
            SettingsError: the baseline is not one.
        """
        unread = {name for kind, names in linted.left_out.items() if kind != RENDERED for name in names}
        checked = [each for each in files if not each.is_neighbour and each.name not in unread]
        stated = list(comments_in(checked))
        notes = [each for each in stated if isinstance(each, str)]
        ignores = Ignores((*self.ignores, *(each for each in stated if isinstance(each, Ignore))))
        shown = [each for each in linted.shown if not ignores.cover(each)]
        ignored = len(linted.shown) - len(shown)
        notes += [f"ignored {counted(ignored, 'finding')}"] if ignored else []
        notes += [self._unused(ignores, [each.name for each in checked])]
        shown, of_baseline = self._new(shown, [each.name for each in files])
        visible = [each for each in shown if each.finding.severity in self._shown]
        notes += [*of_baseline, self._less(len(shown) - len(visible))]
        return dataclasses.replace(
            linted,
            shown=tuple(visible),
            notes=(*linted.notes, *(each for each in notes if each)),
            hidden=len(linted.shown) - len(visible),
        )

    def fails(self, linted: Linted) -> bool:
        """Whether a finding is as severe as those that make the command fail."""
        return any(each.severity in self.fail_on.reach for each in linted.findings)

    @property
    def _shown(self) -> tuple[Severity, ...]:
        return max(self.severity.reach, self.fail_on.reach, key=len)

    def _less(self, count: int) -> str:
        least = tuple(Severity)[-1]
        return (
            f"{counted(count, 'finding')} below {self._shown[-1].value} not shown; --severity {least.value} shows all"
            if count
            else ""
        )

    def _unused(self, ignores: Ignores, files: list[str]) -> str:
        met = [each for each in ignores.unused if self._is_whole(each.folder) or _is_met(each, files)]
        return f"unused ignores: {', '.join(f'{each.rule} ({each.where})' for each in met)}" if met else ""

    def _is_whole(self, folder: Path | None) -> bool:
        """Whether everything below the folder of an ignore is checked."""
        return folder is not None and any(folder.is_relative_to(each) for each in self.folders)

    def _new(self, shown: list[Shown], files: list[str]) -> tuple[list[Shown], list[str]]:
        """The findings that no baseline has, and notes."""
        notes: list[str] = []
        if self.baseline:
            known, before = known_in_baseline(self.baseline), len(shown)
            shown = not_in_baseline(shown, known, self.baseline)
            count = before - len(shown)
            notes += [f"{counted(count, 'finding')} of {self.baseline} not shown"] if count else []
            notes.append(gone_from_baseline(known, files, self.baseline))
        if self.written:
            kept = [each for each in shown if each.finding.severity in self._shown]
            write_baseline(self.written, kept)
            notes.append(
                f"wrote {counted(len(kept), 'finding')} to {self.written}; --baseline {self.written} hides them"
            )
            shown = [each for each in shown if each.finding.severity not in self._shown]
        return shown, notes


def _is_met(each: Ignore, files: Iterable[str]) -> bool:
    """Whether it is about these files: a settings file without a path is about many that are not checked now."""
    if each.file:
        return True  # whose comment it is
    is_narrow = bool(each.glob) or not each.where.rpartition(":")[0].endswith(FILE_NAME)
    return is_narrow and any(each.covers_file(name) for name in files)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    levels = [each.value for each in Severity]
    parser.add_argument(
        "--severity", choices=levels, help="least severe findings to show (default: warning, or the settings file's)"
    )
    parser.add_argument("--fail-on", choices=levels, help="least severe findings that exit with 1 (default: error)")
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="RULE[:PATH]",
        help="leave out the findings of a rule, in all files or in those of a path such as samples/*",
    )
    parser.add_argument("--baseline", default="", metavar="FILE", help="leave out the findings that the file lists")
    parser.add_argument(
        "--write-baseline", default="", metavar="FILE", help="write the findings of today to the file, and succeed"
    )


def report_options_of(options: argparse.Namespace) -> ReportOptions:
    """The options of the command line and of the settings files of its files.

    Raises:
        UnreadableError: a settings file cannot be read.
        SettingsError: a flag or a settings file is not valid, or two settings files disagree.
    """
    here = Path.cwd()
    try:
        ignores = [ignore_of(each, here, "--ignore") for each in options.ignore]
    except UnknownRuleError as error:
        raise SettingsError(f"--ignore: {error}") from error
    found = _project_files(options.files)
    stated = {
        **{key: Severity(value) for key, value in _agreed([(each, each.levels) for each in found]).items()},
        **{key: Severity(value) for key in ("severity", "fail_on") if (value := getattr(options, key)) is not None},
    }
    return ReportOptions(
        ignores=(*ignores, *(each for file in found for each in file.ignores)),
        releases=_agreed([(each, each.releases) for each in found]),
        baseline=options.baseline,
        written=options.write_baseline,
        folders=tuple(path for each in options.files if (path := Path(absolute(each))).is_dir()),
        **stated,
    )


def _project_files(names: Iterable[str]) -> list[ProjectFile]:
    """The settings file of each file, once."""
    folders = dict.fromkeys(_folder_of(name) for name in names)
    paths = dict.fromkeys(path for folder in folders if (path := nearest(folder)) is not None)
    return [project_file(path) for path in paths]


def _folder_of(name: str) -> Path:
    if name == STANDARD_INPUT:
        return Path.cwd()
    path = Path(absolute(name))
    return path if path.is_dir() else path.parent


def _agreed(stated: Iterable[tuple[ProjectFile, Mapping[str, str]]]) -> dict[str, str]:
    """The values that settings files state for the whole call.

    Raises:
        SettingsError: two of them state different values.
    """
    found: dict[str, tuple[str, str]] = {}
    for file, values in stated:
        for key, value in values.items():
            other, name = found.setdefault(key, (value, file.name))
            if other != value:
                raise SettingsError(
                    f"{file.name} states {key}: {value}, and {name} {key}: {other}. Check their files in two calls"
                )
    return {key: value for key, (value, _) in found.items()}

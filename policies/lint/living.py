"""What of a verdict is shown, and what fails: ignores, settings files, the baseline and severities."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from components.model.findings import Severity, counted
from policies.lint import baseline
from policies.lint.files import STANDARD_INPUT, Paths
from policies.lint.ignores import Ignore, Ignores, UnknownRuleError, comments_in, ignore_of
from policies.lint.left_out import RENDERED
from policies.lint.project_file import FILE_NAME, nearest, project_file
from policies.lint.settings import SettingsError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from policies.lint.files import File
    from policies.lint.linting import Linted, Shown
    from policies.lint.project_file import ProjectFile


class Living(Struct, frozen=True, kw_only=True):
    """How a repository lives with lint."""

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
        """What of the verdict is shown, with notes on the rest.

        Raises:
            UnreadableError: a baseline cannot be read or written.
            SettingsError: the baseline is not one.
        """
        paths = Paths()
        unread = {name for kind, names in linted.left_out.items() if kind != RENDERED for name in names}
        checked = [each for each in files if not each.is_neighbour and each.name not in unread]
        stated = list(comments_in(checked))
        notes = [each for each in stated if isinstance(each, str)]
        ignores = Ignores((*self.ignores, *(each for each in stated if isinstance(each, Ignore))), paths)
        shown = [each for each in linted.shown if not ignores.cover(each)]
        ignored = len(linted.shown) - len(shown)
        notes += [f"ignored {counted(ignored, 'finding')}"] if ignored else []
        notes += [self._unused(ignores, [each.name for each in checked], paths)]
        shown, of_baseline = self._new(shown, [each.name for each in files], paths)
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

    def _unused(self, ignores: Ignores, files: list[str], paths: Paths) -> str:
        met = [each for each in ignores.unused if self._is_whole(each.folder) or _is_met(each, files, paths)]
        return f"unused ignores: {', '.join(f'{each.rule} ({each.where})' for each in met)}" if met else ""

    def _is_whole(self, folder: Path | None) -> bool:
        """Whether everything below the folder of an ignore is checked."""
        return folder is not None and any(folder.is_relative_to(each) for each in self.folders)

    def _new(self, shown: list[Shown], files: list[str], paths: Paths) -> tuple[list[Shown], list[str]]:
        """The findings that no baseline has, and notes."""
        notes: list[str] = []
        if self.baseline:
            known, before = baseline.known_in(self.baseline), len(shown)
            shown = baseline.new(shown, known, paths[self.baseline].parent, paths)
            count = before - len(shown)
            notes += [f"{counted(count, 'finding')} of {self.baseline} not shown"] if count else []
            notes.append(baseline.gone(known, files, self.baseline, paths))
        if self.written:
            kept = [each for each in shown if each.finding.severity in self._shown]
            baseline.write(self.written, kept, paths)
            notes.append(
                f"wrote {counted(len(kept), 'finding')} to {self.written}; --baseline {self.written} hides them"
            )
            shown = [each for each in shown if each.finding.severity not in self._shown]
        return shown, notes


def _is_met(each: Ignore, files: Iterable[str], paths: Paths) -> bool:
    """Whether it is about these files: a settings file without a path is about many that are not checked now."""
    if each.file:
        return True  # whose comment it is
    is_narrow = bool(each.glob) or not each.where.rpartition(":")[0].endswith(FILE_NAME)
    return is_narrow and any(each.covers_file(name, paths) for name in files)


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


def living_of(options: argparse.Namespace) -> Living:
    """What the command line and the settings files of its files state.

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
    return Living(
        ignores=(*ignores, *(each for file in found for each in file.ignores)),
        releases=_agreed([(each, each.releases) for each in found]),
        baseline=options.baseline,
        written=options.write_baseline,
        folders=tuple(path for each in options.files if (path := Path(each).resolve()).is_dir()),
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
    path = Path(name).resolve()
    return path if path.is_dir() else path.parent


def _agreed(stated: Iterable[tuple[ProjectFile, Mapping[str, str]]]) -> dict[str, str]:
    """What settings files state for the whole call.

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

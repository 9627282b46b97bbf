"""What lint says of the repositories in `tests/corpus`, beside what an expert wrote into their `labels.yaml`.

An entry of a file is a list of mistakes, or a mapping: `left_out` (why the file is not applied as it is), `unknown`
(paths of placeholders), `findings` (mistakes), `group`. A mistake has `at` (kind and name) or `document`, `path`,
`severity`, `because`, `planted`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from components.model.findings import Severity
from policies.lint.files import GIT_IGNORED, gather
from policies.lint.left_out import OTHER
from policies.lint.linting import Linted, Options, Shown, lint

CORPUS: Final = Path(__file__).parent.parent / "corpus"
_LABELS: Final = "labels.yaml"
_NEAR: Final = 6
"""Steps that a finding may be away from where the expert points, in the same object: as far as another container."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """An error that the expert sees."""

    repository: str
    file: str
    at: str
    path: str
    because: str

    def is_meant_by(self, shown: Shown, file: str) -> bool:
        """Whether a finding is about it; of a mistake across two files, also at the other end."""
        kind, _, name = self.at.partition("/")
        if file != self.file:
            return bool(name) and f" {name} " in f" {re.sub(r'[.,;:]', ' ', shown.finding.says)} "
        if not self.at:
            return True
        object_kind, _, object_name = shown.label.partition(" ")
        if (object_kind, object_name.rpartition("/")[2]) not in {(kind, name), (f"a {kind}", "")}:
            return not shown.label
        wanted, found = _steps(self.path), _steps(shown.sighting.path.removeprefix(shown.label).removeprefix(": "))
        pairs = zip(wanted, found, strict=False)
        shared = next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(wanted), len(found)))
        return shared >= min(len(wanted), len(found)) - _NEAR


@dataclass(slots=True)
class Measured:
    """What was right and what was not, over the whole corpus."""

    right: int = 0
    wrong: list[tuple[str, Shown]] = field(default_factory=list[tuple[str, "Shown"]])
    """With the repository."""
    found: list[Mistake] = field(default_factory=list[Mistake])
    missed: list[Mistake] = field(default_factory=list[Mistake])
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How many files the expert leaves out for a reason, and lint for another; empty where one does not."""
    misplaced: list[str] = field(default_factory=list[str])
    """Files that only one of the two leaves out."""
    unknown: list[str] = field(default_factory=list[str])
    """Errors that stand at a placeholder."""

    @property
    def precision(self) -> float:
        """The share of errors that are right."""
        return self.right / (self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of the expert's errors that lint finds."""
        return len(self.found) / (len(self.found) + len(self.missed))

    def lines(self) -> list[str]:
        """The figures, and the rules that are wrong most often."""
        wrong = Counter(shown.finding.rule for _, shown in self.wrong)
        rules = ", ".join(
            f"{rule} {count}" for rule, count in sorted(wrong.items(), key=lambda each: (-each[1], each[0]))
        )
        errors, mistakes = self.right + len(self.wrong), len(self.found) + len(self.missed)
        return [
            f"corpus: {self.right} of {errors} errors are right ({self.precision:.1%})",
            f"corpus: {len(self.found)} of {mistakes} planted mistakes are found ({self.recall:.1%})",
            f"wrong, by rule: {rules or 'none'}",
        ]


@cache
def measured() -> Measured:
    """Lint over each repository by itself, as a user would run it: the folder and nothing else."""
    result = Measured()
    for folder in sorted(path.parent for path in CORPUS.glob(f"*/{_LABELS}")):
        labels: Any = yaml.safe_load((folder / _LABELS).read_text(encoding="utf-8"))
        files = [each for each in gather([str(folder)]) if Path(each.name).name != _LABELS]
        _compare(folder, labels, lint(files, Options()), result)
    return result


def _compare(folder: Path, labels: Any, verdict: Linted, result: Measured) -> None:  # noqa: ANN401  as YAML has it
    entries: dict[str, Any] = {
        name: {"findings": each} if isinstance(each, list) else each for name, each in labels.items()
    }
    errors = [
        (os.path.relpath(each.sighting.name, folder), each)
        for each in verdict.shown
        if each.finding.severity is Severity.ERROR
    ]
    mistakes = [
        Mistake(folder.name, name, str(each.get("at") or ""), str(each.get("path") or ""), each["because"])
        for name, entry in entries.items()
        for each in _listed(entry)
        if each["severity"] == "error"
    ]
    for mistake in mistakes:
        is_found = any(mistake.is_meant_by(shown, file) for file, shown in errors)
        (result.found if is_found else result.missed).append(mistake)
    for file, shown in errors:
        if any(mistake.is_meant_by(shown, file) for mistake in mistakes):
            result.right += 1
        else:
            result.wrong.append((folder.name, shown))
        path = shown.sighting.path.removeprefix(shown.label).removeprefix(": ")
        if path and path in entries.get(file, {}).get("unknown", ()):
            result.unknown.append(f"{folder.name}/{file} {shown.finding.rule} {path}")
    _compare_left_out(folder, entries, verdict, result)


def _compare_left_out(folder: Path, entries: dict[str, Any], verdict: Linted, result: Measured) -> None:
    """Files whose names lint does not look at are left out too."""
    told = {os.path.relpath(name, folder): kind for kind, names in verdict.left_out.items() for name in names}
    ignored = tuple(f"{name}/" for name, kind in told.items() if kind == GIT_IGNORED)
    for name, entry in entries.items():
        wanted = entry.get("left_out", "")
        found = told.get(name) or (GIT_IGNORED if name.startswith(ignored) else "")
        result.kinds[wanted, found] += 1
        is_read = name.lower().endswith((".yaml", ".yml", ".json"))
        if bool(wanted) != bool(found) and is_read and wanted not in (OTHER, GIT_IGNORED):
            result.misplaced.append(f"{folder.name}/{name}: {wanted or 'checked'}, and lint says {found or 'checked'}")


def _listed(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return entry.get("findings") or []


def _steps(path: str) -> list[str]:
    return [each for each in re.split(r"[.\[\]]", path) if each]

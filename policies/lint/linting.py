"""All files of one call, checked together: queues in one of them meet the pools of another."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.model.findings import counted, listing
from components.model.secret_forms import RULE as SECRET_RULE
from components.model.stack_file.report import Sighting, visible
from components.model.stack_file.yaml_nodes import YamlTextError
from components.model.stack_file.yaml_text import YamlText
from policies.lint.documents import Defect, Document, documents
from policies.lint.findings import READABLE, breach, place_in
from policies.lint.recognising import Recognised, Source, is_stack
from policies.objects.judging import Settings
from policies.objects.undecided import doubts
from policies.objects.world import World
from policies.rules import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.findings import Finding
    from policies.lint.files import File
    from policies.objects.judging import NotChecked

_REMEDY: Final = "Write it as YAML or JSON in UTF-8, each key once."
_LONGEST: Final = 1000
"""Characters of a message; values of strangers can be of any length."""

_LISTED: Final = 10
"""Documents that are named one by one."""


class SeveralClustersError(Exception):
    """The files describe several clusters, and nobody said which of them is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to check."""

    settings: Settings = field(default_factory=Settings)
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The releases that are meant, by controller; `gke` is the version of clusters and nodes that state none."""
    project: str | None = None
    """The Pulumi project of stack files; None for what the files themselves tell."""
    cluster: str | None = None
    """The one cluster whose objects of Google Cloud are checked, by name or path."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding and where it is shown."""

    finding: Finding
    sighting: Sighting
    label: str
    """Kind and name of the object; empty in a stack file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Rules that could not be decided, for one reason."""

    rules: tuple[str, ...]
    reason: str
    sighting: Sighting | None
    """The value for which they could not; None where other objects are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """The verdict over all files."""

    shown: tuple[Shown, ...]
    """In the order of the files and their lines."""
    doubts: tuple[Doubt, ...]
    notes: tuple[str, ...]
    """What was left out, and why."""
    hidden: int = 0
    """Findings that somebody accepts or does not ask for (`living.py`)."""
    objects: int
    """How many were checked, a stack file among them as one."""
    files: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong."""
        return tuple(each.finding for each in self.shown)


def lint(files: Iterable[File], options: Options) -> Linted:
    """The verdict over the files.

    Raises:
        SeveralClustersError: they describe several clusters, and `options` names none of them.
    """
    bench, rank = _Bench(options), dict[str, int]()
    for file in files:
        rank.setdefault(file.name, len(rank))
        bench.take(file)
    bench.choose_cluster()
    world = World(bench.recognised.objects, releases=bench.releases())
    verdict = judge(world, options.settings)
    shown = [*bench.shown, *(bench.show(each) for each in (*bench.recognised.findings, *verdict.findings))]
    return Linted(
        shown=tuple(sorted(dict.fromkeys(_without_secrets(shown)), key=lambda each: _order(each, rank))),
        doubts=bench.doubts(verdict.not_checked),
        notes=bench.notes(),
        objects=len(world.objects) + bench.stacks,
        files=len(rank),
    )


def _order(each: Shown, rank: dict[str, int]) -> tuple[int, int, int, str, str, str]:
    sighting, span = each.sighting, each.sighting.span
    line, column = (0, 0) if span is None else (span.line, span.start)
    return rank.get(sighting.name, len(rank)), line, column, sighting.path, each.finding.rule, each.finding.says


def _without_secrets(shown: Iterable[Shown]) -> Iterator[Shown]:
    """The findings, without lines on which one of them is a secret."""
    every = tuple(shown)
    secret = {_line(each) for each in every if each.finding.rule == SECRET_RULE}
    for each in every:
        is_shown = each.sighting.span is None or _line(each) not in secret
        yield each if is_shown else dataclasses.replace(each, sighting=dataclasses.replace(each.sighting, line=""))


def _line(each: Shown) -> tuple[str, int | None]:
    span = each.sighting.span
    return each.sighting.name, None if span is None else span.line


class _Bench:
    """What was read so far."""

    def __init__(self, options: Options) -> None:
        self.recognised = Recognised()
        self.shown: list[Shown] = []
        self.stacks = 0
        self._releases = dict[str, set[str]]()
        self._empty: list[str] = []
        """Files without an object."""
        self._options = options
        self._left_out = 0

    def take(self, file: File) -> None:
        """Read one file."""
        found = list(documents(file))
        whole = [each for each in found if isinstance(each, Document)]
        if is_stack(file, whole):
            self._take_stack(file)
            return
        is_empty = True
        for each in found:
            if isinstance(each, Document):
                is_empty &= not self.recognised.take(each)
            else:
                is_empty = False
                self._take_defect(each)
        if is_empty:
            self._empty.append(visible(file.name)[:_LONGEST])

    def _take_defect(self, defect: Defect) -> None:
        self.recognised.sources[defect.origin] = Source(text=defect.text)
        self.recognised.findings.append(breach(READABLE, place_in(defect.origin), f"{defect.problem}.", _REMEDY))

    def _take_stack(self, file: File) -> None:
        # What reads a whole platform takes longer to load than a thousand manifests to judge.
        from components.model.stack_file.reading import read  # noqa: PLC0415
        from policies.lint.stacks import given  # noqa: PLC0415

        try:
            reading = read(given(file, self._options.project))
        except YamlTextError as error:
            self._take_defect(Defect(file.name, YamlText(file.name, (), None, error.span), error.problem))
            return
        self.stacks += 1
        controllers = None if reading.declared is None else reading.declared.controllers
        for release in () if controllers is None else (controllers.jobset, controllers.kueue):
            if release is not None:
                self._releases.setdefault(release.name, set()).add(release.version)
        for finding, sighting in (*reading.findings, *reading.advice):
            # A path stands for a file that is not at hand; here it is.
            named = sighting if sighting.span is not None else dataclasses.replace(sighting, name=file.name)
            self.shown.append(Shown(_tamed(finding), named, ""))

    def releases(self) -> dict[str, str]:
        """The releases of controllers that the stack files install, where they agree; else those that are meant."""
        agreed = {name: next(iter(found)) for name, found in self._releases.items() if len(found) == 1}
        return {**self._options.releases, **agreed}

    def choose_cluster(self) -> None:
        """Leave out what belongs to other clusters.

        Raises:
            SeveralClustersError: there are several, and none was named; or none has the name.
        """
        wanted, names = self._options.cluster, sorted(set(self.recognised.clusters.values()))
        chosen = [name for name in names if wanted in (None, name, name.rpartition("/")[2])]
        if len(chosen) > 1 or (wanted is not None and names and not chosen):
            found = f"no cluster {wanted}" if not chosen else "several clusters"
            raise SeveralClustersError(f"{found} in these files; choose one with --cluster: {', '.join(names)}")
        keep = [each for each in self.recognised.objects if self._cluster_of(each.place.origin) in (None, *chosen)]
        self._left_out = len(self.recognised.objects) - len(keep)
        self.recognised.objects = keep

    def _cluster_of(self, origin: str) -> str | None:
        return self.recognised.clusters.get(origin)

    def show(self, finding: Finding) -> Shown:
        """The finding where its object stands."""
        source = self.recognised.sources.get(finding.place.origin)
        if source is None:
            return Shown(_tamed(finding), Sighting(name="", path=visible(str(finding.place)), span=None), "")
        keys = finding.place.keys if source.message is None else source.message.back(finding.place.keys)
        span = source.text.span((*source.path, *keys), is_about_key=finding.is_about_key)
        path = str(dataclasses.replace(finding.place, keys=keys, aliases=()))
        label = visible(source.label)[:_LONGEST]
        sighting = Sighting(
            name=source.text.name,
            path=": ".join(each for each in (label, visible(path)[:_LONGEST]) if each),
            span=span,
            line=source.text.line(span),
        )
        return Shown(_tamed(finding), sighting, label)

    def doubts(self, found: Iterable[NotChecked]) -> tuple[Doubt, ...]:
        """Rules that were not decided, by the reason."""
        return tuple(
            Doubt(
                rules=each.rules,
                reason=visible(each.reason)[:_LONGEST],
                sighting=None if each.place is None else self.show(breach(READABLE, each.place, "", "")).sighting,
            )
            for each in doubts(found)
        )

    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        seen, unknown = self.recognised, self.recognised.unknown
        kinds = ", ".join(f"{visible(kind)[:_LONGEST]} ({unknown[kind]})" for kind in sorted(unknown))
        others = [self.show(breach(READABLE, place_in(each), "", "")).sighting.where for each in seen.other[:_LISTED]]
        more = [f"{len(seen.other) - _LISTED} more"] if len(seen.other) > _LISTED else []
        files = listing([*others, *more])
        owned = "its owner is" if seen.made == 1 else "their owners are"
        made, left_out = counted(seen.made, "object"), counted(self._left_out, "object")
        notes = (
            f"no object found in {listing(self._empty)}" if self._empty else "",
            f"skipped, because no rule knows the kind: {kinds}" if kinds else "",
            f"skipped, because it is not a Kubernetes object, node pool, cluster, share or stack file: {files}"
            if others
            else "",
            f"skipped {made}: {owned} checked" if seen.made else "",
            f"skipped fields of gcloud's output: {listing(sorted(seen.untranslated))}" if seen.untranslated else "",
            f"skipped {left_out} of another cluster" if self._left_out else "",
        )
        return tuple(note for note in notes if note)


def _tamed(finding: Finding) -> Finding:
    """The finding with words that a terminal may be shown; most are."""
    says, remedy = visible(finding.says)[:_LONGEST], visible(finding.remedy)[:_LONGEST]
    is_tame = says == finding.says and remedy == finding.remedy
    return finding if is_tame else dataclasses.replace(finding, says=says, remedy=remedy)

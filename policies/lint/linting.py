"""All files of one call, group by group: within a group, queues of one file meet the pools of another."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from components.model.findings import counted, listing
from components.model.secret_forms import RULE as SECRET_RULE
from components.model.stack_file.report import Sighting, visible
from components.model.stack_file.yaml_nodes import YamlTextError
from components.model.stack_file.yaml_text import YamlText
from policies.lint import left_out, placeholders
from policies.lint.documents import Defect, Document, documents
from policies.lint.findings import READABLE, breach, place_in
from policies.lint.grouping import KUSTOMIZATION, group, groups_of, units
from policies.lint.recognising import Recognised, Source, is_empty, is_stack, may_be_objects
from policies.lint.repeated import repeated
from policies.lint.templating import template_in
from policies.objects.judging import Settings
from policies.objects.undecided import doubts
from policies.objects.values import PLACEHOLDER, Unknown
from policies.objects.world import World
from policies.rules import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.findings import Finding
    from components.model.places import Place
    from policies.lint.files import File
    from policies.lint.grouping import Unit
    from policies.objects.judging import NotChecked
    from policies.objects.values import Value
    from policies.objects.world import Object

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
    project: str | None = None
    """The Pulumi project of stack files; None for what the files themselves tell."""
    cluster: str | None = None
    """The one cluster whose objects of Google Cloud are checked, by name or path."""
    is_together: bool | None = None
    """Whether all files are one group; None where that is so unless a folder was walked."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of placeholders, by their names."""


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
    objects: int
    """How many were checked, a stack file among them as one."""
    files: int
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Files that were not checked, by the kind that `left_out.py` names."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong."""
        return tuple(each.finding for each in self.shown)


def lint(files: Iterable[File], options: Options) -> Linted:
    """The verdict over the files.

    Raises:
        SeveralClustersError: they describe several clusters, and `options` names none of them.
    """
    every, rank = tuple(files), dict[str, int]()
    bench = _Bench(options, left_out.Layout(every))
    given = tuple(each for each in every if not each.is_neighbour)
    for file in given:
        rank.setdefault(file.name, len(rank))
        bench.take(file)
    found, not_checked = bench.judge(given)
    shown = [*bench.shown, *(bench.show(each) for each in (*bench.recognised.findings, *found))]
    return Linted(
        shown=tuple(sorted(dict.fromkeys(_without_secrets(shown)), key=lambda each: _order(each, rank))),
        doubts=bench.doubts(not_checked),
        notes=bench.notes(),
        objects=len(bench.recognised.objects) + bench.stacks,
        files=bench.files,
        left_out={kind: tuple(names) for kind, names in bench.left_out.files.items()},
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

    def __init__(self, options: Options, layout: left_out.Layout) -> None:
        self.recognised = Recognised()
        self.shown: list[Shown] = []
        self.stacks = 0
        self.files = 0
        """How many were read."""
        self.left_out = left_out.LeftOut()
        self._layout = layout
        self._objects = dict[str, list["Object"]]()
        """Of each file."""
        self._releases = dict[str, set[str]]()
        self._empty: list[str] = []
        """Files without an object."""
        self._unread: list[str] = []
        self._options = options
        self._of_origin = dict[str, "Object"]()
        """The objects that are checked."""
        self._elsewhere = 0
        """Objects of other clusters."""

    def take(self, file: File) -> None:
        """Read one file."""
        if file.problem:
            self._unread.append(f"{visible(file.name)} ({file.problem})")
            return
        kind = file.left_out or self._layout.kind_of(file) or left_out.kind_of_template(file)
        if not kind and file.is_walked and left_out.is_silent(file):
            kind = left_out.kind_of_silent(file)
        if not kind:
            kind = self._read(_with_values(file, self._options.values))
        if kind:
            self.left_out.add(kind, visible(file.name)[:_LONGEST])
        else:
            self.files += 1

    def _read(self, file: File) -> str:
        """Read the documents of a file; if it is left out, why."""
        found = list(documents(file))
        whole = [each for each in found if isinstance(each, Document)]
        if is_stack(file, whole):
            self._take_stack(file)
            return ""
        kind = _kind_by_content(file, whole, has_defect=len(whole) < len(found))
        if kind:
            return kind
        before, has_nothing = len(self.recognised.objects), len(whole) == len(found)
        for each in _filled(whole, file):
            has_nothing &= not self.recognised.take(each)
        for each in found:
            if isinstance(each, Defect):
                self._take_defect(each)
        self._objects[file.name] = self.recognised.objects[before:]
        if has_nothing:
            self._empty.append(visible(file.name)[:_LONGEST])
        return ""

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
        for finding, sighting in reading.findings:
            # A path stands for a file that is not at hand; here it is.
            named = sighting if sighting.span is not None else dataclasses.replace(sighting, name=file.name)
            self.shown.append(Shown(_tamed(finding), named, ""))

    def releases(self) -> dict[str, str]:
        """The releases of controllers that the stack files install, where they agree."""
        return {name: next(iter(found)) for name, found in self._releases.items() if len(found) == 1}

    def judge(self, files: tuple[File, ...]) -> tuple[list[Finding], list[NotChecked]]:
        """What is wrong, and what could not be checked, in each group of the files.

        Raises:
            SeveralClustersError: a group describes several clusters, and none was named; or none has the name.
        """
        found = [finding for each in self._objects.values() for finding in repeated(each, self.recognised)]
        not_checked: list[NotChecked] = []
        kept = self._of_origin
        for name, members in self._groups(files).items():
            objects = self._of_one_cluster([each for file in members for each in self._objects.get(file, ())])
            kept.update((each.place.origin, each) for each in objects)
            if name.startswith(KUSTOMIZATION):
                found += repeated(objects, self.recognised)
            verdicts = self._judged(self._units(objects))
            found += verdicts[0]
            not_checked += verdicts[1]
        self._elsewhere = len(self.recognised.objects) - len(kept)
        self.recognised.objects = list(kept.values())
        return found, not_checked

    def _groups(self, files: tuple[File, ...]) -> dict[str, list[str]]:
        """The names of the files of each group; listings of a cluster that somebody named are in each."""
        is_together, has_folder = self._options.is_together, any(each.is_walked for each in files)
        if is_together or (is_together is None and not has_folder):
            return {"": [each.name for each in files]}
        named = [each.name for each in files if has_folder and not each.is_walked]
        shared = [name for name in named if self._is_listing(name)]
        groups = dict[str, list[str]]()
        for name, of_file in groups_of(self._layout, files).items():
            for each in of_file if name in self._objects and name not in shared else ():
                groups.setdefault(each, []).append(name)
        return {name: [*members, *shared] for name, members in groups.items()} or {"": shared}

    def _is_listing(self, name: str) -> bool:
        objects = self._objects.get(name, ())
        return bool(objects) and all(each.kind.type_ for each in objects)

    def _units(self, objects: list[Object]) -> list[Unit]:
        of_file = dict[str, list["Object"]]()
        for each in objects:
            of_file.setdefault(self.recognised.sources[each.place.origin].text.name, []).append(each)
        return [unit for each in of_file.values() for unit in units(each, self.recognised.identities)]

    def _judged(self, found: list[Unit]) -> tuple[list[Finding], list[NotChecked]]:
        """The verdict over a group: what is wrong of an object is wrong in each world that has it."""
        worlds = group(found)
        verdicts = [judge(World(each, releases=self.releases()), self._options.settings) for each in worlds]
        not_checked = [each for verdict in verdicts for each in verdict.not_checked]
        found_here = [each for verdict in verdicts for each in verdict.findings if not self._is_blank(each)]
        if len(worlds) == 1:
            return found_here, not_checked
        times = Counter(found_here)
        present = Counter(each.place.origin for world in worlds for each in world)
        return [each for each in times if times[each] >= present[each.place.origin]], not_checked

    def _is_blank(self, finding: Finding) -> bool:
        """Whether it is about a value that nobody knows, such as the name that a rule read as it is written."""
        each = self._of_origin.get(finding.place.origin)
        value: Value = None if each is None else dict(each.value)
        for key in finding.place.keys:
            if isinstance(value, dict):
                value = value.get(str(key))
            elif isinstance(value, list) and isinstance(key, int):
                value = value[key] if key < len(value) else None
        return isinstance(value, Unknown)

    def _of_one_cluster(self, objects: list[Object]) -> list[Object]:
        """Without what belongs to other clusters.

        Raises:
            SeveralClustersError: there are several, and none was named; or none has the name.
        """
        of_origin, wanted = self.recognised.clusters, self._options.cluster
        names = sorted({name for each in objects if (name := of_origin.get(each.place.origin)) is not None})
        chosen = [name for name in names if wanted in (None, name, name.rpartition("/")[2])]
        if len(chosen) > 1 or (wanted is not None and names and not chosen):
            found = f"no cluster {wanted}" if not chosen else "several clusters"
            raise SeveralClustersError(f"{found} in these files; choose one with --cluster: {', '.join(names)}")
        return [each for each in objects if of_origin.get(each.place.origin) in (None, *chosen)]

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
        """Rules that were not decided, by the reason; all placeholders are one."""
        every = doubts(found)
        blanks = [each for each in every if each.reason == PLACEHOLDER and each.place is not None]
        told = [
            Doubt(
                rules=each.rules,
                reason=visible(each.reason)[:_LONGEST],
                sighting=None if each.place is None else self._sighted(each.place),
            )
            for each in every
            if each not in blanks
        ]
        if blanks:
            first = self._sighted(blanks[0].place) if blanks[0].place is not None else None
            more = f", and {len(blanks) - 1} more are" if len(blanks) > 1 else ""
            reason = f"{PLACEHOLDER}{more}; give values with --set NAME=value"
            rules = tuple(sorted({rule for each in blanks for rule in each.rules}))
            told.append(Doubt(rules=rules, reason=reason, sighting=first))
        return tuple(told)

    def _sighted(self, place: Place) -> Sighting:
        return self.show(breach(READABLE, place, "", "")).sighting

    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        seen, unknown = self.recognised, self.recognised.unknown
        kinds = ", ".join(f"{visible(kind)[:_LONGEST]} ({unknown[kind]})" for kind in sorted(unknown))
        others = left_out.names([self._sighted(place_in(each)).where for each in seen.other[:_LISTED]], len(seen.other))
        owned = "its owner is" if seen.made == 1 else "their owners are"
        made, elsewhere = counted(seen.made, "object"), counted(self._elsewhere, "object")
        notes = (
            f"not read: {left_out.names(self._unread, len(self._unread))}" if self._unread else "",
            left_out.summary(self.left_out.files),
            left_out.hint(self.left_out.files),
            f"no object found in {left_out.names(self._empty[:_LISTED], len(self._empty))}" if self._empty else "",
            f"skipped, because no rule knows the kind: {kinds}" if kinds else "",
            f"skipped, because it is not a Kubernetes object, node pool, cluster, share or stack file: {others}"
            if seen.other
            else "",
            f"skipped {made}: {owned} checked" if seen.made else "",
            f"skipped fields of gcloud's output: {listing(sorted(seen.untranslated))}" if seen.untranslated else "",
            f"skipped {elsewhere} of another cluster" if self._elsewhere else "",
        )
        return tuple(note for note in notes if note)


def _with_values(file: File, values: Mapping[str, str]) -> File:
    """The file with the values that the call states for its placeholders; one that is not UTF-8 stays as it is."""
    try:
        text = file.content.decode() if values else ""
    except UnicodeDecodeError:
        return file
    return dataclasses.replace(file, content=placeholders.stated(text, values).encode()) if values else file


def _filled(whole: list[Document], file: File) -> list[Document]:
    """The documents with unknown values for placeholders."""
    if not whole or not placeholders.may_have_some(file.content.decode(errors="replace")):
        return whole
    return [dataclasses.replace(each, value=placeholders.filled(each.value)) for each in whole]


def _kind_by_content(file: File, whole: list[Document], *, has_defect: bool) -> str:
    """Why a file is left out, by what is in it; empty for one that is checked."""
    if has_defect:
        kind = template_in(file.content.decode(errors="replace"))
        is_other = not kind and file.is_walked and b"apiVersion" not in file.content.replace(b"\0", b"")
        return left_out.OTHER if is_other else kind
    kind = left_out.kind_of_values([each.value for each in whole], file.content)
    has_content = not all(is_empty(each.value) for each in whole)
    if kind or not has_content or any(may_be_objects(each) for each in whole):
        return kind
    return left_out.kind_of_silent(file)


def _tamed(finding: Finding) -> Finding:
    """The finding with words that a terminal may be shown; most are."""
    says, remedy = visible(finding.says)[:_LONGEST], visible(finding.remedy)[:_LONGEST]
    is_tame = says == finding.says and remedy == finding.remedy
    return finding if is_tame else dataclasses.replace(finding, says=says, remedy=remedy)

"""The verdict over all files of one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.findings import Finding, counted, listing
from components.model.stack_file.report import Sighting, visible
from policies.lint import left_out
from policies.lint.findings import LONGEST, READABLE, Shown, breach, once, order, place_in, show, without_secrets
from policies.lint.left_out import Layout
from policies.lint.reading import Reading
from policies.lint.settings import Options
from policies.lint.worlds import SeveralClustersError, Worlds
from policies.objects.judging import NotChecked, doubts
from policies.objects.values import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.places import Place
    from policies.lint.files import File
    from policies.lint.recognising import Source

__all__ = ("Doubt", "Linted", "Options", "SeveralClustersError", "Shown", "lint")

_LISTED: Final = 10
"""Documents that are named one by one."""


class Doubt(Struct, frozen=True, kw_only=True):
    """Rules that could not be decided, for one reason."""

    rules: tuple[str, ...]
    reason: str
    sighting: Sighting | None
    """The value for which they could not; None where other objects are missing."""
    lacks: tuple[str, ...] = ()
    """The kinds of these objects, as people call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """The verdict over all files."""

    shown: tuple[Shown, ...]
    """In the order of the files and their lines."""
    doubts: tuple[Doubt, ...]
    notes: tuple[str, ...]
    """Everything that was left out, and why."""
    hidden: int = 0
    """Findings that somebody accepts or does not ask for (`report_options.py`)."""
    objects: int
    """The number of objects that were checked, a stack file among them as one."""
    skipped: int = 0
    """Objects of kinds that no rule knows."""
    elsewhere: tuple[str, ...] = ()
    """Kinds that a folder lacks and another one has; empty where all files are checked together."""
    files: int
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Files that were not checked, by the kind that `left_out.py` names."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings without their places."""
        return tuple(each.finding for each in self.shown)


def lint(files: Iterable[File], options: Options) -> Linted:
    """The verdict over the files.

    Raises:
        SeveralClustersError: they describe several clusters, and `options` names none of them.
    """
    every, rank = tuple(files), dict[str, int]()
    read = Reading(options, Layout(every))
    given = tuple(each for each in every if not each.is_neighbour)
    for file in given:
        rank.setdefault(file.name, len(rank))
        read.take(file)
    worlds = Worlds(read, options)
    found, not_checked = worlds.judge(given)
    sources = read.recognised.sources
    undecided = _doubts(not_checked, sources, is_grouped=worlds.is_grouped)
    shown = [*read.shown, *(show(each, sources) for each in (*read.recognised.findings, *found))]
    return Linted(
        shown=tuple(sorted(once(without_secrets(shown)), key=lambda each: order(each, rank))),
        doubts=undecided,
        notes=_notes(read, worlds, is_rendered=options.is_rendered),
        objects=len(read.recognised.objects) + read.stacks,
        skipped=read.recognised.unknown.total(),
        elsewhere=_elsewhere(undecided, read) if worlds.is_grouped else (),
        files=read.files,
        left_out={kind: tuple(names) for kind, names in read.left_out.files.items()},
    )


def _elsewhere(undecided: Iterable[Doubt], read: Reading) -> tuple[str, ...]:
    """The kinds that doubts lack, and that some object of the call has, as people call them."""
    there = {each.kind.section for each in read.recognised.objects}
    return tuple(dict.fromkeys(kind for each in undecided for kind in each.lacks if kind in there))


def _doubts(not_checked: Iterable[NotChecked], sources: Mapping[str, Source], *, is_grouped: bool) -> tuple[Doubt, ...]:
    """Rules that were not decided, by the reason; all placeholders are one."""
    every = doubts(not_checked, is_grouped=is_grouped)
    blanks = [each for each in every if each.reason == PLACEHOLDER and each.place is not None]
    found = [
        Doubt(
            rules=each.rules,
            reason=visible(each.reason)[:LONGEST],
            sighting=None if each.place is None else _sighted(each.place, sources),
            lacks=each.lacks,
        )
        for each in every
        if each.reason != PLACEHOLDER or each.place is None
    ]
    if blanks:
        first = _sighted(blanks[0].place, sources) if blanks[0].place is not None else None
        more = f", and {len(blanks) - 1} more are" if len(blanks) > 1 else ""
        reason = f"{PLACEHOLDER}{more}; give values with --set NAME=value"
        rules = tuple(sorted({rule for each in blanks for rule in each.rules}))
        found.append(Doubt(rules=rules, reason=reason, sighting=first))
    return tuple(found)


def _sighted(place: Place, sources: Mapping[str, Source]) -> Sighting:
    return show(breach(READABLE, place, "", ""), sources).sighting


def _notes(read: Reading, worlds: Worlds, *, is_rendered: bool) -> tuple[str, ...]:
    """Everything that was left out, a line for each reason."""
    seen, unknown = read.recognised, read.recognised.unknown
    kinds = ", ".join(f"{visible(kind)[:LONGEST]} ({unknown[kind]})" for kind in sorted(unknown))
    others = left_out.names(
        [_sighted(place_in(each), seen.sources).where for each in seen.other[:_LISTED]], len(seen.other)
    )
    made, elsewhere = counted(seen.made, "object"), counted(worlds.elsewhere, "object")
    unbuilt = counted(len(worlds.unbuilt), "file")
    notes = (
        f"not read: {left_out.names(read.unread, len(read.unread))}" if read.unread else "",
        left_out.summary(read.left_out.files),
        f"checked object by object, because the kustomization is not built: {unbuilt}" if worlds.unbuilt else "",
        "" if is_rendered else left_out.hint(read.left_out.files),
        f"no object found in {left_out.names(read.empty[:_LISTED], len(read.empty))}" if read.empty else "",
        f"skipped, because no rule knows the kind: {kinds}" if kinds else "",
        f"skipped, because it is not a Kubernetes object, node pool, cluster, share or stack file: {others}"
        if seen.other
        else "",
        f"skipped {made} that controllers made" if seen.made else "",
        f"skipped fields of gcloud's output: {listing(sorted(seen.untranslated))}" if seen.untranslated else "",
        f"skipped {elsewhere} of another cluster" if worlds.elsewhere else "",
    )
    return tuple(note for note in notes if note)

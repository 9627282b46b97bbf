"""Judges the objects of a call, group by group."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from policies.lint.across import Across
from policies.lint.beside import Beside
from policies.lint.grouping import KUSTOMIZATION, group, groups_of, units
from policies.lint.kustomizations import namespaces
from policies.lint.left_out import absolute
from policies.lint.misspelled import without_consequences
from policies.lint.namespaces import placed
from policies.lint.repeated import repeated
from policies.objects.values import Unknown
from policies.objects.world import World
from policies.rules import judge_each, judge_together

if TYPE_CHECKING:
    from components.model.findings import Finding
    from policies.lint.files import File
    from policies.lint.grouping import Unit
    from policies.lint.options import Options
    from policies.lint.reading import Reading
    from policies.objects.judging import NotChecked
    from policies.objects.values import Value
    from policies.objects.world import Object


class SeveralClustersError(Exception):
    """The files describe several clusters, and nobody said which of them is meant."""


class Worlds:
    """The objects that were read, each in the groups that it belongs to."""

    def __init__(self, read: Reading, options: Options) -> None:
        self.elsewhere = 0
        """Objects of other clusters."""
        self.is_grouped = False
        """Whether there are several groups, each checked for itself."""
        self._read = read
        self._recognised = read.recognised
        self._objects = read.objects
        self._options = options
        self._releases = read.releases()
        self._of_origin = dict[str, "Object"]()
        """The objects that are checked."""

    def judge(self, files: tuple[File, ...]) -> tuple[list[Finding], list[NotChecked]]:
        """What is wrong, and what could not be checked, in each group of the files.

        Raises:
            SeveralClustersError: a group describes several clusters, and none was named; or none has the name.
        """
        found = [finding for each in self._objects.values() for finding in repeated(each, self._recognised)]
        not_checked: list[NotChecked] = []
        kept, across = self._of_origin, Across(files, self._objects, self._read.layout)
        groups = dict[str, list["Object"]]()
        for name, members in self._groups(files).items():
            groups[name], homeless = placed(self._members(name, members), self._file_of)
            found += homeless
        self.is_grouped = len(groups) > 1
        beside = Beside(groups, self._releases)
        for name, objects in groups.items():
            kept.update((each.place.origin, each) for each in objects)
            if name.startswith(KUSTOMIZATION):
                found += repeated(objects, self._recognised)
            verdicts = self._judged(self._units(objects))
            found += beside.confirmed(name, verdicts[0], self._options.settings)
            not_checked += verdicts[1]
            across.add(objects)
        whole = across.world(self._releases)
        if whole is not None:
            verdict = judge_together(whole, self._options.settings)
            found += [each for each in verdict.findings if across.is_of_a_run(each) and not self._is_blank(each)]
            not_checked = [each for each in not_checked if not across.is_decided(each)]
        self.elsewhere = len(self._recognised.objects) - len(kept)
        self._recognised.objects = list(kept.values())
        each_alone = judge_each(World(kept.values(), releases=self._releases), self._options.settings)
        found += [each for each in each_alone.findings if not self._is_blank(each)]
        return without_consequences(found, kept), [*each_alone.not_checked, *not_checked]

    def _groups(self, files: tuple[File, ...]) -> dict[str, list[str]]:
        """The names of the files of each group; listings of a cluster that somebody named are in each."""
        is_together, has_folder = self._options.is_together, any(each.is_walked for each in files)
        if is_together or (is_together is None and not has_folder):
            return {"": [each.name for each in files]}
        named = [each.name for each in files if has_folder and not each.is_walked]
        shared = [name for name in named if self._is_listing(name)]
        groups = dict[str, list[str]]()
        for name, of_file in groups_of(self._read.layout, files).items():
            for each in of_file if name in self._objects and name not in shared else ():
                groups.setdefault(each, []).append(name)
        if not groups:
            groups[""] = []
        return {name: [*members, *shared] for name, members in groups.items()}

    def _members(self, name: str, files: list[str]) -> list[Object]:
        """The objects of a group, each in the namespace that a kustomization puts it into.

        Raises:
            SeveralClustersError: they are of several clusters, and none was named; or none has the name.
        """
        known, folder = self._read.layout.kustomizations, name.removeprefix(f"{KUSTOMIZATION} ")
        into = namespaces(folder, known) if folder != name else {}
        own = ((into.get(absolute(file), ""), each) for file in files for each in self._objects.get(file, ()))
        return self._of_one_cluster([_moved(each, namespace) for namespace, each in own])

    def _is_listing(self, name: str) -> bool:
        objects = self._objects.get(name, ())
        return bool(objects) and all(each.kind.type_ for each in objects)

    def _units(self, objects: list[Object]) -> list[Unit]:
        of_file = dict[str, list["Object"]]()
        for each in objects:
            of_file.setdefault(self._file_of(each), []).append(each)
        return [unit for each in of_file.values() for unit in units(each, self._recognised.identities)]

    def _file_of(self, each: Object) -> str:
        return self._recognised.sources[each.place.origin].text.name

    def _judged(self, found: list[Unit]) -> tuple[list[Finding], list[NotChecked]]:
        """The verdict over a group: what is wrong of an object is wrong in each world that has it."""
        worlds, settings = group(found), self._options.settings
        verdicts = [judge_together(World(each, releases=self._releases), settings) for each in worlds]
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
        of_origin, wanted = self._recognised.clusters, self._options.cluster
        names = sorted({name for each in objects if (name := of_origin.get(each.place.origin)) is not None})
        chosen = [name for name in names if wanted in (None, name, name.rpartition("/")[2])]
        if len(chosen) > 1 or (wanted is not None and names and not chosen):
            found = f"no cluster {wanted}" if not chosen else "several clusters"
            raise SeveralClustersError(f"{found} in these files; choose one with --cluster: {', '.join(names)}")
        return [each for each in objects if of_origin.get(each.place.origin) in (None, *chosen)]


def _moved(each: Object, namespace: str) -> Object:
    """The object in another namespace, where it is in one at all."""
    return dataclasses.replace(each, namespace=namespace, derived={}) if namespace and each.namespace else each

"""The objects of a call, judged folder by folder: each folder is a world of its own, unless all files are one.

A folder may declare an object twice with different values, as examples for two machine types do. Then each declaration
is judged with the rest of the folder; what is wrong of an object has to be wrong with each. What a kustomization
combines is judged as `rendering.py` built it; files of one that is not built are judged one object at a time.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections import Counter
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, nearest
from policies.lint.files import File, absolute
from policies.lint.findings import HOME, ONCE, breach, place_in, value_at
from policies.lint.shared_queues import SharedQueues
from policies.objects.ownership import queue_name
from policies.objects.values import MalformedError, UndecidedError, Unknown
from policies.objects.world import Object, World
from policies.rules import judge_each, judge_together
from policies.rules.api import UNKNOWN_FIELD

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from policies.lint.reading import Reading
    from policies.lint.recognising import Identity, Recognised
    from policies.lint.settings import Options
    from policies.objects.judging import NotChecked

_DEFAULT: Final = "default"
_CONTEXT: Final = 1_000
"""Objects of a folder that are judged again beside other declarations of the same names, and as many as it has."""
_Parent = tuple[str, tuple[str | int, ...]]
"""The origin of an object, and the keys that lead to a mapping in it."""


class SeveralClustersError(Exception):
    """The files describe several clusters, and nobody said which of them is meant."""


class Worlds:
    """The objects that were read, by folder."""

    def __init__(self, read: Reading, options: Options) -> None:
        self.elsewhere = 0
        """Objects of other clusters."""
        self.is_grouped = False
        """Whether there are several folders, each checked for itself."""
        self.unbuilt: list[str] = []
        """Files of kustomizations that are not built."""
        self._read = read
        self._recognised = read.recognised
        self._objects = read.objects
        self._options = options
        self._releases = read.releases()
        self._checked = dict[str, "Object"]()
        """The objects that are checked, by origin."""

    def judge(self, files: tuple[File, ...]) -> tuple[list[Finding], list[NotChecked]]:
        """The findings in each folder of the files, and the rules that could not be checked.

        Raises:
            SeveralClustersError: a folder describes several clusters, and none was named; or none has the name.
        """
        found = [finding for each in self._objects.values() for finding in repeated(each, self._recognised)]
        not_checked: list[NotChecked] = []
        folders = dict[str, list["Object"]]()
        members_of, self.unbuilt = self._folders(files)
        for name, members in members_of.items():
            every = self._of_one_cluster([each for file in members for each in self._objects.get(file, ())])
            folders[name], homeless = placed(every, self._file_of)
            found += homeless
        self.is_grouped = bool(self.unbuilt) or len(folders) > 1
        alone = [each for file in self.unbuilt for each in self._objects[file]]
        kept, shared = self._checked, SharedQueues(folders, alone, self._read.templates, self._releases)
        kept.update((each.place.origin, each) for each in alone)
        for name, objects in folders.items():
            kept.update((each.place.origin, each) for each in objects)
            findings, doubts = self._judged(objects)
            found += shared.confirmed(name, findings, self._options.settings)
            not_checked += doubts
        found += [each for each in shared.findings(self._options.settings) if not self._is_blank(each)]
        not_checked = [each for each in not_checked if not shared.is_decided(each)]
        self.elsewhere = len(self._recognised.objects) - len(kept)
        self._recognised.objects = list(kept.values())
        each_alone = judge_each(World(kept.values(), releases=self._releases), self._options.settings)
        found += [each for each in each_alone.findings if not self._is_blank(each)]
        return without_consequences(found, kept), [*each_alone.not_checked, *not_checked]

    def _folders(self, files: tuple[File, ...]) -> tuple[dict[str, list[str]], list[str]]:
        """The names of the files of each folder, and those of the kustomizations that are not built.

        Listings of a cluster that somebody named are in each folder.
        """
        is_together, has_folder = self._options.is_together, any(each.is_walked for each in files)
        if is_together or (is_together is None and not has_folder):
            return {"": [each.name for each in files]}, []
        shared = [each.name for each in files if has_folder and not each.is_walked and self._is_listing(each.name)]
        folders, unbuilt = dict[str, list[str]](), list[str]()
        for each in files:
            path = absolute(each.name)
            if each.name not in self._objects or each.name in shared:
                continue
            if path in self._read.layout.resources:
                unbuilt.append(each.name)
            else:
                folders.setdefault(posixpath.dirname(path), []).append(each.name)
        if not folders:
            folders[""] = []
        return {name: [*members, *shared] for name, members in folders.items()}, unbuilt

    def _is_listing(self, name: str) -> bool:
        objects = self._objects.get(name, ())
        return bool(objects) and all(each.kind.type_ for each in objects)

    def _file_of(self, each: Object) -> str:
        return self._recognised.sources[each.place.origin].text.name

    def _judged(self, objects: Sequence[Object]) -> tuple[list[Finding], list[NotChecked]]:
        """The verdict over a folder: what is wrong of an object is wrong in each world that has it."""
        worlds, settings = list(worlds_of(objects, self._recognised.identities)), self._options.settings
        verdicts = [judge_together(World(each, releases=self._releases), settings) for each in worlds]
        not_checked = [each for verdict in verdicts for each in verdict.not_checked]
        times = Counter(each for verdict in verdicts for each in verdict.findings if not self._is_blank(each))
        present = Counter(each.place.origin for world in worlds for each in world)
        return [each for each in times if times[each] >= present[each.place.origin]], not_checked

    def _is_blank(self, finding: Finding) -> bool:
        """Whether it is about a value that nobody knows, such as the name that a rule read as it is written."""
        each = self._checked.get(finding.place.origin)
        return each is not None and isinstance(value_at(each.value, finding.place.keys), Unknown)

    def _of_one_cluster(self, objects: list[Object]) -> list[Object]:
        """Without what belongs to other clusters.

        Raises:
            SeveralClustersError: there are several, and none was named; or none has the name.
        """
        cluster_of_origin, wanted = self._recognised.clusters, self._options.cluster
        names = sorted({name for each in objects if (name := cluster_of_origin.get(each.place.origin)) is not None})
        chosen = [name for name in names if wanted in (None, name, name.rpartition("/")[2])]
        if len(chosen) > 1 or (wanted is not None and names and not chosen):
            found = f"no cluster {wanted}" if not chosen else "several clusters"
            raise SeveralClustersError(f"{found} in these files; choose one with --cluster: {', '.join(names)}")
        return [each for each in objects if cluster_of_origin.get(each.place.origin) in (None, *chosen)]


def worlds_of(objects: Iterable[Object], identities: Mapping[str, Identity]) -> Iterator[tuple[Object, ...]]:
    """The worlds of a folder, where no name is twice: the first declarations, and the others beside them.

    `identities` are by origin; an object without one is in the first world, and in those beside it.
    """
    layers, times = [dict[object, "Object"]()], Counter[object]()
    for each in objects:
        key = identities.get(each.place.origin, each.place.origin)
        if times[key] == len(layers):
            layers.append({})
        layers[times[key]][key] = each
        times[key] += 1
    left = _CONTEXT + times.total()
    for number, layer in enumerate(layers):
        beside = layers[0] if number and left > 0 else {}
        left -= len(beside)
        yield tuple({**beside, **layer}.values())


def repeated(objects: Iterable[Object], seen: Recognised) -> Iterator[Finding]:
    """A finding for each object of a file whose name another one of it has, with other values."""
    first = dict["Identity", "Object"]()
    for each in objects:
        origin = each.place.origin
        identity = seen.identities.get(origin)
        if identity is None:
            continue
        before = first.setdefault(identity, each)
        if before is each or before.value == each.value:
            continue
        where = seen.sources[before.place.origin]
        span = where.text.span(where.path, is_about_key=False)
        line = "" if span is None else f":{span.line + 1}"
        yield breach(
            ONCE,
            place_in(origin),
            f"{where.text.name}{line} declares it too, with other values.",
            "Remove one of them, or give it another name.",
        )


def placed(objects: Collection[Object], file_of: Callable[[Object], str]) -> tuple[list[Object], list[Finding]]:
    """The objects of files without a namespace in that of the one queue of their workloads, and a warning about each.

    Such files are applied with `kubectl -n`, or their workloads wait for ever.
    """
    homes = dict[str, set[str]]()
    for each in objects:
        if each.kind is kinds.LOCAL_QUEUE and each.name:
            homes.setdefault(each.name, set()).add(each.namespace if _states_namespace(each) else "")
    homeless = [(each, home) for each in objects if each.kind in kinds.QUEUED_KINDS and (home := _home(each, homes))]
    into = dict[str, set[str]]()
    for each, home in homeless:
        into.setdefault(file_of(each), set()).add(home)
    only = {file: next(iter(found)) for file, found in into.items() if len(found) == 1}
    return [_moved(each, only.get(file_of(each), "")) for each in objects], [
        breach(
            HOME,
            each.place.at("metadata", "namespace"),
            f"the only queue {queue_name(each)} here is in {home}.",
            f"State namespace: {home}, or apply it with -n {home}.",
        )
        for each, home in homeless
        if file_of(each) in only
    ]


def _home(run: Object, homes: Mapping[str, Collection[str]]) -> str:
    """The one namespace that has the queue of a run which states none; empty where there is no such namespace."""
    try:
        queue = None if _states_namespace(run) else queue_name(run)
    except (UndecidedError, MalformedError):
        return ""
    found = homes.get(queue, ()) if queue is not None else ()
    return next(iter(found)) if len(found) == 1 and run.namespace not in found else ""


def _states_namespace(each: Object) -> bool:
    metadata = each.value.get("metadata")
    return each.namespace != _DEFAULT or (isinstance(metadata, dict) and "namespace" in metadata)


def _moved(each: Object, namespace: str) -> Object:
    return (
        dataclasses.replace(each, namespace=namespace, derived={})
        if namespace and not _states_namespace(each)
        else each
    )


def without_consequences(found: Iterable[Finding], objects: Mapping[str, Object]) -> list[Finding]:
    """The findings without those about a key that is not stated, because an unknown key beside it was meant as it.

    With `restartpolicy` corrected, restartPolicy is no longer missing. `objects` are by their origin.
    """
    every = list(found)
    unknown = dict[_Parent, list[str]]()
    for each in every:
        if each.rule == UNKNOWN_FIELD and each.is_about_key:
            unknown.setdefault(_parent(each), []).append(str(each.place.keys[-1]))
    return [each for each in every if not _is_explained(each, unknown, objects)] if unknown else every


def _parent(finding: Finding) -> _Parent:
    return finding.place.origin, finding.place.keys[:-1]


def _is_explained(finding: Finding, unknown: Mapping[_Parent, list[str]], objects: Mapping[str, Object]) -> bool:
    keys, each = finding.place.keys, objects.get(finding.place.origin)
    if not keys or each is None or finding.rule == UNKNOWN_FIELD or each.has(*keys):
        return False
    return any(nearest(word, [str(keys[-1])]) for word in unknown.get(_parent(finding), ()))

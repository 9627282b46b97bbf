"""The effects of Kueue's own configuration: which resources it counts, and which kinds of runs it manages.

The configuration is a text of YAML: among the values of Kueue's chart, or in the ConfigMap that the chart, or whoever
installs Kueue without it, makes of it. Without one, everything is counted, and every kind managed.
Source: Kueue 0.16.2 and 0.19.2, apis/config/v1beta2 and pkg/workload/workload.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct, field

from components.model.facts import kinds, versions
from components.model.facts.apis.fields import parse_minor
from components.model.stack_file.yaml_nodes import PLAIN, YamlTextError, compose
from components.model.stack_file.yaml_scalars import resolve_for_kubernetes
from components.model.stack_file.yaml_values import Values
from policies.objects.releases import chart_of, installed
from policies.objects.values import MalformedError, Part, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import yaml

    from components.model.facts.quantities import Quantity
    from components.model.places import Key
    from policies.objects.world import Object, World

JOB: Final = "batch/job"
JOBSET: Final = "jobset.x-k8s.io/jobset"
FRAMEWORKS: Final = {
    kinds.JOB: JOB,
    kinds.CRON_JOB: JOB,
    kinds.JOBSET: JOBSET,
    kinds.LEADER_WORKER_SET: "leaderworkerset.x-k8s.io/leaderworkerset",
    kinds.RAY_CLUSTER: "ray.io/raycluster",
    kinds.RAY_JOB: "ray.io/rayjob",
}
"""The configuration's name of each kind of workload."""
CARRIERS: Final = (kinds.RELEASE, kinds.CONFIG_MAP)
"""The kinds that may contain a configuration."""
GATES: Final = "featureGates"
"""Where it says which feature gates are open."""
_GROUP: Final = "config.kueue.x-k8s.io/"
_VALUE: Final = ("values", "managerConfig", "controllerManagerConfigYaml")
_FILE: Final = ("data", "controller_manager_config.yaml")
_REPLACE: Final = "Replace"
_IGNORING: Final = "IgnoreUndeclared"
_ROUNDING: Final = "0.16"
"""The last minor release whose patch releases all round."""


class _Transformation(Struct, frozen=True):
    """The resources that replace a resource, or are added to it."""

    is_kept: bool
    outputs: Mapping[str, Quantity]
    """For each unit of it."""
    multiplied_by: str | None


class Counting(Struct, frozen=True):
    """The requests of pods as Kueue counts them."""

    excluded: tuple[str, ...] = ()
    """Beginnings of names of resources that it leaves aside."""
    transformed: Mapping[str, _Transformation] = field(default_factory=dict[str, _Transformation])
    is_rounding: bool = False
    """Whether amounts are rounded up to whole units before they are transformed, and kept amounts multiplied too, as in
    0.16. Later releases do neither from some correction on."""
    ignores_undeclared: bool = False
    """Whether it ignores resources for which a queue has no quota, instead of never admitting workloads that request
    them."""

    def names(self, resource: str) -> tuple[str, ...]:
        """The resources that it counts where pods ask for one.

        >>> Counting(excluded=("example.com/",)).names("example.com/licence"), Counting().names("cpu")
        ((), ('cpu',))
        """
        if resource.startswith(self.excluded):
            return ()
        change = self.transformed.get(resource)
        if change is None:
            return (resource,)
        return (*((resource,) if change.is_kept else ()), *change.outputs)

    def counted(self, requests: Mapping[str, Quantity]) -> dict[str, Quantity]:
        """The amounts that it counts of the requests of one pod."""
        asked = {name: amount for name, amount in requests.items() if not name.startswith(self.excluded)}
        found: dict[str, Quantity] = {}
        for name, amount in asked.items():
            for counted, more in self._made_of(name, amount, asked):
                found[counted] = more if counted not in found else found[counted].plus(more)
        return found

    def _made_of(self, name: str, amount: Quantity, asked: Mapping[str, Quantity]) -> Iterator[tuple[str, Quantity]]:
        change = self.transformed.get(name)
        if change is None:
            yield name, amount
            return
        factor = asked.get("" if change.multiplied_by is None else change.multiplied_by)
        total = amount if factor is None else amount.multiplied(self._exact(factor))
        for output, each in change.outputs.items():
            yield output, each.multiplied(self._exact(total))
        if change.is_kept:
            yield name, total if self.is_rounding else amount

    def _exact(self, amount: Quantity) -> Quantity:
        """The amount that others are multiplied by."""
        return amount.rounded_up() if self.is_rounding else amount


@lru_cache(maxsize=1)
def counting(world: World) -> Counting:
    """How Kueue counts requests, by the configurations among the objects."""
    excluded: list[str] = []
    transformed: dict[str, _Transformation] = {}
    strategies: list[str | None] = []
    for each in _configurations(world):
        strategies.append(each.text("resources", "quotaCheckStrategy"))
        excluded.extend(each.texts("resources", "excludeResourcePrefixes"))
        for part in each.parts("resources", "transformations"):
            transformed[part.string("input")] = _transformation(part)
    release = installed(world, versions.KUEUE)
    return Counting(
        excluded=tuple(excluded),
        transformed=transformed,
        is_rounding=release is not None and parse_minor(release) <= parse_minor(_ROUNDING),
        ignores_undeclared=_IGNORING in strategies,
    )


def _transformation(part: Part) -> _Transformation:
    stated = part.part("outputs")
    amounts = {} if stated is None else {name: stated.quantity(name) for name in stated.value}
    return _Transformation(
        is_kept=part.text("strategy") != _REPLACE,
        outputs={name: amount for name, amount in amounts.items() if amount is not None},
        multiplied_by=part.text("multiplyBy"),
    )


@lru_cache(maxsize=1)
def frameworks(world: World) -> tuple[str, ...] | None:
    """The kinds of runs that Kueue manages; None where no configuration is here."""
    found: list[str] = []
    for each in _configurations(world):
        stated = each.texts("integrations", "frameworks")
        found.extend(stated if len(stated) else (JOB,))
    return tuple(found) if found else None


def _configurations(world: World) -> Iterator[Part]:
    for each in world.of(*CARRIERS):
        yield from configurations_in(each)


def configurations_in(each: Object) -> Iterator[Part]:
    """The configuration of Kueue in a release or a ConfigMap, where there is one."""
    if each.kind is kinds.RELEASE and chart_of(each) == versions.KUEUE.name:
        yield from _read(each, _VALUE)
    elif each.kind is kinds.CONFIG_MAP and versions.KUEUE.name in each.name:
        yield from _read(each, _FILE)


def _read(each: Object, path: tuple[Key, ...]) -> Iterator[Part]:
    """The configuration that is a text at `path`, if there is one and it is Kueue's."""
    text = each.text(*path)
    if text is None:
        return
    place = each.place.at(*path)
    try:
        node = compose(text)
        value = None if node is None else Values(_scalar, has_standard_tags=True).read(node)
    except YamlTextError as error:
        raise MalformedError(place, text, "YAML") from error
    if isinstance(value, dict):
        found = Part(cast("dict[str, Value]", value), place)
        if found.string("apiVersion", default=_GROUP).startswith(_GROUP):
            yield found


def _scalar(node: yaml.ScalarNode) -> object:
    return resolve_for_kubernetes(node.value) if node.tag == PLAIN else node.value

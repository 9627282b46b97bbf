"""The cost of a platform per hour, always and at most (each autoscaled pool at its largest), by a table of prices.

The table is dated, with its source, and replaceable by a file of the same form. `prices.yaml` beside this module is the
one that is used where none is named. A price that it does not have is unknown, never guessed: not from another region,
nor from another capacity type of the same machine.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import yaml
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from components.model.facts import gke, hyperdisk
from components.model.findings import counted
from policies.report.events import UnreadableError, text_in
from policies.report.ledger import UNKNOWN, Change, generation

if TYPE_CHECKING:
    from components.model.plan import Plan
    from components.model.plan.nodes import OrdinaryPoolPlan, SlicePoolPlan
    from policies.report.sides import Side


OWN_TABLE: Final = Path(__file__).parent / "prices.yaml"
_WHOLE: Final = ("the file",)
_Price = Annotated[Decimal, Field(ge=0)]
_ByRegion = dict[str, _Price]


class PricesError(Exception):
    """The table of prices cannot be used; the text says where and why."""


class Prices(BaseModel):
    """Prices by the hour."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    read: dt.date
    """When the prices were looked up."""
    currency: str
    source: str
    chips: dict[str, dict[str, _ByRegion]] = {}
    """One TPU chip, by generation, capacity and region."""
    machines: dict[str, dict[str, _ByRegion]] = {}
    """One machine without TPUs, by type, capacity and region."""
    cluster: _Price | None = None
    """One cluster."""
    filestore: dict[str, _ByRegion] = {}
    """One GiB of a share, by tier and region."""

    def chip(self, generation: str, capacity: str, region: str) -> Decimal | None:
        """The price of a chip; None where the table has none."""
        return self.chips.get(generation, {}).get(capacity, {}).get(region)

    def machine(self, machine_type: str, capacity: str, region: str) -> Decimal | None:
        """The price of a machine without TPUs; None where the table has none."""
        return self.machines.get(machine_type, {}).get(capacity, {}).get(region)

    def share(self, tier: str, region: str) -> Decimal | None:
        """The price of a GiB of a share; None where the table has none."""
        return self.filestore.get(tier, {}).get(region)


def prices_in(file: Path) -> Prices:
    """The table in a file.

    Raises:
        PricesError: it cannot be read, or says something else than prices.
    """
    try:
        return Prices.model_validate(yaml.safe_load(text_in(file)))
    except UnreadableError as error:
        raise PricesError(str(error)) from error
    except (OSError, yaml.YAMLError) as error:
        raise PricesError(f"{file}: {error}") from error
    except RecursionError as error:
        raise PricesError(f"{file}: values are nested too deeply. See {OWN_TABLE.name} for the form.") from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc'] or _WHOLE))}: {each['msg']}" for each in error.errors())
        raise PricesError(f"{file}: {wrong}. See {OWN_TABLE.name} for the form.") from error


_Sum = Callable[["Cost"], Decimal]
"""Per hour: the minimum or the maximum."""
AT_LEAST: Final = "at least "
"""The words before a sum that leaves something out."""
_NONE: Final = (0, 0, 0)
HOURS: Final = 730
"""The hours of a month, as Google counts it."""


class Item(Struct, frozen=True, kw_only=True):
    """Things of one price."""

    what: str
    least: int
    """How many there are when all that can shrink has shrunk."""
    most: int
    unit: str
    price: Decimal | None
    """The price of one for an hour; None where it is not known."""


class Cost(Struct, frozen=True, kw_only=True):
    """The cost of a platform."""

    items: tuple[Item, ...]

    @property
    def least(self) -> Decimal:
        """Per hour, of the items with a price that are always there."""
        return sum((each.price * each.least for each in self.items if each.price is not None), Decimal(0))

    @property
    def most(self) -> Decimal:
        """Per hour, of the items with a price, at their largest."""
        return sum((each.price * each.most for each in self.items if each.price is not None), Decimal(0))

    @property
    def unknown(self) -> tuple[Item, ...]:
        """The items without a price in the table."""
        return tuple(each for each in self.items if each.price is None)


def hours_and_months(before: Cost | None, after: Cost | None, prices: Prices) -> tuple[Change, Change]:
    """The cost of what is always there, by the hour and by the month."""
    return _of_times(before, after, prices, "always there", lambda cost: cost.least)


def at_most(before: Cost | None, after: Cost | None, prices: Prices) -> tuple[Change, Change]:
    """The same with every autoscaled pool at its largest."""
    return _of_times(before, after, prices, "at most", lambda cost: cost.most)


def _of_times(before: Cost | None, after: Cost | None, prices: Prices, what: str, sum_: _Sum) -> tuple[Change, Change]:
    hour = _change(f"per hour, {what}", before, after, prices, sum_)
    return hour, _change(f"per month, {what}", before, after, prices, lambda cost: sum_(cost) * HOURS)


def _change(name: str, before: Cost | None, after: Cost | None, prices: Prices, sum_: _Sum) -> Change:
    return Change(
        what=(name,),
        name=name,
        before=None if before is None else _amount(sum_(before), before, prices),
        after=None if after is None else _amount(sum_(after), after, prices),
        rises=None if before is None or after is None else _rises(before, after, sum_),
    )


def _rises(before: Cost, after: Cost, sum_: _Sum) -> bool | None:
    """Whether the sum surely rises or falls, at any price of the items without one; else None."""
    one, other = ({each.what: (1, each.least, each.most) for each in cost.unknown} for cost in (before, after))
    unpriced = (zip(one.get(what, _NONE), other.get(what, _NONE), strict=True) for what in one | other)
    steps = [sum_(after) - sum_(before), *(new - old for pairs in unpriced for old, new in pairs)]
    if all(step >= 0 for step in steps):
        return True if any(steps) else None
    return False if all(step <= 0 for step in steps) else None


def _amount(amount: Decimal, cost: Cost, prices: Prices) -> str:
    if not amount and cost.unknown:
        return UNKNOWN
    return f"{AT_LEAST if cost.unknown else ''}{amount:,.2f} {prices.currency}"


def cost_of(side: Side | None, prices: Prices) -> Cost | None:
    """The cost of a platform, without disks, networks and traffic; None where nobody knows the platform."""
    if side is None:
        return None
    plan = side.plan
    found = [
        *(_slices(pool, plan, prices) for pool in plan.slice_pools),
        *(_nodes(pool, plan, prices) for pool in plan.node_pools),
        *_shares(plan, prices),
    ]
    if side.has_cluster:
        found.append(Item(what="GKE cluster", least=1, most=1, unit="cluster", price=prices.cluster))
    is_made = any(each.makes_pools for each in plan.compute_classes)
    if is_made or plan.cluster.mode == "autopilot" or plan.cluster.auto_provisioning is not None:
        found.append(Item(what="nodes that GKE makes for pods by itself", least=0, most=0, unit="node", price=None))
    return Cost(items=tuple(_sums(found)))


def _sums(items: Iterable[Item]) -> Iterator[Item]:
    """Items with those of one kind and price together, in order of their names."""
    of_kind: defaultdict[tuple[str, str, Decimal | None], list[Item]] = defaultdict(list)
    for each in items:
        of_kind[each.what, each.unit, each.price].append(each)
    for (what, unit, price), same in sorted(of_kind.items(), key=lambda each: each[0][:2]):
        least, most = sum(each.least for each in same), sum(each.most for each in same)
        yield Item(what=what, least=least, most=most, unit=unit, price=price)


def _slices(pool: SlicePoolPlan, plan: Plan, prices: Prices) -> Item:
    name, region = generation(pool), _region(pool.zones, plan)
    most = pool.chips
    least = most if pool.autoscaling is None or not pool.nodes else most * _fewest(pool) // pool.nodes
    price = prices.chip(name, pool.capacity, region)
    return Item(what=f"{name} {pool.capacity} in {region}", least=least, most=most, unit="chip", price=price)


def _nodes(pool: OrdinaryPoolPlan, plan: Plan, prices: Prices) -> Item:
    capacity, region = "spot" if pool.is_spot else "on-demand", _region(pool.zones, plan)
    gpus = "" if pool.gpu is None else f" with {counted(pool.gpu.count, pool.gpu.type)}"
    price = None if pool.gpu is not None else prices.machine(pool.machine_type, capacity, region)
    what = f"{pool.machine_type}{gpus} {capacity} in {region}"
    return Item(what=what, least=_fewest(pool), most=pool.nodes, unit="node", price=price)


def _fewest(pool: SlicePoolPlan | OrdinaryPoolPlan) -> int:
    """Nodes over all zones when the pool has shrunk."""
    if pool.autoscaling is None:
        return pool.nodes
    return min(pool.nodes, pool.autoscaling.minimum * max(len(pool.zones), 1))


def _shares(plan: Plan, prices: Prices) -> Iterator[Item]:
    for share in plan.shared_storage:
        region = _region((share.location,), plan)
        size, price = share.capacity_gib, prices.share(share.tier, region)
        yield Item(what=f"Filestore {share.tier} in {region}", least=size, most=size, unit="GiB", price=price)
    for instance in plan.lustre:
        size, what = instance.capacity_gib, f"Managed Lustre of {instance.throughput} MBps per TiB"
        region = _region((instance.location,), plan)
        yield Item(what=f"{what} in {region}", least=size, most=size, unit="GiB", price=None)
    for disk in plan.disks:
        what, region = hyperdisk.KINDS[disk.kind].title, _region((disk.zone,), plan)
        yield Item(what=f"{what} in {region}", least=disk.size_gib, most=disk.size_gib, unit="GiB", price=None)


def _region(zones: Iterable[str], plan: Plan) -> str:
    """The region of the first zone, which may be a region itself; that of the cluster where there is none."""
    place = next((zone for zone in zones if zone), plan.cluster.region)
    return gke.region_of(place) if place else "an unknown region"

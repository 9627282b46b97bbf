"""A ledger as rows: by team, by queue and by flavor, in chip-hours, with costs where there is a price."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tpu.chip_hours.spans import NO_FLAVOR, Part
from tpu.trace.lines import HOUR, Flavor, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tpu.chip_hours.ledger import Ledger

Price = Decimal | None
"""Of a chip for an hour; None where it is not known."""
HELD: Final = (Part.USED, Part.RESERVED, Part.LOST)
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Chip-hours of one team, queue or flavor."""

    name: str
    parts: Mapping[Part, float]
    cost: Price
    """Of what is used, reserved and lost; None where a part of it has no price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorRow:
    """Chip-hours of one flavor, which are its chips x time."""

    name: str
    parts: Mapping[Part, float]
    idle: float
    beyond: float
    """Reserved beyond the capacity: the nodes were not there yet."""
    capacity: float
    cost: Price
    """Of what is there."""
    idle_cost: Price


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything that `tpu usage` says."""

    start: int
    end: int
    currency: str | None
    """None without prices."""
    teams: tuple[Row, ...]
    queues: tuple[Row, ...]
    flavors: tuple[FlavorRow, ...]


def summary(ledger: Ledger, price_of: Callable[[Flavor], Price], currency: str | None) -> Summary:
    """The rows of a ledger.

    Args:
        ledger: the chip-time.
        price_of: the price of a chip of a flavor for an hour.
        currency: of the prices.
    """
    prices = {name: price_of(flavor) for name, flavor in ledger.flavors.items()}
    parts = ledger.by("flavor")
    return Summary(
        start=ledger.start,
        end=ledger.end,
        currency=currency if any(price is not None for price in prices.values()) else None,
        teams=_rows(ledger, "team", prices),
        queues=_rows(ledger, "queue", prices),
        flavors=tuple(_flavor(ledger, name, parts.get(name, {}), prices.get(name)) for name in _names(ledger)),
    )


def _rows(ledger: Ledger, by: str, prices: Mapping[str, Price]) -> tuple[Row, ...]:
    held: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, time in ledger.parts.items():
        if key.part in HELD:
            held[str(getattr(key, by))][key.flavor] += time
    return tuple(
        Row(name=name, parts=_hours(parts), cost=_cost(held[name].items(), prices))
        for name, parts in ledger.by(by).items()
    )


def _flavor(ledger: Ledger, name: str, parts: Mapping[Part, int], price: Price) -> FlavorRow:
    idle, capacity = ledger.of_flavor(ledger.idle, name), ledger.of_flavor(ledger.capacity, name)
    return FlavorRow(
        name=name,
        parts=_hours(parts),
        idle=idle / HOUR,
        beyond=ledger.of_flavor(ledger.beyond, name) / HOUR,
        capacity=capacity / HOUR,
        cost=_cost([(name, capacity)], {name: price}),
        idle_cost=_cost([(name, idle)], {name: price}),
    )


def _names(ledger: Ledger) -> list[str]:
    """The flavors that have chips, or whose chips somebody has."""
    used = {key.flavor for key in ledger.parts} | {hour.flavor for hour, time in ledger.capacity.items() if time}
    return sorted(used - {NO_FLAVOR})


def _hours(parts: Mapping[Part, int]) -> dict[Part, float]:
    return {part: parts.get(part, 0) / HOUR for part in Part}


def _cost(times: Iterable[tuple[str, int]], prices: Mapping[str, Price]) -> Price:
    found = Decimal(0)
    for flavor, time in times:
        price = prices.get(flavor)
        if price is None:
            return None
        found += price * time / HOUR
    return found.quantize(_CENT)


def tables(found: Summary) -> list[tuple[str, list[list[str]]]]:
    """The tables with their titles; the first row of each is its header, and the last the sum."""
    return [
        ("by team", _table("team", found.teams, found.currency)),
        ("by queue", _table("queue", found.queues, found.currency)),
        ("by flavor", _flavor_table(found.flavors, found.currency)),
    ]


def _table(name: str, rows: tuple[Row, ...], currency: str | None) -> list[list[str]]:
    money = [] if currency is None else [f"cost in {currency}"]
    found = [[name, *(part.value for part in Part), *money]]
    sums = {part: sum(row.parts[part] for row in rows) for part in Part}
    together = Row(name="together", parts=sums, cost=_sum(row.cost for row in rows))
    for row in (*rows, together) if len(rows) > 1 else rows:
        cost = [] if currency is None else [_money(row.cost)]
        found.append([row.name, *(f"{row.parts[part]:,.1f}" for part in Part), *cost])
    return found


def _flavor_table(rows: tuple[FlavorRow, ...], currency: str | None) -> list[list[str]]:
    has_beyond = any(row.beyond for row in rows)
    head = ["flavor", "chips x time", *(part.value for part in HELD), "idle", "idle %"]
    head += ["beyond"] if has_beyond else []
    found = [head if currency is None else [*head, f"cost in {currency}", "cost of idle"]]
    for row in rows:
        cells = [row.name, f"{row.capacity:,.1f}", *(f"{row.parts[part]:,.1f}" for part in HELD), f"{row.idle:,.1f}"]
        cells.append(f"{row.idle / row.capacity:.0%}" if row.capacity else "-")
        cells += [f"{row.beyond:,.1f}"] if has_beyond else []
        found.append(cells if currency is None else [*cells, _money(row.cost), _money(row.idle_cost)])
    return found


def _money(amount: Price) -> str:
    return "unknown" if amount is None else f"{amount:,.2f}"


def _sum(amounts: Iterable[Price]) -> Price:
    found = Decimal(0)
    for amount in amounts:
        if amount is None:
            return None
        found += amount
    return found


def lines(found: Summary) -> list[str]:
    """The summary as text."""
    said = [f"chip-hours from {written(found.start)} to {written(found.end)}"]
    for title, rows in tables(found):
        said += ["", title, *aligned(rows)]
    return said


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as indented lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([f"  {first:<{widths[0]}}", *map(str.rjust, cells, widths[1:])]).rstrip() for first, *cells in rows
    ]


def data(found: Summary, ledger: Ledger, remarks: list[str]) -> dict[str, Any]:
    """The summary as JSON, with each hour; chip-hours are exact to a millisecond of a chip."""
    return {
        "from": written(found.start),
        "until": written(found.end),
        "currency": found.currency,
        "teams": [_row_data(row) for row in found.teams],
        "queues": [_row_data(row) for row in found.queues],
        "flavors": [
            {
                "name": row.name,
                "capacity": row.capacity,
                **{part.value: row.parts[part] for part in HELD},
                "idle": row.idle,
                "beyond": row.beyond,
                "cost": _number(row.cost),
                "idleCost": _number(row.idle_cost),
            }
            for row in found.flavors
        ],
        "hours": _hour_data(ledger),
        "remarks": remarks,
    }


def _hour_data(ledger: Ledger) -> list[dict[str, Any]]:
    order = sorted(ledger.parts.items(), key=lambda each: (each[0].hour, each[0].part.value, *each[0][2:]))
    return [
        {
            "from": written(key.hour * HOUR),
            "part": key.part.value,
            "team": key.team,
            "queue": key.queue,
            "flavor": key.flavor,
            "resource": key.resource,
            "chipHours": time / HOUR,
        }
        for key, time in order
    ]


def _row_data(row: Row) -> dict[str, Any]:
    return {"name": row.name, **{part.value: row.parts[part] for part in Part}, "cost": _number(row.cost)}


def _number(amount: Price) -> float | None:
    return None if amount is None else float(amount)

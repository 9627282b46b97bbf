"""What a platform costs, by the table that comes along and by another."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.report.costs import Cost, Item, PricesError, hours_and_months, prices_in
from tests.model.catalogue.compute_class import CHAIN, with_class
from tests.policies.report.stream import own_prices, resources, steps, stream, told
from tests.stacks import a_platform, in_existing_cluster, with_capacity

if TYPE_CHECKING:
    from pathlib import Path

TABLE: Final = """
read: 2030-01-02
currency: EUR
source: our contract
chips: {v5e: {on-demand: {us-west4: 1}, flex-start: {us-west4: 0.5}}}
machines: {e2-standard-4: {on-demand: {us-west4: 0.25}}}
cluster: 0.1
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "prices.yaml"
    file.write_text(TABLE)
    return file


def test_a_table_of_ones_own_replaces_every_price(table: Path) -> None:
    there = resources(a_platform())
    text = told(stream(steps({}, there)), prices=prices_in(table))
    assert "| per hour, always there | 0.00 EUR | ▲ **16.35 EUR** |" in text
    assert "| per month, always there | 0.00 EUR | ▲ **11,935.50 EUR** |" in text
    assert "at most" not in text
    assert (
        "Prices of 2030-01-02 in EUR, a month is 730 hours; without disks, networks and traffic. our contract." in text
    )


def test_the_cluster_of_somebody_else_is_no_cost_of_the_stack(table: Path) -> None:
    text = told(stream(steps({}, resources(in_existing_cluster()))), prices=prices_in(table))
    assert "| per hour, always there | 0.00 EUR | ▲ **16.25 EUR** |" in text


def test_an_autoscaled_pool_costs_its_fewest_nodes_of_every_zone_and_at_most_all(table: Path) -> None:
    pool = {"autoscaling": {"min": 1, "max": 3}, "zones": ["us-west4-a", "us-west4-b"]}
    there = resources(a_platform().drop("node_pools", 0, "nodes").set("node_pools", 0, **pool))
    text = told(stream(steps({}, there)), prices=prices_in(table))
    assert "| per hour, always there | 0.00 EUR | ▲ **16.60 EUR** |" in text
    assert "| per hour, at most | 0.00 EUR | ▲ **17.60 EUR** |" in text


def test_a_pool_that_loses_its_price_never_reads_as_a_saving(table: Path) -> None:
    there = resources(a_platform())
    text = told(stream(steps(there, resources(a_platform().set("node_pools", 0, spot=True)))), prices=prices_in(table))
    assert (
        "- **Cost:** at least 16.10 EUR an hour, at least 11,753.00 EUR a month; e2-standard-4 spot in us-west4 has no "
        "price here; before: 16.35 EUR an hour, which cannot be compared with it."
    ) in text
    assert "| per hour, always there | 16.35 EUR | at least 16.10 EUR |" in text


def test_nodes_of_unknown_number_beside_a_smaller_sum_are_no_saving(table: Path) -> None:
    def cost(nodes: int, *others: Item) -> Cost:
        return Cost(items=(Item(what="nodes", least=nodes, most=nodes, unit="node", price=Decimal(1)), *others))

    made = Item(what="nodes that GKE makes", least=0, most=0, unit="node", price=None)
    prices = prices_in(table)
    assert [each.rises for each in hours_and_months(cost(3), cost(2, made), prices)] == [None, None]
    assert [each.rises for each in hours_and_months(cost(3, made), cost(2, made), prices)] == [False, False]
    assert [each.rises for each in hours_and_months(cost(3, made), cost(4), prices)] == [None, None]
    assert [each.rises for each in hours_and_months(cost(2), cost(3, made), prices)] == [True, True]


def test_what_changes_beside_unpriced_things_that_stay_is_compared(table: Path) -> None:
    spot = with_capacity("spot")
    fewer = spot.set("node_pools", 0, nodes=2)
    text = told(stream(steps(resources(spot), resources(fewer))), prices=prices_in(table))
    assert "- **Cost:** at least 0.35 EUR → ▲ **at least 0.60 EUR** an hour; " in text
    assert "; v5e spot in us-west4 has no price here." in text


def test_what_comes_and_goes_costs_at_most(table: Path) -> None:
    there = resources(with_capacity("flex-start", max_run_seconds=3600))
    text = told(stream(steps(there, there)), prices=prices_in(table))
    assert "| per hour, always there | 0.35 EUR | 0.35 EUR |" in text
    assert "| per hour, at most | 8.35 EUR | 8.35 EUR |" in text


def test_a_price_that_is_not_there_is_unknown(table: Path) -> None:
    there = resources(with_capacity("spot"))
    text = told(stream(steps({}, there)), prices=prices_in(table))
    assert "▲ **at least 0.35 EUR**" in text
    assert "**No price is known for:** v5e spot in us-west4 (none before, 16 chips after)." in text


@pytest.mark.parametrize(("priorities", "is_unknown"), [(CHAIN, True), (CHAIN[:1], False)])
def test_pools_that_gke_makes_for_a_class_have_no_known_cost(
    table: Path, priorities: list[dict[str, Any]], *, is_unknown: bool
) -> None:
    text = told(stream(steps({}, resources(with_class(*priorities)))), prices=prices_in(table))
    assert ("nodes that GKE makes for pods by itself (none before, any number after)" in text) is is_unknown


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (("currency: EUR", ""), "currency: Field required"),
        (("chips:", "chps:"), "chps: Extra inputs are not permitted"),
        (("us-west4: 1}", "us-west4: -1}"), "chips.v5e.on-demand.us-west4: Input should be greater than or equal to 0"),
        (("read: 2030-01-02", "read: lately"), "read: Input should be a valid date"),
        ((TABLE, "- a list"), "the file: Input should be a valid dictionary"),
        ((TABLE, "a: [b"), "expected ',' or ']'"),
        ((TABLE, "[" * 10_000), "values are nested too deeply. See prices.yaml for the form."),
        ((TABLE, "chips: &a {v5e: *a}"), "chips.v5e"),
    ],
)
def test_a_bad_table_is_refused(table: Path, edit: tuple[str, str], says: str) -> None:
    table.write_text(TABLE.replace(*edit))
    with pytest.raises(PricesError) as refused:
        prices_in(table)
    assert str(table) in str(refused.value)
    assert says in str(refused.value)


def test_our_own_table_has_a_date_and_a_source() -> None:
    prices = own_prices()
    assert prices.read.isoformat() == "2026-11-22"
    assert prices.currency == "USD"
    assert prices.chip("v5e", "on-demand", "us-south1") is not None
    assert prices.chip("v5e", "spot", "us-south1") is None
    assert prices.chip("tpu7x", "on-demand", "us-central1") is None

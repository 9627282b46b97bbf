"""What is out of stock: of a machine, in a zone, for a capacity type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator.cloud.api import CloudError
from simulator.cloud.stock import Stock

if TYPE_CHECKING:
    from pathlib import Path

_MACHINE: Final = "ct6e-standard-4t"
_ZONE: Final = "us-east5-b"
_CAPACITIES: Final[dict[str, dict[str, Any]]] = {
    "on-demand": {},
    "spot": {"spot": True},
    "flex-start": {"flexStart": True},
}
_RESERVED: Final = {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}}


def _is_out(stock: Stock, config: dict[str, Any], zone: str = _ZONE) -> bool:
    try:
        stock.check({"config": {"machineType": _MACHINE, **config}}, "acme", zone)
    except CloudError:
        return True
    return False


def _out(stock: Stock, zone: str = _ZONE) -> set[str]:
    """The capacity types that are out of stock in a zone."""
    return {name for name, config in _CAPACITIES.items() if _is_out(stock, config, zone)}


def test_one_capacity_type_runs_out_by_itself() -> None:
    stock = Stock()
    assert stock.change(out=[f"{_MACHINE}:flex-start@{_ZONE}"]) == [f"{_MACHINE}:flex-start@{_ZONE}"]
    assert _out(stock) == {"flex-start"}
    assert _out(stock, "us-east5-a") == set()


def test_without_a_capacity_type_all_run_out_but_for_what_is_reserved() -> None:
    stock = Stock()
    stock.change(out=[_MACHINE])
    assert _out(stock) == {*_CAPACITIES}
    assert not _is_out(stock, _RESERVED)


def test_what_comes_back_brings_every_part_of_it_back() -> None:
    stock = Stock()
    stock.change(out=[f"{_MACHINE}:spot@{_ZONE}", f"{_MACHINE}:flex-start", f"{_MACHINE}@us-east5-a"])
    assert stock.change(back=[f"{_MACHINE}:spot"]) == [f"{_MACHINE}:flex-start", f"{_MACHINE}@us-east5-a"]
    assert stock.change(back=[_MACHINE]) == []


def test_what_is_out_is_kept(tmp_path: Path) -> None:
    Stock(tmp_path / "stock.json").change(out=[f"{_MACHINE}:spot@{_ZONE}"])
    assert _out(Stock(tmp_path / "stock.json")) == {"spot"}


@pytest.mark.parametrize("text", ["ct6e:spot", f"{_MACHINE}:reserved", f"{_MACHINE}:spot@us-east5"])
def test_what_does_not_exist_cannot_run_out(text: str) -> None:
    with pytest.raises(CloudError):
        Stock().change(out=[text])

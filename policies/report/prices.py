"""The table of prices: dated, with its source, and replaceable by a file of the same form.

`prices.yaml` beside this module is the one that is used where none is named. A price that it does not have is unknown,
never guessed: not from another region, nor from another capacity type of the same machine.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from policies.report.events import UnreadableError
from policies.report.texts import text_in

OWN_TABLE: Final = Path(__file__).parent / "prices.yaml"
_WHOLE: Final = ("the file",)
_Price = Annotated[Decimal, Field(ge=0)]
_ByRegion = dict[str, _Price]


class PricesError(Exception):
    """The table of prices cannot be used; the text says where and why."""


class Prices(BaseModel):
    """What things cost by the hour."""

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

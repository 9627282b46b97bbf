"""A record of another program's table: each row is a job, and a mapping says which column is what.

The mapping is a YAML file, such as `examples/usage/slurm.yaml` for the accounting of Slurm.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
from typing import TYPE_CHECKING, Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from components.model.facts import gke
from tpu.trace.lines import (
    SECOND,
    Admitted,
    Asked,
    Assignment,
    Capacity,
    Finished,
    Flavor,
    Line,
    PodSet,
    Ready,
    Reserved,
    Trace,
    moment,
)
from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]
_NEVER: Final = ("", "Unknown", "None")
"""How tables write that something has not happened; the second is Slurm's."""


class Fixed(BaseModel):
    """The same value in each row."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: str


class Mapping(BaseModel):
    """Which column of a table is what: a column's name, or `{value: TEXT}` for the same value in each row."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["csv", "jsonl"] = "csv"
    delimiter: str = ","
    id: str | Fixed
    """Unique in the table."""
    name: str | Fixed | None = None
    """Of the job; its id by default."""
    asked: str | Fixed
    """When the job was submitted: RFC 3339, or seconds since the epoch; a time without zone is in UTC."""
    admitted: str | Fixed
    """When it started; empty where it has not."""
    finished: str | Fixed
    """When it ended; empty where it has not."""
    team: str | Fixed
    queue: str | Fixed
    chips: str | Fixed
    """A whole number of chips, or of machines with `chips_each` chips."""
    chips_each: int = 1
    flavor: str | Fixed
    priority: str | Fixed = Fixed(value="0")
    outcome: str | Fixed = Fixed(value="Succeeded")
    capacity: dict[str, int] = {}
    """Chips of each flavor."""


def mapping_in(path: Path) -> Mapping:
    """The mapping in a file.

    Raises:
        TraceError: it cannot be read, or is not a mapping.
    """
    try:
        return Mapping.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: {error}") from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise TraceError(f"{path}: {wrong}. docs/usage.md has an example.") from error


def imported(table: Path, mapping: Mapping) -> list[Line]:
    """The record of a table, in the order of time.

    Raises:
        TraceError: a row cannot be read; the text has its number.
    """
    found: list[Line] = []
    try:
        for number, row in enumerate(_rows(table, mapping), 1):
            try:
                found += _lines(row, mapping)
            except (KeyError, ValueError) as error:
                why = f"there is no column {error}" if isinstance(error, KeyError) else str(error)
                raise TraceError(f"{table}: row {number}: {why}") from error
    except OSError as error:
        raise TraceError(f"{table}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error, json.JSONDecodeError) as error:
        raise TraceError(f"{table}: {error}") from error
    if not found:
        raise TraceError(f"{table}: it has no rows")
    start = min(line.at for line in found)
    flavors = tuple(Flavor(name=name, nodes={gke.RESOURCE_TPU: n}) for name, n in sorted(mapping.capacity.items()))
    head: list[Line] = [Trace(at=start, made=f"imported from {table.name}")]
    if flavors:
        head.append(Capacity(at=start, flavors=flavors))
    return [*head, *sorted(found, key=lambda line: line.at)]


def _rows(table: Path, mapping: Mapping) -> Iterator[Row]:
    with table.open(encoding="utf-8-sig", newline="") as stream:
        if mapping.format == "csv":
            yield from csv.DictReader(stream, delimiter=mapping.delimiter)
            return
        for text in stream:
            yield json.loads(text)


def _lines(row: Row, mapping: Mapping) -> Iterator[Line]:
    uid, flavor = _value(row, mapping.id), _value(row, mapping.flavor)
    chips = str(_whole(row, mapping.chips) * mapping.chips_each)
    team, queue = _value(row, mapping.team), _value(row, mapping.queue)
    asked, admitted, over = (_when(row, each) for each in (mapping.asked, mapping.admitted, mapping.finished))
    if asked is None:
        raise ValueError(f"job {uid} does not say when it asked")
    pods = PodSet(name="main", count=1, requests={gke.RESOURCE_TPU: chips})
    yield Asked(
        at=asked,
        uid=uid,
        namespace=team,
        name=uid,
        job=f"Job/{uid if mapping.name is None else _value(row, mapping.name)}",
        team=team,
        queue=queue,
        cluster_queue=queue,
        priority=_whole(row, mapping.priority),
        pod_sets=(pods,),
    )
    if admitted is None:
        return
    used = {gke.RESOURCE_TPU: chips}
    place = Assignment(name="main", count=1, flavors={gke.RESOURCE_TPU: flavor}, usage=used)
    yield Reserved(at=admitted, uid=uid, cluster_queue=queue, pod_sets=(place,))
    yield Admitted(at=admitted, uid=uid)
    yield Ready(at=admitted, uid=uid)
    if over is not None:
        yield Finished(at=over, uid=uid, reason=_value(row, mapping.outcome))


def _whole(row: Row, column: str | Fixed) -> int:
    text = _value(row, column)
    if not text.isdecimal():
        raise ValueError(f"{column if isinstance(column, str) else 'a value of the mapping'}: {text} is not a number")
    return int(text)


def _value(row: Row, column: str | Fixed) -> str:
    return column.value if isinstance(column, Fixed) else str(row[column])


def _when(row: Row, column: str | Fixed) -> int | None:
    text = _value(row, column)
    if text in _NEVER:
        return None
    if text.replace(".", "", 1).isdigit():
        return round(float(text) * SECOND)
    read = dt.datetime.fromisoformat(text)
    return moment((read if read.tzinfo is not None else read.replace(tzinfo=dt.UTC)).isoformat())

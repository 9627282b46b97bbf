"""`tpu usage`: who used which chips, from a record or from a cluster's listing."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError
from policies.report.costs import OWN_TABLE, Prices, PricesError, prices_in
from tpu.chip_hours.ledger import Ledger, ledger
from tpu.chip_hours.summary import Summary, data, lines, summary, tables
from tpu.connect import CLUSTER_ERRORS, add_flags, connect
from tpu.pictures.axis import Axis
from tpu.pictures.page import Section, page
from tpu.pictures.sketch import Sketch
from tpu.rehearsal.times import seconds_in
from tpu.trace.bucket import at_hand
from tpu.trace.lines import HOUR, SECOND, Flavor, moment, written
from tpu.trace.listing import listed
from tpu.trace.reading import Remarks, TraceError, last_moment, read
from tpu.trace.surroundings import now as shown_now

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal


_FAILED: Final = 1
_WEEK: Final = 7 * 24 * HOUR


def main(words: Sequence[str]) -> int:
    """Print the usage, and return the exit code: 1 where there is none to print."""
    options = parser().parse_args(words)
    try:
        if options.record is None:
            _say(options)
        else:
            with at_hand(options.record) as options.record:
                _say(options)
    except ApiError as error:
        why = "the cluster does not serve Workloads of Kueue: is Kueue installed?" if error.is_not_found else error
        print(f"usage: {why}", file=sys.stderr)
        return _FAILED
    except (*CLUSTER_ERRORS, OSError, PricesError, TraceError) as error:
        print(f"usage: {error}", file=sys.stderr)
        return _FAILED
    return 0


def _say(options: argparse.Namespace) -> None:
    prices, remarks, now = prices_in(options.prices), Remarks(), shown_now()
    is_live, since = options.record is None, _since(options, now)
    until = now if options.until is None and is_live else options.until
    source = (
        listed(connect(options), now if since is None else since, options.team_label)
        if is_live
        else read(options.record, remarks)
    )
    sketch = Sketch()
    made = ledger(source, remarks, since=since, until=until, keep=None if options.html is None else sketch.keep)
    found = summary(made, lambda flavor: _price(flavor, prices), prices.currency)
    if options.format == "json":
        print(json.dumps(data(found, made, remarks.texts()), indent=2))
    else:
        print(*lines(found), sep="\n")
        print(*(["", *remarks.texts()] if remarks.texts() else []), sep="\n", end="\n" if remarks.texts() else "")
    if options.html is not None:
        options.html.write_text(_page(found, made, sketch, remarks), encoding="utf-8")
        print(f"wrote {options.html}", file=sys.stderr)


def _page(found: Summary, made: Ledger, sketch: Sketch, remarks: Remarks) -> str:
    tabled = [Section(title, rows=rows) for title, rows in tables(found)]
    drawn = sketch.sections(Axis(made.start, made.end), _steps(made))
    noted = [Section("remarks", remarks=remarks.texts())] if remarks.texts() else []
    return page(f"Chip-hours from {written(made.start)} to {written(made.end)}", [*tabled, *drawn, *noted])


def _since(options: argparse.Namespace, now: int) -> int | None:
    """The first moment that counts: a moment, or some time before the end; None for the beginning of a record."""
    if options.since is None:
        return None if options.record is not None else now - _WEEK
    return options.since if options.since >= 0 else _end(options, now) + options.since


def _end(options: argparse.Namespace, now: int) -> int:
    """The moment from which `--since 7d` counts back: the end of the record, so that an old one can be read."""
    if options.until is not None:
        return options.until
    if options.record is None:
        return now
    return last_moment(options.record)


def _price(flavor: Flavor, prices: Prices) -> Decimal | None:
    if flavor.generation is None or flavor.capacity is None or flavor.region is None:
        return None
    return prices.chip(flavor.generation, flavor.capacity, flavor.region)


def _steps(made: Ledger) -> Counter[int]:
    """How many chips more there are from a moment on, of all flavors."""
    found: Counter[int] = Counter()
    for steps in made.steps.values():
        before = 0
        for at, chips in steps:
            found[at] += chips - before
            before = chips
    return found


def _time(text: str) -> int:
    """A moment, or how long before the end, which is below 0; in milliseconds."""
    try:
        return -seconds_in(text) * SECOND
    except ValueError:
        return _moment(text)


def _moment(text: str) -> int:
    try:
        return moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}. Valid: 90m, 24h, 7d, 2w or 2026-11-23T08:00:00Z") from error


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu usage",
        description="Print the chip-hours by team, queue and flavor: used, waiting, reserved without pods, lost to "
        "eviction, idle. docs/usage.md says what each means.",
        epilog="Example: tpu usage --record week.jsonl --since 7d. Exit code 1: there is no such record or cluster, "
        "or it cannot be read.",
    )
    record = "what `tpu record` wrote: a file or gs://BUCKET/OBJECT (default: what the cluster lists, which forgets)"
    made.add_argument("--record", metavar="FILE", help=record)
    add_flags(made)
    since = "90m, 24h, 7d, 2w before the end, or an RFC 3339 time (default: all of a record, 7d of a cluster)"
    made.add_argument("--since", type=_time, metavar="TIME", help=since)
    made.add_argument("--until", type=_moment, metavar="TIME", help="RFC 3339 (default: the end of the record, or now)")
    made.add_argument("--team-label", metavar="LABEL", help="of a cluster: as of `tpu record`")
    made.add_argument("--prices", type=Path, default=OWN_TABLE, metavar="FILE", help="a table as of `tpu report`")
    made.add_argument("--format", choices=("text", "json"), default="text", help="of the output (default: text)")
    made.add_argument("--html", type=Path, metavar="FILE", help="write a page with the pictures, too")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

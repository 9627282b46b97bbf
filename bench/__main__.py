"""Measure time and memory against their goals: `python -m bench [SUBJECT...]`.

The bare program (`bare/`) registers the same resources as `multislice` from literals; it must find nothing to change on
the stack that ours made. Figures in seconds stand beside the speed of the machine at that moment.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.fleet import fleet
from bench.measures import LOOPS, in_turn, machine_seconds, memory_mib, seconds
from bench.plan_size import growth
from bench.simulated import ROOT, Simulated
from simulator.home import Home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

BARE: Final = Path(__file__).parent / "bare"
STACK: Final = "multislice"
PAIRS: Final = 7
"""Previews differ from one another by little, in times that vary by more."""


def plan(_: Path) -> Iterator[str]:
    """Load, plan and check 1,000 slices within 0.15 s, and linearly."""
    yield growth()


def preview(folder: Path) -> Iterator[str]:
    """Preview multislice within 1.2x of a bare program of the same resources; its memory within 1.1 GiB."""
    with Simulated(Home(folder / "home")) as ours:
        bare = replace(ours, project=BARE)
        pairs = in_turn(
            lambda: ours.pulumi("preview", stack=STACK), lambda: bare.pulumi("preview", stack=STACK), pairs=PAIRS
        )
        yield f"preview before anything exists {pairs}   goal 1.2x"
        ours.pulumi("up", "--yes", "--skip-preview", stack=STACK)
        bare.pulumi("preview", "--expect-no-changes", stack=STACK)
        yield f"memory of the whole simulator {memory_mib(ours.pids()) / 1024:.2f} GiB   goal 1.1 GiB"


def stacks(folder: Path) -> Iterator[str]:
    """Every committed stack up and settled within 90 s with built tools."""
    for number, file in enumerate(sorted(ROOT.glob("Pulumi.*.yaml"))):
        stack = file.name.split(".")[1]
        with Simulated(Home(folder / f"home-{number}")) as simulated:
            took = seconds(lambda: simulated.run("tpu", "up", stack))  # noqa: B023  called at once
        yield f"{stack:<24} {took:.0f} s   goal 90 s"


def large(folder: Path) -> Iterator[str]:
    """1,000 nodes and 200 JobSets within 6 minutes, with no node lost."""
    yield fleet(Home(folder / "home"), folder / "project")


def first_run(folder: Path) -> Iterator[str]:
    """The first run from an empty machine, which builds every tool, within 6 min 11 s; only by name."""
    with Simulated(Home(folder / "home")) as simulated:
        cache = {"TPU_PLATFORM_CACHE": str(folder / "cache"), "TPU_PLATFORM_TOOLS": "build"}
        caches = {**cache, "GOCACHE": str(folder / "go")}
        took = seconds(lambda: simulated.run("tpu", "up", STACK, **caches))
    yield f"{took:.0f} s   goal 371 s on a lightly loaded machine of two cores"


SUBJECTS: Final[Mapping[str, Callable[[Path], Iterator[str]]]] = {
    "plan": plan,
    "preview": preview,
    "stacks": stacks,
    "fleet": large,
    "first-run": first_run,
}


def main(arguments: Sequence[str]) -> None:
    """Print every figure with its goal."""
    lines = [f"  {name:<10} {each.__doc__}" for name, each in SUBJECTS.items()]
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure time and memory against their goals.",
        epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "subjects", nargs="*", choices=[[], *SUBJECTS], metavar="SUBJECT", help="default: all but first-run"
    )
    chosen = parser.parse_args(arguments).subjects or [name for name in SUBJECTS if name != "first-run"]
    for name in chosen:
        print(f"{name}: the machine adds {LOOPS:,} numbers in {machine_seconds():.2f} s")
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for line in SUBJECTS[name](Path(folder)):
                print(f"  {line}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""`python -m tests.mutation [module ...]` changes the rules over objects, one thing at a time: does a test fail?

Prints how many mutants of each module were killed and which survived; fails where too many did. `--every 5` tries one
mutant of five, for a look at the whole in a fifth of the time.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.mutation.trials import Trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.mutation.mutants import Mutant

_ROOT: Final = Path(__file__).parents[2]
_RULES: Final = _ROOT / "policies" / "rules"
_LEAST: Final = 90
"""Percent of the mutants of each module that must be killed."""
_TESTS: Final = (
    "test_texts.py",
    "test_page.py::test_the_page_names_every_reason_source_and_pack",
    "test_catalogue.py",
    "test_guards.py",
    "test_pool_rules.py",
    "test_fixes.py",
)
"""In tests/policies, those that kill most first."""


def main(names: Sequence[str], every: int) -> int:
    """Try the mutants of the modules of these names, or of all; 0 where enough were killed."""
    files = [_RULES / f"{name}.py" for name in names] or sorted(_RULES.glob("[!_]*.py"))
    counts: dict[Path, tuple[int, int]] = {}

    def tell(file: Path, mutants: list[Mutant], survivors: list[Mutant]) -> None:
        counts[file] = len(mutants), len(survivors)
        for survivor in survivors:
            print(f"\n{file.name} {survivor.function}\n{survivor.diff}")
        print(f"\n{_row(file.stem, *counts[file])}", flush=True)

    tests = [str(_ROOT / "tests" / "policies" / name) for name in _TESTS]
    quiet = ("--quiet", "--quiet", "--capture=no", "--assert=plain", "--tb=no", "-p", "no:cacheprovider")
    modules = {file: importlib.import_module(_module(file)) for file in files}
    ended = pytest.main([*quiet, *tests], plugins=[Trials(modules, every, tell)])
    return int(ended) or int(not _is_enough(counts))


def _module(file: Path) -> str:
    path = file.relative_to(_ROOT).with_suffix("")
    return ".".join(path.parts).removesuffix(".__init__")


def _is_enough(counts: dict[Path, tuple[int, int]]) -> bool:
    """Print how many were killed; whether that is enough of each module."""
    print()
    for file, (count, survived) in counts.items():
        print(_row(file.stem, count, survived))
    print(
        _row("together", sum(count for count, _ in counts.values()), sum(survived for _, survived in counts.values()))
    )
    few = [file.stem for file, (count, survived) in counts.items() if 100 * survived > (100 - _LEAST) * count]
    if few:
        print(f"fewer than {_LEAST} % were killed of {', '.join(few)}")
    return not few


def _row(name: str, count: int, survived: int) -> str:
    killed = count - survived
    return f"{name:22} {killed:5} of {count:5} killed, {100 * killed / max(count, 1):5.1f} %"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="names of modules of rules; all where there is none")
    parser.add_argument("--every", type=int, default=1, help="try one mutant of so many")
    asked = parser.parse_args()
    sys.exit(main(asked.modules, asked.every))

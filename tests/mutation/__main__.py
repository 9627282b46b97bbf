"""`python -m tests.mutation [module ...]` changes the rules over objects, one thing at a time: does a test fail?

Prints how many mutants of each module were killed and which survived; fails where too many did.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.mutation.mutants import mutants_of
from tests.mutation.trials import Trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.mutation.mutants import Mutant

_ROOT: Final = Path(__file__).parents[2]
_RULES: Final = _ROOT / "components" / "model" / "objects" / "rules"
_LEAST: Final = 90
"""Percent of the mutants of each module that must be killed."""
_TESTS: Final = ("catalogue", "texts", "guards", "pool_rules", "about_keys", "page")
"""Modules in tests/policies, those that kill most first."""


def main(names: Sequence[str]) -> int:
    """Try the mutants of the modules of these names, or of all; 0 where enough were killed."""
    files = sorted(file for file in _RULES.glob("*.py") if not names or file.stem in names)
    modules = {str(file): importlib.import_module(_module(file)) for file in files}
    mutants = {file: mutants_of(file) for file in files}
    trials = Trials((each for file in files for each in mutants[file]), modules, _tell)
    tests = [str(_ROOT / "tests" / "policies" / f"test_{name}.py") for name in _TESTS]
    quiet = ("--quiet", "--quiet", "--capture=no", "--assert=plain", "--tb=no", "-p", "no:cacheprovider")
    ended = pytest.main([*quiet, *tests], plugins=[trials])
    if ended != pytest.ExitCode.OK:
        return int(ended)
    return int(not _is_enough({file: len(each) for file, each in mutants.items()}, trials.survivors))


def _tell(survivor: Mutant) -> None:
    print(f"\n{survivor.file.name} {survivor.function}\n{survivor.diff}", flush=True)


def _module(file: Path) -> str:
    path = file.relative_to(_ROOT).with_suffix("")
    return ".".join(path.parts).removesuffix(".__init__")


def _is_enough(counts: dict[Path, int], survivors: Sequence[Mutant]) -> bool:
    """Print how many were killed; whether that is enough of each module."""
    print()
    left = {file: sum(each.file == file for each in survivors) for file in counts}
    for file, count in counts.items():
        print(f"{file.stem:22} {_share(count, left[file])}")
    print(f"{'together':22} {_share(sum(counts.values()), len(survivors))}")
    few = [file.stem for file, count in counts.items() if 100 * left[file] > (100 - _LEAST) * count]
    if few:
        print(f"fewer than {_LEAST} % were killed of {', '.join(few)}")
    return not few


def _share(count: int, survived: int) -> str:
    killed = count - survived
    return f"{killed:5} of {count:5} killed, {100 * killed / max(count, 1):5.1f} %"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

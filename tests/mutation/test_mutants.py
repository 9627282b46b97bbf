"""That mutants are changed where they say, and loaded in the place of what is not changed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

from tests.mutation.mutants import mutants_of

if TYPE_CHECKING:
    from pathlib import Path

_SOURCE: Final = """\
from rules import object_rule

LEAST = 1


@object_rule(
    summary="it has nodes",
)
def _has_nodes(pool):
    for count in (
        pool.count("nodes"),
    ):
        if count < LEAST:
            yield count


class Limits:
    def least(self):
        return 2
"""


def test_every_function_is_changed_and_keeps_its_decorators(tmp_path: Path) -> None:
    file = tmp_path / "some_rules.py"
    file.write_text(_SOURCE)
    found = {(each.function, each.rules, each.lines, each.diff) for each in mutants_of(file)}
    assert ("_has_nodes", ("has-nodes",), range(13, 14), "  13 - if count < LEAST:\n     + if count <= LEAST:") in found
    header = range(10, 13)
    assert ("_has_nodes", ("has-nodes",), header, '  11 - pool.count("nodes"),\n     + pool.count("NODES"),') in found
    assert ("least", ("has-nodes",), range(19, 20), "  19 - return 2\n     + return 3") in found
    assert {function for function, *_ in found} == {"", "_has_nodes", "least"}
    assert all('@object_rule(\n    summary="it has nodes",\n)' in each.source for each in mutants_of(file))


_RELOADING: Final = """
import importlib
from pathlib import Path
from policies.objects.judging import Settings
from policies.rules import judge
from tests.mutation.loading import load
from tests.policies.cases import cases

case = next(each for each in cases() if each.rule == "slice-has-all-its-nodes" and each.finds)
module = importlib.import_module("policies.rules.node_pools")
source = Path(module.__file__).read_text(encoding="utf-8")
for each in (source, source.replace("count != shape.hosts", "count == shape.hosts")):
    load(module, each)
    print(len(judge(case.world, Settings()).findings))
"""


def test_a_rule_that_is_loaded_anew_judges_at_once() -> None:
    # In a process of its own: nothing else may see the changed rule.
    ended = subprocess.run([sys.executable, "-c", _RELOADING], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["1", "0"]

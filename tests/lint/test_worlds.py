"""Which objects meet each other: those of a folder; all, where the call says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.__main__ import main
from policies.lint.files import File
from policies.lint.linting import Linted, Options, lint
from policies.lint.worlds import worlds_of
from policies.objects.world import Object, manifest
from tests.lint.given import CLUSTER, OBJECTS, POOLS, edited, told

if TYPE_CHECKING:
    from pathlib import Path

    from policies.objects.values import Value

_TOO_MUCH: Final = edited(OBJECTS, "nominalQuota: 16", "nominalQuota: 64")
_RULE: Final = "quota-within-pools"


def _lint(texts: dict[str, str], *, is_together: bool | None = None, named: tuple[str, ...] = ()) -> Linted:
    files = [File(name, text.encode(), is_walked=name not in named) for name, text in texts.items()]
    return lint(files, Options(is_together=is_together))


def _rules(verdict: Linted) -> list[str]:
    return [f"{each.sighting.name} {each.finding.rule}" for each in verdict.shown]


def test_each_folder_is_a_world_of_its_own() -> None:
    texts = {"dev/queues.yaml": _TOO_MUCH, "prod/pools.json": POOLS, "prod/cluster.json": CLUSTER}
    assert _rules(_lint(texts)) == []
    assert _rules(_lint(texts, is_together=True)) == [f"dev/queues.yaml {_RULE}"]
    assert _rules(_lint(texts, named=tuple(texts))) == [f"dev/queues.yaml {_RULE}"]
    assert _rules(_lint(texts, named=tuple(texts), is_together=False)) == []


def test_listings_that_are_named_beside_a_folder_are_of_every_group() -> None:
    texts = {"dev/queues.yaml": _TOO_MUCH, "prod/queues.yaml": OBJECTS, "pools.json": POOLS, "cluster.json": CLUSTER}
    verdict = _lint(texts, named=("pools.json", "cluster.json"))
    assert (_rules(verdict), verdict.objects) == ([f"dev/queues.yaml {_RULE}"], 20)


def test_the_same_names_in_two_folders_are_two_platforms() -> None:
    parts = {
        f"{env}/{name}": text for env in ("dev", "prod") for name, text in (("q.yaml", OBJECTS), ("p.json", POOLS))
    }
    verdict = _lint(parts)
    assert (_rules(verdict), verdict.objects) == ([], 22)


def test_the_files_of_a_kustomization_that_is_not_built_do_not_meet() -> None:
    texts = {
        "kustomization.yaml": "resources: [queues.yaml, pools.json, cluster.json, broken.yaml]\n",
        "queues.yaml": _TOO_MUCH,
        "pools.json": POOLS,
        "cluster.json": CLUSTER,
        "broken.yaml": _CLASS.format("normal", "many"),
    }
    verdict = _lint(texts)
    assert _rules(verdict) == ["broken.yaml field-has-its-type"]
    assert "checked object by object, because the kustomization is not built: 4 files" in verdict.notes
    assert _rules(_lint(texts, is_together=True)) == [
        "queues.yaml quota-within-pools",
        "broken.yaml field-has-its-type",
    ]


_CLASS: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {{name: {}}}\nvalue: {}\n"


def test_a_name_twice_is_an_error_in_one_file() -> None:
    one, two = _CLASS.format("normal", 1), _CLASS.format("normal", 2)
    assert _rules(_lint({"a.yaml": f"{one}---\n{two}"})) == ["a.yaml object-is-declared-once"]
    assert _rules(_lint({"a.yaml": one, "b.yaml": two})) == []
    assert _rules(_lint({"a.yaml": one, "b.yaml": two}, is_together=True)) == []


def test_a_name_in_two_namespaces_is_two_objects() -> None:
    job = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: {}}}\ndata: {{a: {}}}\n"
    assert _rules(_lint({"a.yaml": f"{job.format('red', 'b')}---\n{job.format('blue', 'c')}"})) == []


def test_every_object_of_a_name_is_judged() -> None:
    texts = {f"{name}.yaml": _CLASS.format("normal", "many") for name in "abc"}
    assert _rules(_lint(texts)) == [f"{name} field-has-its-type" for name in texts]
    twice = f"{_CLASS.format('normal', 1)}---\n{_CLASS.format('normal', 'many')}"
    assert _rules(_lint({"a.yaml": twice})) == ["a.yaml object-is-declared-once", "a.yaml field-has-its-type"]


def test_alternatives_are_each_checked_with_what_fits_both() -> None:
    queue = [each for each in OBJECTS.split("---") if "kind: ClusterQueue" in each]
    rest = "---".join(each for each in OBJECTS.split("---") if each not in queue)
    texts = {"rest.yaml": rest, "pools.json": POOLS, "cluster.json": CLUSTER, "small.yaml": queue[0]}
    texts["large.yaml"] = edited(queue[0], "nominalQuota: 16", "nominalQuota: 64")
    assert _rules(_lint(texts)) == [f"large.yaml {_RULE}"]


def _object(name: str) -> Object:
    body: dict[str, Value] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    each = manifest(body, origin=name)
    assert each is not None
    return each


@pytest.mark.parametrize("count", [10, 400, 1200])
def test_the_work_grows_with_the_files(count: int) -> None:
    alternatives, shared = ([_object(f"{name}{index}") for index in range(count)] for name in "ab")
    worlds = list(worlds_of([*alternatives, *shared], {each.name: ("a",) for each in alternatives}))
    assert len(worlds) == count
    assert {each.name for world in worlds for each in world} >= {each.name for each in alternatives}
    assert sum(len(world) for world in worlds) <= 6 * count + 1000


def test_the_command_groups_by_folder_where_one_is_named(tmp_path: Path) -> None:
    for name, text in {"dev/q.yaml": _TOO_MUCH, "prod/p.json": POOLS, "prod/c.json": CLUSTER}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    every = sorted(str(each) for each in tmp_path.glob("*/*"))
    assert main([str(tmp_path)]) == 0
    assert main([str(tmp_path), "--together"]) == 1
    assert main(every) == 1
    assert main([*every, "--apart"]) == 0


def test_a_repetition_is_shown_in_order() -> None:
    verdict = _lint({"b.yaml": f"{_CLASS.format('x', 1)}---\n{_CLASS.format('x', 'many')}", "a.yaml": _TOO_MUCH})
    assert [each.split()[1] for each in told(verdict)] == ["object-is-declared-once", "field-has-its-type"]

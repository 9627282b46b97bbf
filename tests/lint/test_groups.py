"""Which objects meet each other: those of a folder, a kustomization or a chart; all, where the call says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.__main__ import main
from policies.lint.files import File
from policies.lint.grouping import Unit, group
from policies.lint.linting import Options, lint
from policies.objects.world import manifest
from tests.lint.given import CLUSTER, OBJECTS, POOLS, edited, told

if TYPE_CHECKING:
    from pathlib import Path

    from policies.lint.linting import Linted
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


def test_a_kustomization_joins_the_folders_of_its_resources() -> None:
    texts = {
        "base/kustomization.yaml": "resources: [queues.yaml]\n",
        "base/queues.yaml": _TOO_MUCH,
        "prod/kustomization.yaml": "resources: [../base]\n",
        "prod/pools.json": POOLS,
        "prod/cluster.json": CLUSTER,
        "dev/kustomization.yaml": "resources: [../base]\n",
    }
    assert _rules(_lint(texts)) == []
    texts["prod/kustomization.yaml"] = "resources: [../base, pools.json, cluster.json]\n"
    assert _rules(_lint(texts)) == [f"base/queues.yaml {_RULE}"]


def test_kustomizations_that_name_each_other_end() -> None:
    texts = {"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a, q.yaml]\n"}
    assert _rules(_lint({**texts, "b/q.yaml": OBJECTS})) == []


_CLASS: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {{name: {}}}\nvalue: {}\n"


def test_a_name_twice_is_an_error_in_one_file_and_in_one_kustomization() -> None:
    one, two = _CLASS.format("normal", 1), _CLASS.format("normal", 2)
    assert _rules(_lint({"a.yaml": f"{one}---\n{two}"})) == ["a.yaml object-is-declared-once"]
    assert _rules(_lint({"a.yaml": one, "b.yaml": two})) == []
    assert _rules(_lint({"a.yaml": one, "b.yaml": two}, is_together=True)) == []
    kustomization = {"kustomization.yaml": "resources: [a.yaml, b.yaml]\n"}
    assert _rules(_lint({**kustomization, "a.yaml": one, "b.yaml": two})) == ["b.yaml object-is-declared-once"]


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


def _unit(name: str, *keys: str) -> Unit:
    body: dict[str, Value] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    each = manifest(body, origin=name)
    assert each is not None
    return Unit([each], {(key,) for key in keys})


@pytest.mark.parametrize("count", [10, 400, 1200])
def test_the_work_grows_with_the_files(count: int) -> None:
    alternatives = [_unit(f"a{index}", "a") for index in range(count)]
    shared = [_unit(f"b{index}", f"b{index}") for index in range(count)]
    worlds = group([*alternatives, *shared])
    assert len(worlds) == count
    assert {each.place.origin for world in worlds for each in world} >= {f"a{index}" for index in range(count)}
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

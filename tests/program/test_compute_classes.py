"""The whole program on ComputeClasses: the pools that belong to one, the class, and the workloads that select it."""

from __future__ import annotations

from tests.model.catalogue.compute_class import with_class
from tests.program.harness import run_stack

_LABEL = "cloud.google.com/compute-class"


def test_pools_of_a_class_have_its_label_and_its_taint() -> None:
    run = run_stack(with_class().set("tpu_slices", 0, labels={"team": "research"}))
    pool = run.one("NodePool", "v5e2").inputs["nodeConfig"]
    assert pool["labels"] == {"team": "research", _LABEL: "any-v5e"}
    assert pool["taints"] == [{"key": _LABEL, "value": "any-v5e", "effect": "NO_SCHEDULE"}]
    assert {"labels", "taints"}.isdisjoint(run.one("NodePool", "system").inputs["nodeConfig"])


def test_a_class_comes_after_its_pools_and_before_the_workloads() -> None:
    run = run_stack(with_class())
    of_class = run.one("ComputeClass", "any-v5e")
    assert of_class.type == "kubernetes:cloud.google.com/v1:ComputeClass"
    assert run.one("NodePool", "v5e1").reference in of_class.options["dependencies"]
    assert of_class.reference in run.one("JobSet", "default/train").options["dependencies"]

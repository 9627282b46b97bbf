"""What a first run of lint shows: the cause without its consequences, what was not checked, what to do next."""

from __future__ import annotations

import json
from typing import Final

import pytest

from components.model.findings import listing
from policies.lint.files import File
from policies.lint.formats import as_json, as_text
from policies.lint.linting import Linted, Options, lint
from tests.lint.given import CLUSTER, OBJECTS, POOLS, edited, linted, told

_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: train, image: ml/train:1.0}]
"""
_RAY: Final = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: serve}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: head, image: "rayproject/ray:2.46.0"}]}}
  workerGroupSpecs:
    - groupName: tpu
      replicas: 1
      numOfHosts: 4
      template:
        spec:
          nodeSelector:
            cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
            cloud.google.com/gke-tpu-topology: 4x4
          containers: [{name: worker, image: "rayproject/ray:2.46.0", resources: {limits: {google.com/tpu: 4}}}]
"""
_QUEUED: Final = edited(_JOB, "namespace: research}", "namespace: a, labels: {kueue.x-k8s.io/queue-name: train}}")
_CLASS: Final = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: WorkloadPriorityClass\nmetadata: {name: N}\nvalue: many\n"
_ROUTE: Final = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: N}\n"
_UNREAD: Final = 'kueue.x-k8s.io/job-min-parallelism: "2"'
"""It has no effect on a RayCluster, which is a warning."""
_ACCEPT: Final = "--ignore RULE:PATH leaves out what you accept. --write-baseline FILE accepts what is there today."
_TOGETHER: Final = "--together checks all folders as one platform, with the {} of other folders."


def _walked(texts: dict[str, str], *, is_together: bool | None = None) -> Linted:
    files = [File(name, text.encode(), is_walked=True) for name, text in texts.items()]
    return lint(files, Options(is_together=is_together))


def _next(verdict: Linted) -> list[str]:
    """What the text advises, in lines."""
    _, is_there, after = as_text(verdict).partition("Next: ")
    return [each.strip() for each in after.partition("\n\n")[0].splitlines()] if is_there else []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (edited(_JOB, "restartPolicy", "restartpolicy"), "a:7:7 field-exists Job research/train: "),
        (edited(_RAY, "numOfHosts", "numOfHost"), "a:10:7 field-exists RayCluster serve: "),
    ],
)
def test_a_misspelled_key_is_told_without_what_follows_from_it(text: str, says: str) -> None:
    (found,) = told(linted(text))
    assert found.startswith(says)


def test_a_key_that_is_stated_beside_a_misspelled_one_is_judged() -> None:
    text = edited(_RAY, "      numOfHosts: 4\n", "      numOfHosts: 3\n      numOfHost: 4\n")
    assert [each.rule for each in linted(text).findings] == ["slice-has-a-pod-per-host", "field-exists"]


def test_an_unknown_key_that_means_nothing_explains_nothing() -> None:
    text = edited(_JOB, "restartPolicy: Never", "colour: red")
    assert {each.rule for each in linted(text).findings} == {"field-exists", "pods-of-jobs-end"}


def test_the_summary_counts_what_no_rule_knows() -> None:
    verdict = linted(_JOB, "---\n".join(_ROUTE.replace("N", name) for name in "ab"))
    assert as_text(verdict).endswith("\nnothing found; 1 of 3 objects checked in 2 files.")
    assert json.loads(as_json(verdict))["skipped"] == 2
    assert as_text(linted(_ROUTE)).endswith("\nnothing found; 0 of 1 object checked in 1 file.")


def test_a_call_without_objects_does_not_say_that_all_is_well() -> None:
    assert as_text(_walked({"package.json": '{"name": "a"}'})).endswith("\nnothing to check: no objects in no files.")


def test_queues_of_other_folders_are_named_and_how_to_check_with_them() -> None:
    kustomization = (
        "namePrefix: dev-\nresources: [queues.yaml]\n"  # it renames the queues, so they are of another cluster
    )
    texts = {"queues/kustomization.yaml": kustomization, "queues/queues.yaml": OBJECTS, "jobs/job.yaml": _QUEUED}
    apart = _walked(texts)
    (reason,) = (each.reason for each in apart.doubts if "LocalQueues" in each.lacks)
    kinds = ["LocalQueues", "ClusterQueues", "ResourceFlavors", "WorkloadPriorityClasses"]
    assert reason == f"Job train refers to {listing(kinds, 'or')}, and there are none beside it"
    assert _next(apart)[0] == _TOGETHER.format(listing(kinds))
    assert not any(each.startswith("--together") for each in _next(_walked(texts, is_together=True)))


def test_listings_that_are_missing_are_named_with_their_command() -> None:
    (advice,) = _next(linted(OBJECTS))
    pools, clusters = "container node-pools list --cluster CLUSTER", "container clusters list"
    commands = f"gcloud {pools} --format=json > pools.json; gcloud {clusters} --format=json > clusters.json"
    assert advice == f"to check against node pools and clusters, name the listing too: {commands}"
    assert _next(linted(OBJECTS, POOLS, CLUSTER)) == []


def test_what_is_accepted_is_advised_on_where_much_is_found() -> None:
    classes = [_CLASS.replace("N", name) for name in "abcd"]
    assert _next(linted("---\n".join(classes[:3]))) == []
    assert _next(linted("---\n".join(classes))) == [_ACCEPT]
    warned = edited(_RAY, "name: serve}", f"name: serve, annotations: {{{_UNREAD}}}}}")
    mixed = linted("---\n".join([*classes, warned]))
    assert len({each.severity for each in mixed.findings}) == 2
    assert _next(mixed)[-1] == f"--severity error shows errors alone. {_ACCEPT}"

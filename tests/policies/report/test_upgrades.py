"""What the report names to be done before an update that upgrades a controller."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.policies.report.stream import resources, steps, stream, told
from tests.stacks import Stack, a_platform

_TITLE: Final = "### What to do before the update\n"
_DEFINITIONS: Final = (
    "helm show crds oci://registry.k8s.io/jobset/charts/jobset --version 0.12.0 "
    "| kubectl apply --server-side --force-conflicts -f -"
)
_RESTARTS: Final = ": it restarts, which ends no work"
_APPLY: Final = "Helm does not upgrade its CustomResourceDefinition: apply the new one first."
_CHECK: Final = "First check whether objects are stored in an older version of its API."
_JOBSET: Final = f"""
JobSet is upgraded from 0.11.0 to 0.12.0{_RESTARTS}. {_APPLY}

```sh
{_DEFINITIONS}
```
"""
_KUEUE: Final = f"""
Kueue is upgraded from 0.16.2 to 0.19.2{_RESTARTS}. {_CHECK}

```sh
tpu migrate
```
"""
_OPERATIONS: Final = Path(__file__).parents[3] / "docs" / "operations.md"


def with_releases(**versions: str) -> Stack:
    """The small platform with such releases of its controllers."""
    return a_platform().set(controllers={name: {"version": version} for name, version in versions.items()})


def report_of(before: Stack, after: Stack) -> str:
    return told(stream(steps(resources(before), resources(after))))


def test_each_controller_that_is_upgraded_has_its_step() -> None:
    text = report_of(with_releases(jobset="0.11.0", kueue="0.16.2"), with_releases(jobset="0.12.0", kueue="0.19.2"))
    assert f"{_TITLE}{_JOBSET}{_KUEUE}\n\n### " in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (with_releases(jobset="0.12.0", kueue="0.19.2"), with_releases(jobset="0.11.0", kueue="0.16.2")),
        (with_releases(kueue="0.19.2"), with_releases(kueue="0.19.2").set("tpu_slices", 0, slices=3)),
    ],
    ids=["downgrade", "another change"],
)
def test_nothing_is_to_be_done_where_nothing_is_upgraded(before: Stack, after: Stack) -> None:
    assert _TITLE not in report_of(before, after)


def test_a_first_installation_needs_no_step() -> None:
    after = resources(a_platform())
    before = {reference: inputs for reference, inputs in after.items() if "Release" not in reference}
    assert _TITLE not in told(stream(steps(before, after)))


def test_a_release_that_states_no_exact_version_is_passed_over() -> None:
    after = resources(with_releases(jobset="0.12.0"))
    reference = "kubernetes:helm.sh/v3:Release::jobset"
    before = after | {reference: {**after[reference], "version": "~0.11"}}
    assert _TITLE not in told(stream(steps(before, after)))


def test_the_guide_has_the_same_commands() -> None:
    guide = [line.strip() for line in _OPERATIONS.read_text().splitlines()]
    assert _DEFINITIONS in guide
    assert "tpu migrate" in guide

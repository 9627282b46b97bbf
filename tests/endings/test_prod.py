"""What the report says each change of `prod` ends, and what the API server's record shows ended after the update.

The stack is the committed one with two reserved slices instead of eight, and a declared run, which waits for spot or
flex-start slices when others hold those that are reserved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.control_plane.edited import entry
from tests.endings.changes import (
    SOME,
    Change,
    Platform,
    add_a_billing_label,
    ends,
    let_ordinary_nodes_be_more,
    maintain_at_night,
    nothing,
    pool,
    queue,
    share,
    stop,
)
from tests.endings.compared import Compared
from tests.endings.submitted import deployment, job_set

if TYPE_CHECKING:
    from tests.harness import Simulator

_HOSTS: Final = 8
_USERS: Final = (
    job_set("research/mine", "research", 1, _HOSTS),
    job_set("applied/theirs", "applied", 1, _HOSTS),
    deployment("applied/server"),
)


def _prepare(platform: Platform) -> None:
    pool(platform, "reserved")["slices"] = 2
    for name in ("research", "applied"):
        share(platform, name, "v6e-reserved")["chips"] = 32
    platform["workloads"] = [
        {
            "name": "train",
            "namespace": "research",
            "kind": "jobset",
            "queue": "research",
            "priority": "normal",
            "flavors": ["v6e-flex"],
            "slices": 1,
            "max_restarts": 100,
            "image": "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1",
            "script": "sleep 8640000",
        }
    ]


def share_by_other_weights(platform: Platform) -> None:
    queue(platform, "research")["fair_share_weight"] = 1


def remove_a_protected_slice(platform: Platform) -> None:
    pool(platform, "reserved")["slices"] = 1
    for name, chips in (("research", 32), ("applied", 0)):
        share(platform, name, "v6e-reserved")["chips"] = chips


def let_flex_start_nodes_live_longer(platform: Platform) -> None:
    pool(platform, "flex")["max_run_seconds"] = 500000


def remove_slices_that_are_not_there(platform: Platform) -> None:
    pool(platform, "spot")["slices"] = 2
    for name in ("research", "applied"):
        share(platform, name, "v6e-spot")["chips"] = 32


def change_a_declared_run(platform: Platform) -> None:
    entry(platform["workloads"], "train")["script"] = "sleep 8640001"


def allow_its_deletion(platform: Platform) -> None:
    platform["cluster"]["deletion_protection"] = False


CHANGES: Final = (
    Change(nothing),
    Change(add_a_billing_label),
    Change(maintain_at_night),
    Change(share_by_other_weights),
    Change(remove_a_protected_slice, is_refused=True),
    Change(stop("applied", "drain", "drain"), ends("JobSet applied/theirs")),
    Change(stop("applied", None, "resume")),
    Change(remove_slices_that_are_not_there),
    Change(change_a_declared_run, ends("JobSet research/train")),
    Change(let_flex_start_nodes_live_longer, SOME),
    Change(let_ordinary_nodes_be_more),
    Change(allow_its_deletion),
)


@pytest.fixture(scope="module")
def compared(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """The stack, up, with all work on it."""
    return Compared.brought_up(simulator, "prod", tmp_path_factory.mktemp("prod") / "project", _prepare, _USERS)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_what_the_report_says_ends_is_what_ends(compared: Compared, change: Change) -> None:
    compared.check(change)

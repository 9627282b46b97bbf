"""What a report says of storage, and of quota that workloads give back."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.model.catalogue.checkpoints import with_checkpoints
from tests.model.catalogue.disk import with_disk
from tests.model.catalogue.lustre import with_lustre
from tests.policies.report.stream import resources, steps, stream, told
from tests.stacks import Stack, a_platform

PLATFORM: Final = a_platform()
BUCKETS: Final = [{"name": "acme-data", "location": "us-west4"}]


def report_of(before: Stack, after: Stack) -> str:
    return told(stream(steps(resources(before), resources(after))))


def mounting(*mounts: dict[str, Any]) -> Stack:
    return PLATFORM.set(buckets=BUCKETS).set("workloads", 0, mounts=list(mounts))


def test_without_storage_nothing_is_said_of_it() -> None:
    assert "Storage" not in report_of(PLATFORM, PLATFORM.set("tpu_slices", 0, slices=3))


@pytest.mark.parametrize(
    ("after", "row"),
    [
        (with_lustre(), "| `Managed Lustre` | `scratch` | none | 18000 GiB, 1000 MBps per TiB |"),
        (with_disk(), "| `Hyperdisk ML` | `model` | none | 100 GiB, ReadWriteOnce |"),
        (with_checkpoints(), "| `Checkpoints` | `checkpoints` | none | 50Gi of each host |"),
        (
            mounting({"bucket": "acme-data", "path": "/in", "profile": "training", "read_only": True}),
            "| `Bucket acme-data` | `default/train` | none | read, for training |",
        ),
        (
            mounting({"bucket": "acme-data", "path": "/out", "profile": "checkpointing", "cache_gib": 4}),
            "| `Bucket acme-data` | `default/train` | none | read and written, for checkpointing |",
        ),
        (
            mounting({"bucket": "acme-data", "path": "/out"}),
            "| `Bucket acme-data` | `default/train` | none | read and written |",
        ),
    ],
)
def test_storage_that_is_new_is_a_row(after: Stack, row: str) -> None:
    assert row in report_of(PLATFORM, after)


def test_storage_that_stays_is_folded() -> None:
    text = report_of(with_disk(), with_disk().set("tpu_slices", 0, slices=3))
    assert "No storage changes." in text
    assert "| `Hyperdisk ML` | `model` | 100 GiB, ReadWriteOnce | 100 GiB, ReadWriteOnce |" in text


def test_a_larger_instance_and_its_price_that_nobody_knows() -> None:
    text = report_of(with_lustre(), with_lustre(capacity_gib=27000))
    assert "| 18000 GiB, 1000 MBps per TiB | 27000 GiB, 1000 MBps per TiB |" in text
    assert "Managed Lustre of 1000 MBps per TiB in us-west4" in text


def test_instances_and_disks_that_are_deleted_lose_their_data() -> None:
    assert "Instance `scratch`" in report_of(with_lustre(), PLATFORM)
    assert "Disk model" in report_of(with_disk(), PLATFORM)


def test_quota_that_is_given_back_is_said_when_that_changes() -> None:
    after = PLATFORM.set(controllers={"kueue": {"pods_ready": {"timeout_seconds": 900}}})
    said = "Workloads whose pods are not ready: keep their quota → give it back after 900s."
    assert said in report_of(PLATFORM, after)
    assert "Workloads whose pods are not ready" not in report_of(after, after.set("tpu_slices", 0, slices=3))

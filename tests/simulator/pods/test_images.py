"""Which images have a program on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from simulator.pods.images import program_of
from simulator.pods.programs import ImageError

_RELEASES: Final = {
    "kueue": {"v0.19.2": Path("kueue"), "v0.16.2": Path("older-kueue")},
    "jobset": {"v0.12.0": Path("jobset")},
}


@pytest.mark.parametrize(
    ("image", "program"),
    [
        ("registry.k8s.io/kueue/kueue:v0.19.2", "kueue"),
        ("registry.k8s.io/kueue/kueue:v0.16.2", "kueue"),
        ("us-docker.pkg.dev/mirror/kueue/kueue:v0.16.2@sha256:00", "kueue"),
        ("localhost:5000/jobset/jobset:v0.12.0", "jobset"),
        ("registry.k8s.io/kueue/kueueviz-backend:v0.16.2", None),
        ("kueue:v0.16.2", None),
        ("redis:7.2", "redis"),
        ("library/redis:7.2.5-alpine", "redis"),
        ("docker.io/library/redis:6", "redis"),
        ("us-docker.pkg.dev/acme/mirror/redis:7.2", "redis"),
        ("localhost:5000/redis:7", "redis"),
        ("bitnami/redis:7.2", None),
        ("docker.io/bitnami/redis:7.2", None),
        ("redis-exporter:1", None),
        ("us-central1-docker.pkg.dev/acme/batch-ml/fraud-detection:1.0.0", "fraud-detection"),
        ("localhost:5000/fraud-detection@sha256:00", "fraud-detection"),
        ("acme/fraud-detection/serving:1", None),
        ("acme/not-fraud-detection:1", None),
        ("busybox", None),
    ],
)
def test_the_end_of_the_repository_decides(image: str, program: str | None) -> None:
    found = program_of(image, _RELEASES)
    assert (found and found.name) == program


@pytest.mark.parametrize(
    ("image", "here"),
    [
        ("registry.k8s.io/kueue/kueue:v0.17.0", "kueue v0.19.2 and v0.16.2"),
        ("registry.k8s.io/kueue/kueue", "kueue v0.19.2 and v0.16.2"),
        ("registry.k8s.io/kueue/kueue@sha256:00", "kueue v0.19.2 and v0.16.2"),
        ("localhost:5000/kueue/kueue", "kueue v0.19.2 and v0.16.2"),
        ("registry.k8s.io/jobset/jobset:v0.16.2", "jobset v0.12.0"),
    ],
)
def test_a_release_that_is_not_here_is_refused_with_those_that_are(image: str, here: str) -> None:
    with pytest.raises(ImageError) as caught:
        program_of(image, _RELEASES)
    assert str(caught.value) == f"the simulator runs {here}; image {image} is another version"


@pytest.mark.parametrize("image", ["redis", "redis:8.0", "redis:7.4-alpine", "redis:alpine", "redis@sha256:00"])
def test_a_redis_that_is_later_than_the_one_here_is_refused(image: str) -> None:
    with pytest.raises(ImageError) as caught:
        program_of(image, _RELEASES)
    assert str(caught.value) == f"the simulator runs what Redis 7.2 does; image {image} names no release up to that"

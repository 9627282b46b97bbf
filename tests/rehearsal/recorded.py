"""Records of a few jobs of the stack `dev`, and that stack with another quota."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from components.model.facts.gke import RESOURCE_TPU
from tests.stacks import PLATFORM_KEY, platform_of
from tpu.trace.lines import (
    SECOND,
    Admitted,
    Asked,
    Assignment,
    Evicted,
    Finished,
    PodSet,
    Ready,
    Released,
    Reserved,
    Seen,
    Trace,
    as_json,
    moment,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tpu.trace.lines import Line

CHANGED: Final = {"research": 16, "applied": 0}
"""Chips of each flavor."""
START: Final = moment("2026-11-16T08:00:00Z")
POD_SET: Final = "main"


def at(seconds: int) -> int:
    """A moment of the record."""
    return START + seconds * SECOND


def asked(name: str, team: str, seconds: int, *, chips: int = 8, namespace: str | None = None) -> Asked:
    """A job of one pod, for the LocalQueue of its team."""
    pods = PodSet(name=POD_SET, count=1, requests={RESOURCE_TPU: str(chips)})
    return Asked(
        at=at(seconds),
        uid=f"uid-{name}",
        namespace=team if namespace is None else namespace,
        name=name,
        job=f"Job/{name}",
        team=team,
        queue=team,
        cluster_queue=team,
        pod_sets=(pods,),
    )


def reserved(name: str, seconds: int, *, flavor: str = "v5e", chips: int = 8, queue: str = "applied") -> list[Line]:
    """It is admitted, and its pods start at once."""
    held = Assignment(name=POD_SET, count=1, flavors={RESOURCE_TPU: flavor}, usage={RESOURCE_TPU: str(chips)})
    uid, moment_ = f"uid-{name}", at(seconds)
    return [
        Reserved(at=moment_, uid=uid, cluster_queue=queue, pod_sets=(held,)),
        Admitted(at=moment_, uid=uid),
        Ready(at=moment_, uid=uid),
    ]


def evicted(name: str, seconds: int) -> list[Line]:
    """It is evicted, and its quota is free at once."""
    uid, moment_ = f"uid-{name}", at(seconds)
    return [Evicted(at=moment_, uid=uid, reason="Preempted"), Released(at=moment_, uid=uid)]


def finished(name: str, seconds: int) -> Finished:
    """Its job has ended."""
    return Finished(at=at(seconds), uid=f"uid-{name}", reason="Succeeded")


def whole(lines: Iterable[Line], until: int) -> list[Line]:
    """A record of so many seconds."""
    return [Trace(at=START), *lines, Seen(at=at(until))]


def busy() -> list[Line]:
    """Research fills all chips of `dev` for 50 minutes; then applied takes its quota back for two jobs.

    It is what the stack `dev` decides: `r2` and `r4`, which came last in each flavor, are evicted, and run anew.
    """
    jobs = {"r1": 10, "r2": 20, "r3": 30, "r4": 40, "a1": 100, "a2": 110}
    stays: list[tuple[str, str, int, int, bool]] = [
        ("r1", "v5e", 10, 3010, True),
        ("r2", "v5e", 20, 100, False),
        ("r3", "v6e-flex", 30, 3030, True),
        ("r4", "v6e-flex", 40, 110, False),
        ("a1", "v5e", 100, 700, True),
        ("a2", "v6e-flex", 110, 1010, True),
        ("r2", "v5e", 700, 3700, True),
        ("r4", "v6e-flex", 1010, 4010, True),
    ]
    made: list[Line] = []
    for name, seconds in jobs.items():
        team = _team(name)
        made.append(asked(name, team, seconds))
    for name, flavor, since, until, is_over in stays:
        made += reserved(name, since, flavor=flavor, queue=_team(name))
        made += [finished(name, until)] if is_over else evicted(name, until)
    return whole(sorted(made, key=lambda line: line.at), 4000 + 600)


def _team(name: str) -> str:
    return "research" if name.startswith("r") else "applied"


def record_of(lines: Iterable[Line]) -> str:
    """The text of a record."""
    return b"".join(map(as_json, lines)).decode()


def dev(quota: Mapping[str, int] | None = None) -> str:
    """The stack file, in which each queue has so many chips of each flavor."""
    platform = platform_of("dev") if quota is None else with_quota(platform_of("dev"), quota)
    return json.dumps({"config": {"gcp:project": "tpu-sandbox", PLATFORM_KEY: platform}})


def with_quota(platform: dict[str, Any], quota: Mapping[str, int]) -> dict[str, Any]:
    """The platform in which each queue has so many chips of each flavor."""
    queues = [
        {**queue, "flavors": [{**each, "chips": quota[queue["name"]]} for each in queue["flavors"]]}
        for queue in platform["queues"]
    ]
    return {**platform, "queues": queues}

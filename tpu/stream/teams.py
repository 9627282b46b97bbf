"""Who submits Jobs, and where: teams from the command line or from the LocalQueues that a cluster has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from components.kubeapi import Api, ApiError, Document
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Sequence


_API: Final = "/apis/kueue.x-k8s.io/v1beta2"
_TEAM: Final = re.compile(r"(?P<name>[a-z0-9-]+)=(?P<queue>[a-z0-9.-]+)(?::(?P<pods>[1-9][0-9]*))?")


class TeamError(Exception):
    """A team cannot submit; the text says what is missing and what there is."""


class Team(NamedTuple):
    """One team."""

    name: str
    """Its namespace too."""
    queue: str
    """Its LocalQueue."""
    pods: int = 1
    """Of each of its Jobs."""


DEFAULT_TEAMS: Final = (Team("team-a", "lq-team-a", 3), Team("team-b", "lq-team-b", 1))
"""Three Jobs of team-a fill nine of ten GPUs: a fourth waits, and a Job of team-b fits beside it."""


def parse(text: str) -> Team:
    """A team as the command line names it, NAME=QUEUE or NAME=QUEUE:PODS.

    >>> parse("team-a=lq-team-a:3")
    Team(name='team-a', queue='lq-team-a', pods=3)

    Raises:
        ValueError: it has another form.
    """
    found = _TEAM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is not of the form NAME=QUEUE or NAME=QUEUE:PODS, such as team-a=lq-team-a:3")
    return Team(found["name"], found["queue"], int(found["pods"] or 1))


def found_in(api: Api) -> tuple[Team, ...]:
    """A team of one pod per LocalQueue of the cluster, by namespace and name.

    Raises:
        TeamError: there is no Kueue, or no LocalQueue.
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster could not be read.
    """
    queues = _local_queues(api, f"{_API}/localqueues")
    teams = sorted(Team(each["metadata"]["namespace"], each["metadata"]["name"]) for each in queues)
    if not teams:
        raise TeamError("the cluster has no LocalQueue")
    return tuple(teams)


def check(api: Api, teams: Sequence[Team]) -> None:
    """Make sure that every team's namespace and queue exist.

    Raises:
        TeamError: one does not.
        kubeapi.ApiError, kubeapi.UnreachableError: the cluster could not be read.
    """
    for team in teams:
        queues = _local_queues(api, f"{_API}/namespaces/{team.name}/localqueues")
        names = sorted(each["metadata"]["name"] for each in queues)
        if team.queue in names:
            continue
        if api.find(f"/api/v1/namespaces/{team.name}") is None:
            raise TeamError(f"there is no namespace {team.name}; a team has one of its own name")
        raise TeamError(f"namespace {team.name} has no LocalQueue {team.queue}; it has {', '.join(names) or 'none'}")


def _local_queues(api: Api, path: str) -> list[Document]:
    try:
        found = api.items(path)
    except ApiError as error:
        if error.is_not_found:
            raise TeamError(f"the cluster does not serve {_API.removeprefix('/apis/')}: is Kueue installed?") from error
        raise
    return [each for each in found if not each["metadata"]["namespace"].startswith(gke.SYSTEM_NAMESPACES)]

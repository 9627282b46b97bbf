"""Rules about the commands, arguments and variables of containers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Severity
from components.model.rule import Family, rule
from components.model.secret_forms import secret_in, secret_in_argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from components.model.places import Place
    from components.model.plan import Plan
    from components.model.plan.pods import SidecarPlan, ValuePlan
    from components.model.plan.workloads import RunPlan

FAMILY: Final = Family.GUARDRAILS

_INSTALLS = re.compile(r"\b(?:(?:uv\s+)?pip[0-9.]*|conda|mamba|apt|apt-get)\s+(?:-\S+\s+)*install\b")


@rule(
    summary="no token, key or password stands in clear in pods, ConfigMaps, values of charts or metadata of nodes",
    why="Whoever may read the file, the object or the stack's state has the secret, and every copy keeps it.",
    source='Kubernetes documentation "Good practices for Kubernetes Secrets", read 2026-11',
)
def secret_is_not_in_clear(plan: Plan) -> Iterator[Finding]:
    """Checks the commands and the variables of a stack file."""
    for container, env in _containers(plan):
        for place, what in _secrets(container, env):
            yield secret_in_clear(place, what, remedy="Take it out, and let the pods read it from Secret Manager.")


SECRET_RULE: Final = secret_is_not_in_clear.id
"""Whoever shows its findings shows no line with a secret."""


def secret_in_clear(place: Place, what: str, *, remedy: str) -> Finding:
    """A secret is at the place; `what` describes it without its text."""
    return Finding(place=place, says=f"it holds {what}, in clear.", remedy=remedy)


def _containers(plan: Plan) -> Iterator[tuple[RunPlan | SidecarPlan, Mapping[str, ValuePlan]]]:
    """All containers of runs with their variables."""
    for work in plan.programs:
        yield work, work.pod.env
        yield from ((sidecar, sidecar.env) for sidecar in work.pod.sidecars)


def _secrets(container: RunPlan | SidecarPlan, env: Mapping[str, ValuePlan]) -> Iterator[tuple[Place, str]]:
    """Secrets, each as its place and a description."""
    for key, words in _commands(container):
        option = ""
        for index, word in enumerate(words):
            is_option = word.startswith("-")
            what = secret_in_argument("" if is_option else option, word)
            if what is not None:
                yield container.place.at(key, index), what
            option = word if is_option else ""
    for name, value in env.items():
        what = secret_in(name, value) if isinstance(value, str) else None
        if what is not None:
            yield container.place.at("env", name), what


def _commands(container: RunPlan | SidecarPlan) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, words in (("command", container.command), ("args", container.args)):
        if words is not None:
            yield key, words


def installation_in(words: Iterable[str]) -> str | None:
    """The words of a command that bring packages into a container that runs; None where there are none.

    >>> installation_in(["bash", "-c", "pip install -U jax && python train.py"]), installation_in(["pip", "list"])
    ('pip install', None)
    """
    found = _INSTALLS.search(" ".join(words))
    return None if found is None else found.group()


@rule(
    summary="containers install no packages when they start",
    why="Each host of a slice, at each restart, may get other versions, or fail without internet access.",
    source='Kubernetes documentation "Images", read 2026-11',
    severity=Severity.ADVICE,
)
def packages_are_in_the_image(plan: Plan) -> Iterator[Finding]:
    """Checks the commands of a stack file."""
    for container, _ in _containers(plan):
        for key, words in _commands(container):
            yield from package_installation(words, container.place.at(key))


def package_installation(words: Iterable[str], place: Place) -> Iterator[Finding]:
    """The command at the place installs packages in a container that runs."""
    installs = installation_in(words)
    if installs is not None:
        yield Finding(
            place=place,
            says=f"it runs {installs} in each container that starts.",
            remedy="Build an image with the packages, and name it by its tag.",
        )

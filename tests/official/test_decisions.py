"""The changes of the table through the official plugins, and through the stand-ins."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from simulator.providers.base import ProviderError
from simulator.providers.plugins import launcher
from tests.official.comparing import differing_inputs
from tests.official.wire import Plugin
from tests.simulator.providers.engine_log import engine_log
from tests.simulator.providers.official.table import Made, Row, not_modelled, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.harness import Simulator
    from tests.official.plugins import Official
    from tests.simulator.providers.kube.cluster import ApplyCluster

Resources = dict[tuple[str, str], Made]


@pytest.fixture
def their_own(made: Resources, official: Official, theirs: Simulator, cluster: ApplyCluster) -> Generator[Resources]:
    """The resources of the table before their official plugins, of the packages that have one."""
    theirs.run("exec", "--", "true")  # puts the launchers in place
    configs = {"gcp": {"project": "tpu-sandbox"}, "kubernetes": {"kubeconfig": cluster.kubeconfig}}
    with ExitStack() as opened:
        address, _ = opened.enter_context(engine_log())
        plugins: dict[str, Plugin] = {}
        for package, config in configs.items():
            if package not in official.packages:
                continue
            command = launcher(theirs.home, package)
            plugins[package] = opened.enter_context(closing(Plugin(command, theirs.environment, address)))
            plugins[package].configure(package, config)
        of = {key: each.target.type.partition(":")[0] for key, each in made.items()}
        yield {key: each.by(plugins[of[key]]) for key, each in made.items() if of[key] in plugins}


def test_every_resource_has_the_inputs_that_the_stand_in_records(made: Resources, their_own: Resources) -> None:
    others = [
        f"{type_} {name}: {each}"
        for (type_, name), resource in their_own.items()
        for each in differing_inputs(made[type_, name].inputs, resource.inputs)
    ]
    assert not others, "\n".join(others)


def test_every_decision_is_that_of_the_stand_in(
    made: Resources, their_own: Resources, record_property: Callable[[str, object], None]
) -> None:
    equal, skipped, others = 0, 0, list[str]()
    for row in rows():
        if (row.type, row.name) not in their_own:
            continue
        ours, words = made[row.type, row.name].decision(row)
        if any(not_modelled(row, words)):
            skipped += 1
            continue
        theirs, said = _decision(their_own[row.type, row.name], row)
        equal += ours == theirs
        if ours != theirs:
            others.append(f"{row}: {theirs}, the stand-in {ours}, the table {row.decision}; {said}")
    record_property("counted", f"decisions of the plugins: {equal} alike, {skipped} not modelled, {len(others)} others")
    assert not others, "\n".join(others)
    assert equal > 0


def _decision(resource: Made, row: Row) -> tuple[str, list[str]]:
    try:
        return resource.decision(row)
    except ProviderError as error:
        return "an error", [str(error)]

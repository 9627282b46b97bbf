"""What every stack must go through: previewed whole, up, settled, unchanged, and gone without a trace."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from components.kubeapi import Api, KubeconfigError
from simulator.cloud.api import Kind
from simulator.cloud.secrets import is_of_scenario
from simulator.processes import start_time
from tests.control_plane.admissions import Admissions
from tests.harness import NOTHING_PRINTED, Done, Simulator
from tests.leaks import Seen, assert_hidden, assert_no_secret, secrets_of

if TYPE_CHECKING:
    from collections.abc import Generator


@dataclass(frozen=True)
class Life:
    """A stack that was brought up, and what the commands said."""

    stack: str
    simulator: Simulator
    before: list[dict[str, Any]]
    """Steps of the preview before anything existed."""
    up: Done
    followed: Done = NOTHING_PRINTED
    """What watching it until it settled printed."""

    def planned(self, name: str, type_: str = "") -> dict[str, Any]:
        """The inputs that the first preview showed for the resource of that name; its type where several have it."""
        found = [step for step in self.before if _name(step["urn"]) == name and type_ in step["urn"]]
        assert len(found) == 1, f"{name}: {[step['urn'] for step in found]}"
        return found[0]["new"].get("inputs", {})


def bring_up(simulator: Simulator, stack: str) -> Life:
    """Preview the stack, bring it up and follow its work until that has settled."""
    life = start_up(simulator, stack)
    return replace(life, followed=follow(simulator, stack))


def start_up(simulator: Simulator, stack: str) -> Life:
    """Preview the stack and bring it up; its work goes on."""
    before = simulator.previewed(stack)
    return Life(stack, simulator, before, simulator.up(stack))


@contextmanager
def admissions_of(simulator: Simulator) -> Generator[Admissions]:
    """Every admission in the simulator's cluster, from its first moment to the end of the block."""

    def connect() -> Api | None:
        try:
            return simulator.api()
        except (FileNotFoundError, KubeconfigError):
            return None  # before the first cluster, or after the last

    seen = Admissions()
    over = seen.watch(connect)
    yield seen
    over.set()


def hurry(simulator: Simulator, speed: float, **seconds: float) -> None:
    """Let time pass so much faster than it does; `seconds` are the autoscaler's times, in simulated seconds."""
    simulator.run("exec", f"--speed={speed:g}", "--", "true")
    take_times(simulator, **seconds)


def take_times(simulator: Simulator, **seconds: float) -> None:
    """Set the autoscaler's times by name, in simulated seconds."""
    simulator.run("times", *(f"--{name.replace('_', '-')}={value:g}" for name, value in seconds.items()))


def follow(simulator: Simulator, stack: str) -> Done:
    """Watch the stack's work until it has settled."""
    return simulator.run("exec", "--", "python", "-m", "tpu.watch", "--stack", stack, "--until-settled")


def assert_preview_was_complete(life: Life) -> None:
    """Everything that exists now was shown before anything existed, but for providers that the engine makes itself."""
    assert {step["op"] for step in life.before} == {"create"}
    made = {each["urn"] for each in life.simulator.state(life.stack)["deployment"]["resources"]}
    shown = {step["urn"] for step in life.before}
    implicit = {urn for urn in made - shown if "::pulumi:providers:" in urn and "::default" in urn}  # the engine's own
    assert made - implicit == shown, sorted((made - implicit) ^ shown)


def assert_nothing_to_change(life: Life) -> None:
    """Neither the program nor the cloud asks for anything more."""
    life.simulator.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes", "--stack", life.stack)
    life.simulator.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--stack", life.stack)


def assert_no_secret_in_clear(life: Life) -> None:
    """No secret of the simulator or of its cluster stands in a file, in what the commands printed, or in what runs."""
    home, seen = life.simulator.home, Seen()
    hidden = secrets_of(home, life.simulator.api())
    assert_hidden({"what `up` printed": life.up.text, "what `watch` printed": life.followed.text}, hidden)
    assert_no_secret(home, hidden)
    seen.look()
    seen.assert_no_secret(hidden)


def assert_destroy_leaves_nothing(life: Life, *, by_make: bool = False) -> None:
    """Destroyed, nothing is left in the cloud; ended, no process runs and no file remains.

    Args:
        life: the stack.
        by_make: destroy and end by the targets of the Makefile, not by their commands.
    """
    simulator = life.simulator
    status = simulator.client.call("status")
    pids = [status["pid"], *(each["pid"] for cluster in status["clusters"] for each in cluster["processes"])]
    if by_make:
        assert "Resources:" in simulator.make("destroy", f"STACK={life.stack}").out
    else:
        simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", life.stack)
    assert_nothing_left(simulator)
    if by_make:
        simulator.make("down")
    else:
        simulator.run("down")
    assert not simulator.home.root.exists()
    assert [pid for pid in pids if start_time(pid) is not None] == []


def assert_nothing_left(simulator: Simulator) -> None:
    """Nothing is in the cloud, but for enabled APIs and secrets of a scenario, and no cluster runs or has a folder."""
    assert simulator.client.call("status")["clusters"] == []
    assert not list(simulator.home.clusters.iterdir())
    listed = {kind: simulator.client.call("cloud.list", kind=str(kind)) for kind in Kind if kind is not Kind.SERVICE}
    secrets = [each["apiName"] for each in listed[Kind.CONFIDENTIAL] if is_of_scenario(each)]
    left = [each["apiName"] for found in listed.values() for each in found]
    assert [name for name in left if not name.startswith(tuple(secrets))] == []


def _name(urn: str) -> str:
    """The logical name without the namespace in front of it."""
    return urn.rpartition("::")[2].rpartition("/")[2]

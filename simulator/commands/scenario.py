"""`scenario`: what happens to machines while the workloads of a stack run, from a file.

The file may also name secrets of Secret Manager: it stands for the people who give them a value on Google Cloud.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simulator.client import RemoteCloud, ensure
from simulator.cloud.api import Kind
from simulator.cloud.names import api_name
from simulator.cloud.secrets import OF_SCENARIO
from simulator.commands import CommandError
from simulator.commands.secrets import add_version
from simulator.scenario import Step
from simulator.scenarios import scenario_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home

_ENDINGS: Final = (".yaml", ".yml")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Held(_Part):
    """A secret that has a value before anything starts."""

    project: str
    name: str
    value: str


class _Entry(_Part):
    """A step as the file has it; for the rest see `Step`."""

    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False, alias="after")]
    workload: str
    lose: list[str] = Field(default_factory=list[str])
    lose_slice: bool = False
    out: list[str] = Field(default_factory=list[str], alias="out_of_stock")
    back: list[str] = Field(default_factory=list[str], alias="back_in_stock")


class Script(_Part):
    """A file."""

    secrets: list[Held] = Field(default_factory=list[Held])
    entries: list[_Entry] = Field(default_factory=list[_Entry], alias="steps")

    @property
    def steps(self) -> list[Step]:
        """Its steps, in their order."""
        return [Step.of(entry.model_dump()) for entry in self.entries]


def scenario(home: Home, what: str) -> Iterator[str]:
    """Play the scenario of a stack, or of a file; a stack that has none ends the scenario before.

    Raises:
        CommandError: there is no such file, it is not a scenario, or the cloud refuses a secret.
    """
    script = read(what)
    client = ensure(home)
    cloud = RemoteCloud(client)
    for held in script.secrets:
        secret = api_name(Kind.CONFIDENTIAL, project=held.project, name=held.name)
        if not cloud.list(Kind.CONFIDENTIAL_VERSION, f"{secret}/"):
            add_version(cloud, secret, held.value.encode(), OF_SCENARIO)
            yield f"scenario: secret {held.name} of {held.project} has a value"
    client.call("scenario.play", steps=[asdict(step) for step in script.steps])
    yield from (f"scenario: {step.text}" for step in script.steps)


def read(what: str) -> Script:
    """The scenario of a stack, by its name, or of a file, by its path.

    Raises:
        CommandError: there is no such file, or it is not a scenario.
    """
    path = Path(what) if what.endswith(_ENDINGS) else scenario_of(what)
    if path is None:
        return Script()
    try:
        return Script.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise CommandError(f"{what}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise CommandError(f"{what} is not YAML: {error}") from error
    except ValidationError as error:
        why = "; ".join(f"{_place(each['loc'])}: {each['msg']}" for each in error.errors())
        raise CommandError(f"{what} is not a scenario: {why}") from error


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "the file"

"""Commands that need a real cloud, which no test runs: everything about them that can be told without one."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from simulator.commands import listing
from simulator.home import Home
from tests.docs.blocks import blocks, spans
from tests.docs.cloud import (
    PROGRAMS,
    Typed,
    environments,
    marked,
    not_here,
    not_in_reference,
    row_of,
    spoken,
    table,
    typed,
    unparsed,
)
from tests.program.test_bootstrap import run
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.program.harness import Run

PAGE: Final = "docs/shared-state.md"
_BOOTSTRAP: Final = ("-C", "examples/bootstrap")
_LOCATION: Final = re.compile(r"gcpkms://\S+[^\s\"]|gs://[\w-]+|[\w-]+@[\w.-]+\.gserviceaccount\.com")


def told(command: str, where: str, find: Callable[[Typed], Iterator[str]]) -> list[str]:
    """What is wrong with a line, with its place."""
    return [f"{where}: {mistake}" for asked in typed(command) for mistake in find(asked)]


# --- every command


@pytest.mark.parametrize("command", marked())
def test_a_shell_can_read_it_and_it_runs_known_programs(command: str) -> None:
    assert unparsed(command) == ""
    assert [asked.program for asked in typed(command) if asked.program not in PROGRAMS] == []


def test_commands_and_flags_are_those_of_the_references() -> None:
    lines = {**marked(), **spoken()}
    assert [mistake for line, where in lines.items() for mistake in told(line, where, not_in_reference)] == []


def test_what_is_named_of_this_repository_is_there() -> None:
    assert [mistake for line, where in marked().items() for mistake in told(line, where, not_here)] == []


def test_the_table_has_nothing_that_no_document_asks_for() -> None:
    asked = [each for line in {**marked(), **spoken()} for each in typed(line) if each.program in table()]
    found = {(each.program, row[0]) for each in asked if (row := row_of(each))}
    assert found == {(program, command) for program, each in table().items() for command in each["commands"]}


def test_each_program_of_the_table_says_where_that_is_written_or_why_nobody_looked() -> None:
    for program, each in table().items():
        assert len({"source", "unconfirmed"} & set(each)) == 1, program
        assert "{page}" in each.get("source", "{page}"), program


# --- listings, which the simulator answers too


class _Empty:
    """Doubles the cloud: nothing is there."""

    def __init__(self, _: object) -> None:
        pass

    def list(self, _: object) -> list[dict[str, Any]]:
        """Nothing."""
        return []


def listings() -> list[str]:
    """Commands of gcloud whose output goes on."""
    asked = [each for line in marked() for each in typed(line)]
    return [" ".join(each.words) for each in asked if each.program == "gcloud" and "list" in each.words]


def test_the_listings_are_those_that_the_simulator_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "ensure", str)
    monkeypatch.setattr(listing, "RemoteCloud", _Empty)
    assert len(listings()) > 5
    for words in listings():
        assert list(listing.gcloud(Home(tmp_path), words.split())) == ["[]"]


# --- the page of the shared state, whose commands must fit what the program makes


@pytest.fixture(scope="module")
def page() -> list[Typed]:
    return [asked for block in blocks(PAGE) for command in block.commands for asked in typed(command)]


@pytest.fixture(scope="module")
def made(page: list[Typed]) -> Run:
    """What examples/bootstrap/ makes with the settings of the page, but for the texts that only other tests need."""
    stated = {words[-2]: words[-1] for _, words in page if words[:4] == (*_BOOTSTRAP, "config", "set")}
    assert stated.pop("gcp:project") == "octo-state"
    nested: dict[str, dict[str, str]] = {}
    for key in [key for key in stated if "." in key]:
        name, _, inner = key.partition(".")
        nested.setdefault(name, {})[inner] = stated.pop(key)
    done = run(**stated, **{name: str(value).replace("'", '"') for name, value in nested.items()})
    assert done.exit_code is None, done.log
    return done


def test_the_page_names_the_bucket_the_key_and_the_accounts_that_are_made(made: Run) -> None:
    ring, key = made.one("KeyRing", "states").inputs, made.one("CryptoKey", "states").inputs
    place = f"projects/octo-state/locations/{ring['location']}/keyRings/{ring['name']}/cryptoKeys/{key['name']}"
    accounts = made.outputs["DEPLOY_SERVICE_ACCOUNT"].values()
    expected = {made.outputs["PULUMI_BACKEND_URL"], f"gcpkms://{place}", *accounts}
    text = "\n".join([*(block.text for block in blocks(PAGE)), *spans(PAGE)])
    assert set(_LOCATION.findall(text)) == expected


def test_the_page_reads_outputs_that_there_are_and_sets_every_variable_that_the_workflows_read(
    page: list[Typed], made: Run
) -> None:
    outputs = {words[-1] for _, words in page if words[:4] == (*_BOOTSTRAP, "stack", "output")}
    assert outputs <= set(made.outputs)
    settings = [asked for asked in page if asked.program == "gh" and asked.words[:2] == ("variable", "set")]
    assert {asked.words[2] for asked in settings} == set(made.outputs) - {"secrets_provider"}
    for asked in settings:
        where = asked.value("--env")
        if where is not None:
            assert asked.value("--body") == made.outputs[asked.words[2]][where]
    assert [where for asked in settings for where in [asked.value("--env")] if where] == environments()


def test_the_page_makes_the_environments_of_the_workflows_in_its_repository(page: list[Typed]) -> None:
    repository = next(words[-1] for _, words in page if words[-2:-1] == ("repository",))
    paths = [asked.words[-1] for asked in page if asked.program == "gh" and asked.words[0] == "api"]
    assert paths == [f"repos/{repository}/environments/{name}" for name in environments()]
    stacks = [asked.words[2] for asked in page if asked.program == "pulumi" and asked.words[:2] == ("stack", "init")]
    assert set(stacks) == set(environments())


def test_the_package_that_others_install_is_there_by_that_name() -> None:
    [asked] = [each for line in marked() for each in typed(line) if each.program == "pip"]
    found = re.fullmatch(r"([\w-]+)\[(\w+)\] @ git\+https://[\w./-]+\.git#subdirectory=(\w+)", asked.words[-1])
    assert found is not None
    project = tomllib.loads((ROOT / found[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["name"], found[2] in project["optional-dependencies"]) == (found[1], True)


def test_what_others_run_and_use_of_this_repository_is_there() -> None:
    [asked] = [each for line in marked() for each in typed(line) if each.program == "uvx"]
    assert asked.words[0] == "--from"
    assert re.fullmatch(r"git\+https://[\w./-]+\.git", asked.words[1])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert asked.words[2] in project["scripts"]
    text = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert re.findall(r"\{id: ([\w-]+),", text) == [hook["id"]]
    [(action, given)] = re.findall(r"uses: example/tpu-platform/(\S+)@.*\n  with: (\{.*\})", text)
    inputs = yaml.safe_load((ROOT / action / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert set(yaml.safe_load(given)) <= set(inputs)


# --- would a wrong command be found?


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("gcloud container nodepools list", "gcloud has no command container nodepools list"),
        ("gcloud services list --active", "gcloud services list has no flag --active"),
        ("gcloud services enable compute.googleapi.com", "services enable: compute.googleapi.com is not known"),
        ("gh variable add NAME --body x", "gh has no command variable add NAME --body x"),
        ('gh variable set X --value "$(pulumi stack output X)"', "gh variable set has no flag --value"),
        ("kubectl get clusterqueue,localqueues -A -o json > x", "there is no kind clusterqueue"),
        ("kubectl get jobs --everywhere", "kubectl get has no flag --everywhere"),
        ("make venv && docker compose up", "docker has no command compose up"),
    ],
)
def test_what_no_reference_has_is_found(command: str, says: str) -> None:
    assert any(says in mistake for mistake in told(command, "a.md", not_in_reference))


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("pulumi preview --policy-pack policies/none", "there is no policies/none"),
        ("pulumi preview --policy-pack path/to/policies/none", "there is no path/to/policies/none"),
        ("pulumi -C bootstrap up --policy-pack ./policies/all", "there is no ./policies/all"),
        ("pulumi -C examples stack init x", "holds no Pulumi project"),
        ("pulumi up --stack=lunch", "there is no stack lunch"),
        ('pulumi stack init lunch --secrets-provider "$(true)"', "there is no stack lunch"),
        (
            "gcloud container node-pools list --cluster dev --location us-west4",
            "has a cluster dev in us-west4",
        ),
        ("docker build -f examples/Dockerfile -t a/b:1 .", "there is no examples/Dockerfile"),
        ("docker push us-docker.pkg.dev/a/b:1.0.0", "no stack file names us-docker.pkg.dev/a/b:1.0.0"),
        ("export PULUMI_BACKEND=gs://a", "nothing here reads PULUMI_BACKEND"),
    ],
)
def test_what_is_not_here_is_found(command: str, says: str) -> None:
    assert any(says in mistake for mistake in told(command, "a.md", not_here))


def test_what_a_shell_cannot_read_is_found() -> None:
    assert unparsed("pulumi up )") != ""
    assert unparsed('gh variable set A --body "$(pulumi stack output A)') != ""


def test_a_line_is_taken_apart() -> None:
    line = 'A=1 && gh variable set X --body "$(pulumi -C bootstrap stack output X)" > x | python -m y; cd z'
    assert list(typed(line)) == [
        Typed("pulumi", ("-C", "bootstrap", "stack", "output", "X")),
        Typed("A=1", ()),
        Typed("gh", ("variable", "set", "X", "--body", "VALUE")),
        Typed("python", ("-m", "y")),
        Typed("cd", ("z",)),
    ]

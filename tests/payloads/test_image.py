"""The trainer's Dockerfile: what an image built of it is, as far as its text says."""

from __future__ import annotations

import re
from typing import Final

from payloads.fraud_detection.__main__ import IMAGE_USER
from tests.tracked import ROOT, tracked

_OWN: Final = ROOT / "payloads" / "fraud_detection"
_BASE: Final = re.compile(r"python:3\.\d+\.\d+-slim-[a-z]+(?:@sha256:[0-9a-f]{64})?")


def _instructions() -> list[tuple[str, str]]:
    """Instructions with their arguments, without comments, a continued line as one."""
    text = re.sub(r"^#.*\n", "", (_OWN / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def _all(word: str) -> list[str]:
    return [rest for each, rest in _instructions() if each == word]


def _stage(index: int) -> list[tuple[str, str]]:
    """The instructions of a stage."""
    found: list[list[tuple[str, str]]] = []
    for word, rest in _instructions():
        if word == "FROM":
            found.append([])
        elif found:
            found[-1].append((word, rest))
    return found[index]


def test_every_stage_is_of_a_slim_base_of_one_release() -> None:
    (base,) = _all("ARG")
    name, _, image = base.partition("=")
    assert _BASE.fullmatch(image)
    assert [each.split()[0] for each in _all("FROM")] == [f"${{{name}}}"] * 2


def test_what_runs_is_not_root_and_prepare_knows_who_it_is() -> None:
    assert [rest for word, rest in _stage(-1) if word == "USER"] == [IMAGE_USER]
    last = [word for word, _ in _stage(-1)]
    assert last.index("USER") > max(index for index, word in enumerate(last) if word in ("COPY", "ENV", "WORKDIR"))
    assert int(IMAGE_USER.partition(":")[0]) > 0


def test_nothing_is_fetched_but_packages_with_their_hashes() -> None:
    assert _all("ADD") == []
    assert "://" not in (_OWN / "Dockerfile").read_text()
    installing = [rest for rest in _all("RUN") if re.search(r"\b(?:pip|apt-get|apt|curl|wget)\b", rest)]
    (command,) = installing
    (install,) = [each for each in command.split("&&") if " install " in each]
    assert {"--require-hashes", "--only-binary=:all:", "--no-cache-dir"} <= set(install.split())
    assert command.rpartition("&&")[2].split() == ["/opt/trainer/bin/pip", "uninstall", "--yes", "pip"]
    *_, flag, given = install.split()
    assert flag == "-r"
    assert ("COPY", f"payloads/fraud_detection/requirements.txt {given}") in _stage(0)


def test_the_last_stage_has_the_program_and_its_packages_alone() -> None:
    assert [word for word, _ in _stage(-1) if word == "RUN"] == []
    assert [rest.split()[:-1] for word, rest in _stage(-1) if word == "COPY"] == [
        ["--from=packages", "/opt/trainer"],
        ["payloads/__init__.py"],
        ["payloads/fraud_detection/*.py"],
    ]


def test_what_is_copied_is_in_the_repository() -> None:
    sources = [source for rest in _all("COPY") for source in rest.split()[:-1] if source.startswith("payloads/")]
    assert [source for source in sources if not tracked(source)] == []
    assert len(sources) == 3

"""The trainer's image: the text of its Dockerfile, and requirements that are those of the tests."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.__main__ import IMAGE_USER

from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from pathlib import Path

_OWN: Final = ROOT / "examples" / "trainer" / "payloads" / "fraud_detection"
_BASE: Final = re.compile(r"python:3\.\d+\.\d+-slim-[a-z]+(?:@sha256:[0-9a-f]{64})?")
_PIN: Final = re.compile(r"^([a-z0-9-]+==\S+(?: ; [^\\]+?)?) \\$", re.MULTILINE)


def _instructions() -> list[tuple[str, str]]:
    """Instructions with their arguments, without comments, a continued line as one."""
    text = re.sub(r"^#.*\n", "", (_OWN / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def _all(word: str) -> list[str]:
    return [rest for each, rest in _instructions() if each == word]


def _last_stage() -> list[tuple[str, str]]:
    """The instructions after the last FROM."""
    found = _instructions()
    return found[max(index for index, (word, _) in enumerate(found) if word == "FROM") + 1 :]


def test_every_stage_is_of_a_slim_base_of_one_release() -> None:
    (base,) = _all("ARG")
    name, _, image = base.partition("=")
    assert _BASE.fullmatch(image)
    assert [each.split()[0] for each in _all("FROM")] == [f"${{{name}}}"] * 2


def test_the_image_does_not_run_as_root_and_prepare_knows_its_user() -> None:
    words = [word for word, _ in _last_stage()]
    assert [rest for word, rest in _last_stage() if word == "USER"] == [IMAGE_USER]
    assert words.index("USER") > max(index for index, word in enumerate(words) if word in ("COPY", "ENV", "WORKDIR"))
    assert int(IMAGE_USER.partition(":")[0]) > 0


def test_nothing_is_fetched_but_packages_with_their_hashes() -> None:
    assert _all("ADD") == []
    assert "://" not in (_OWN / "Dockerfile").read_text()
    (command,) = [rest for rest in _all("RUN") if re.search(r"\b(?:pip|apt-get|apt|curl|wget)\b", rest)]
    (install,) = [each for each in command.split("&&") if " install " in each]
    assert {"--require-hashes", "--only-binary=:all:", "--no-cache-dir"} <= set(install.split())
    assert command.rpartition("&&")[2].split() == ["/opt/trainer/bin/pip", "uninstall", "--yes", "pip"]
    *_, flag, given = install.split()
    assert flag == "-r"
    assert _all("COPY")[0] == f"examples/trainer/payloads/fraud_detection/requirements.txt {given}"


def test_the_last_stage_has_the_program_and_its_packages_alone() -> None:
    sources = [rest.split()[:-1] for word, rest in _last_stage() if word == "COPY"]
    assert sources == [
        ["--from=packages", "/opt/trainer"],
        ["examples/trainer/payloads/__init__.py"],
        ["examples/trainer/payloads/fraud_detection/*.py"],
    ]
    assert all(word != "RUN" for word, _ in _last_stage())
    assert all(
        tracked(source) for rest in _all("COPY") for source in rest.split()[:-1] if source.startswith("payloads/")
    )


def _asked(path: Path) -> set[str]:
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


def _pins(path: Path) -> set[str]:
    return set(_PIN.findall(path.read_text()))


def test_every_requirement_is_one_of_the_tests_in_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert _asked(_OWN / "requirements.in") <= {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    pins = _pins(_OWN / "requirements.txt")
    assert {pin.partition("==")[0] for pin in pins} >= {"msgspec", "redis", "scikit-learn", "numpy", "scipy"}
    assert pins <= _pins(ROOT / "requirements-dev.txt")


def test_every_pin_has_hashes_and_no_address() -> None:
    text = (_OWN / "requirements.txt").read_text()
    assert all("--hash=sha256:" in text[match.end() :][:120] for match in _PIN.finditer(text))
    assert "://" not in text
    assert "--index" not in text

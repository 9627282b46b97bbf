"""What the trainer is tested with is what its image is given."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
_OWN: Final = ROOT / "payloads" / "fraud_detection"
_PIN: Final = re.compile(r"^([a-z0-9-]+==\S+(?: ; [^\\]+?)?) \\$", re.MULTILINE)


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

"""Whatever stands in a stack file, reading it ends in a plan or in findings, never in a traceback."""

from __future__ import annotations

from typing import Final

import pytest
import yaml
from hypothesis import given

from components.model.findings import Severity
from components.model.stack_file.reading import read
from policies.lint.files import File
from policies.lint.linting import Options, lint
from policies.lint.stacks import given as given_stack
from tests.fuzz import TEXTS, changed
from tests.stacks import a_platform, committed, stack_file

pytestmark = pytest.mark.fuzz

_SMALL: Final = {"config": {"gcp:project": "tpu-sandbox", "tpu-platform:platform": a_platform().platform}}
_COMMITTED: Final = [yaml.safe_load(stack_file(name)) for name in committed()]


def _read(text: str) -> None:
    reading = read(given_stack(File("Pulumi.fuzz.yaml", text.encode()), "tpu-platform"))
    is_refused = any(finding.severity is Severity.ERROR for finding, _ in reading.findings)
    assert (reading.plan is None) == is_refused
    assert bool(reading.report) == bool(reading.findings)


@given(changed([_SMALL]))
def test_a_small_stack_with_any_values(stack: object) -> None:
    _read(yaml.safe_dump(stack, allow_unicode=True))


@given(changed(_COMMITTED))
def test_a_committed_stack_with_any_values(stack: object) -> None:
    _read(yaml.safe_dump(stack, allow_unicode=True))


@given(TEXTS)
def test_a_stack_file_that_is_hardly_yaml(text: str) -> None:
    linted = lint([File("Pulumi.fuzz.yaml", text.encode())], Options())
    assert linted.findings

"""A verdict goes into logs: no format of it repeats a secret that stands in a file, whichever rule shows the line."""

from __future__ import annotations

from typing import Final

import pytest
import yaml

from policies.lint.files import File
from policies.lint.formats import FORMATS
from policies.lint.linting import Options, lint
from tests.lint.given import linted
from tests.stacks import a_platform

_TOKEN: Final = "hf_" + "x" * 30
_OBJECTS: Final = f"""
apiVersion: v1
kind: Pod
metadata: {{name: a}}
spec: {{containers: [{{image: ml, env: [{{name: X, value: {_TOKEN}}}, {{name: DB_PASSWORD, value: hunter2}}]}}]}}
"""


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_repeats_a_token_or_the_line_of_a_named_secret(form: str) -> None:
    text = FORMATS[form](linted(_OBJECTS))
    assert _TOKEN not in text
    assert "hunter2" not in text
    assert text.count("secret-is-not-in-clear") >= 2
    assert "image-is-pinned" in text


def test_the_line_of_a_finding_has_stars_for_what_looks_like_a_token() -> None:
    body = (
        f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {{name: a}}, value: {_TOKEN}}}"
    )
    text = FORMATS["text"](linted(body))
    assert "[field-has-its-type]" in text
    assert _TOKEN not in text
    assert f"value: {'*' * len(_TOKEN)}" in text


def test_a_secret_in_a_stack_file_is_found_and_not_shown() -> None:
    platform = a_platform().set("workloads", 0, script=f"login {_TOKEN}").platform
    text = yaml.safe_dump({"config": {"tpu-platform:platform": platform, "gcp:project": "lab"}}, sort_keys=False)
    shown = FORMATS["text"](lint([File("Pulumi.test.yaml", text.encode(), "tpu-platform")], Options()))
    assert "workloads[0].script: it holds a Hugging Face token, in clear." in shown
    assert _TOKEN not in shown

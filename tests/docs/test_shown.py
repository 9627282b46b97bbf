"""What counts as printed: lines in their order, `...` for anything, and neither times nor ids."""

from __future__ import annotations

import pytest

from tests.docs.shown import missing_line

_PRINTED = """\
 +  gcp:container:Cluster dev created (4s)
    +0s      8  research/sweep        slice 0 placed on v5e-slice1: gke-tpu-63df577f-33qs
Resources:
    + 57 created
Duration: 25s
"""


@pytest.mark.parametrize(
    "shown",
    [
        "+ gcp:container:Cluster dev created (11s)",
        "...\nResources:\n    + 57 created",
        "+12s 8 research/sweep slice 0 placed on v5e-slice1: gke-tpu-0c6cafa4-15h9",
        "... placed on v5e-slice1: ...\nDuration: ...",
        "",
    ],
)
def test_what_was_printed_is_found(shown: str) -> None:
    assert missing_line(shown, _PRINTED) is None


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        ("    + 58 created", "    + 58 created"),
        ("Resources:\n... Cluster dev ...", "... Cluster dev ..."),
        ("placed on v5e-slice1", "placed on v5e-slice1"),
    ],
)
def test_what_was_not_printed_there_is_told(shown: str, line: str) -> None:
    assert missing_line(shown, _PRINTED) == line

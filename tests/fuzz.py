"""Generated input: sound documents with a few values changed to anything, and text that is hardly YAML at all."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, cast

from hypothesis import HealthCheck, settings, strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn, SearchStrategy

# Generated tests are the same in every run, so that a failure is no matter of luck; `thorough` looks at other input.
_SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "quick", max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile(
    "thorough", max_examples=10_000, database=None, deadline=None, print_blob=True, suppress_health_check=_SLOW
)
settings.load_profile("quick")

Path = tuple[str | int, ...]

# fmt: off
_WORDS: Final = (
    "", "0", "-1", "007", "1e3", "true", "yes", "null", "2x4", "4x4", "2x2x1", "16x16", "4x4x4", "0x4", "-2x-2", "x",
    "1x", "²x²", "٣x٤", "9" * 400, "99999999999999999999x2", "10Gi", "1.5", "500m", "-4", "1e400", "0x10", "1_000",
    "ct5lp-hightpu-4t", "ct6e-standard-8t", "tpu7x-standard-4t", "tpu-", "e2-standard-4", "us-west4", "us-west4-a",
    "-", "--a", "a/b/c", "projects/p/reservations/r", "google.com/tpu", "cloud.google.com/gke-tpu-topology",
    "tpu-v5-lite-podslice", "v5e", "research", "3600s", "s", "-1s", "1.33.0-gke.1", "1.", "v1", "v0.0.0", "latest",
    "10.0.0.0/8", "10.0.0.0/99", "::/0", "999.1.1.1/8", "a\nb", "\x1b[31m", "\u202e", "'\"", "{{ .Values.x }}", "*",
)
# fmt: on
_SCALARS: Final[SearchStrategy[Any]] = st.one_of(
    st.sampled_from(_WORDS),
    st.none(),
    st.booleans(),
    st.integers(-2, 300),
    st.integers(),
    st.sampled_from([2**31, 2**63, 2**64, -(2**63), 10**30]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8),
)
JUNK: Final[SearchStrategy[Any]] = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=3),
    max_leaves=6,
)
TEXTS: Final = st.text(st.sampled_from("ab: \n-{}[],&*!#|>'\"%@`?<~\t.0189xyes\r\\u\x85\u2028\ufeff\x00"), max_size=80)
"""Text of the characters that mean something in YAML."""


def _paths(value: object, above: Path = ()) -> Iterator[Path]:
    """Every place in a value, the whole left out."""
    steps: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        steps = list(cast("dict[str, object]", value).items())
    elif isinstance(value, list):
        steps = list(enumerate(cast("list[object]", value)))
    for step, inner in steps:
        yield (*above, step)
        yield from _paths(inner, (*above, step))


@st.composite
def changed(draw: DrawFn, sound: list[Any], junk: SearchStrategy[Any] = JUNK) -> Any:  # noqa: ANN401  any document
    """One of the sound documents with up to four values changed, removed, moved or repeated."""
    value = copy.deepcopy(draw(st.sampled_from(sound)))
    for _ in range(draw(st.integers(1, 4))):
        paths = list(_paths(value))
        if paths:
            *above, last = draw(st.sampled_from(paths))
            holder = _at(value, tuple(above))
            _change(draw, holder, last, draw(junk) if draw(st.booleans()) else _at(value, draw(st.sampled_from(paths))))
    return value


def _at(value: Any, path: Path) -> Any:  # noqa: ANN401  any document
    for step in path:
        value = value[step]
    return value


def _change(draw: DrawFn, holder: Any, last: str | int, new: object) -> None:  # noqa: ANN401  any document
    match draw(st.sampled_from(["replace", "replace", "remove", "repeat", "wrap"])):
        case "remove":
            del holder[last]
        case "repeat" if isinstance(holder, list):
            cast("list[Any]", holder).append(copy.deepcopy(_at(holder, (last,))))
        case "wrap":
            holder[last] = [copy.deepcopy(_at(holder, (last,)))]
        case _:
            holder[last] = copy.deepcopy(new)

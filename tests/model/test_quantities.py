"""Amounts of resources: what is one, what it is worth, and the one form that it is written in."""

from __future__ import annotations

import pytest

from components.model.facts.quantities import canonical, parse, thousandths, whole


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("24", "24"),
        ("1.0", "1"),
        ("0.5", "500m"),
        ("500m", "500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("2000", "2k"),
        ("2500", "2500"),
        ("1000000", "1M"),
        ("1024", "1024"),
        ("1Ki", "1Ki"),
        ("0.5Ki", "512"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("10Gi", "10Gi"),
        ("1G", "1G"),
        ("0", "0"),
        ("0Gi", "0"),
        ("0.3Ki", "307200m"),
    ],
)
def test_amounts_have_the_form_of_the_api_server(text: str, form: str) -> None:
    assert canonical(text) == form


@pytest.mark.parametrize("text", ["", "many", "-1", "1e3", "0.0001", "1 Gi", "1gi", ".5", "1.", "0.1m"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an amount|finer than a thousandth"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1000),
        ("100m", 100),
        ("1.5", 1500),
        (".5", 500),
        ("1Ki", 1024_000),
        ("1k", 1_000_000),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("1E", 10**21),
        ("1n", 1),
        ("1001u", 2),
        ("-1", -1000),
    ],
)
def test_what_an_api_server_sends_is_read_exactly_and_rounded_up(text: str, expected: int) -> None:
    assert thousandths(text) == expected


@pytest.mark.parametrize("text", ["", "many", "1 Gi\n", "1gi"])
def test_what_no_api_server_sends_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an amount|Invalid literal"):
        thousandths(text)


def test_amounts_add_and_multiply_in_their_own_form() -> None:
    assert str(parse("512Mi").times(3)) == "1536Mi"
    assert str(parse("512Mi").plus(parse("512Mi"))) == "1Gi"
    assert parse("1Gi").milli > parse("1G").milli


def test_whole_numbers_of_things() -> None:
    assert [whole(count) for count in (0, 24, 1000, 8192)] == ["0", "24", "1k", "8192"]

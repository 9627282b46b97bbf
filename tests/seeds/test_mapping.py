"""docs/seeds.yaml is whole: every flag and field of every tutorial has a row, and every departure a reason."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.seeds.mapping import documents, seeds


def test_every_tutorial_has_its_part_and_its_index() -> None:
    assert seeds().keys() == documents().keys()


@pytest.mark.parametrize("number", documents())
def test_every_line_with_a_flag_or_field_has_a_row_for_each(number: str) -> None:
    indexed = {(line, name) for line, names in documents()[number].lines.items() for name in names}
    mapped = {(row.line, row.element) for _, row in seeds()[number].rows()}
    assert sorted(indexed - mapped) == []
    assert sorted(mapped - indexed) == []


@pytest.mark.parametrize("number", seeds())
def test_no_row_is_there_twice(number: str) -> None:
    rows = Counter(
        (row.line, row.element, row.property, row.setting, row.output, row.streamed, row.pending, *row.stacks)
        for _, row in seeds()[number].rows()
    )
    assert [row for row, count in rows.items() if count > 1] == []


@pytest.mark.parametrize("number", seeds())
def test_every_row_has_a_home(number: str) -> None:
    homeless = [
        (row.line, row.element)
        for _, row in seeds()[number].rows()
        if not (row.place or row.command or row.test or row.pending or row.dropped)
    ]
    assert homeless == []
    claims = seeds()[number].claims
    assert [each.tells for each in claims if not (each.place or each.command or each.test or each.pending)] == []


@pytest.mark.parametrize("number", seeds())
def test_every_departure_has_a_reason(number: str) -> None:
    seed = seeds()[number]
    departures = [
        (row.line, row.element) for _, row in seed.rows() if row.differs(seed.placeholders) and not row.because
    ]
    assert departures == []


@pytest.mark.parametrize("number", seeds())
def test_every_correction_is_made_somewhere(number: str) -> None:
    assert {each.because for each in seeds()[number].homes() if each.because} == seeds()[number].corrections.keys()


@pytest.mark.parametrize("number", seeds())
def test_every_placeholder_is_filled_somewhere(number: str) -> None:
    said = {str(row.says) for _, row in seeds()[number].rows() if row.place}
    assert set(seeds()[number].placeholders) - said == set()


@pytest.mark.parametrize("number", seeds())
def test_every_value_has_a_resource_and_stacks_of_the_tutorial(number: str) -> None:
    seed = seeds()[number]
    for part, row in seed.rows():
        assert row.property is None or row.resource or part.resource, (row.line, row.element)
        assert {*row.stacks, *part.stacks} <= seed.stacks.keys(), (row.line, row.element)


def test_nothing_is_still_to_come() -> None:
    assert [each.pending for seed in seeds().values() for each in seed.homes() if each.pending] == []

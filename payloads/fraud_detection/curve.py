"""The learning curve: accuracy and average precision after each dataset, as a page that needs nothing else.

It is drawn as SVG by hand: two lines over the datasets do not need a plotting library in every worker's image.
"""

from __future__ import annotations

import html
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from payloads.fraud_detection.checkpoint import Checkpoint

_WIDTH: Final = 960
_HEIGHT: Final = 420
_LEFT: Final = 60
_RIGHT: Final = 20
_TOP: Final = 20
_BOTTOM: Final = 70
_COLOURS: Final = {"accuracy": "#1f6fb4", "average_precision": "#c4501b"}
_WORDS: Final = {"accuracy": "accuracy", "average_precision": "average precision"}
_MOST_LABELS: Final = 12
_STYLE: Final = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}"
    "td:first-child,th:first-child{text-align:left}"
)


def page(checkpoints: Sequence[Checkpoint]) -> str:
    """An HTML page with the picture and the same figures as a table.

    The figures are those of the test set if every checkpoint was tested, else of each dataset's own held-out rows.
    """
    part = "testing" if all("testing" in each.metrics for each in checkpoints) else "held_out"
    data = "the test set" if part == "testing" else "each dataset's held-out rows"
    heads = "".join(f"<th>{_WORDS[key]}</th>" for key in _COLOURS)
    rows = "".join(_row(each, part) for each in checkpoints)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Learning curve</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>Learning curve</h1>\n"
        f"<p>After each dataset, on {data}.</p>\n{picture(checkpoints, part)}\n"
        f"<table><tr><th>dataset</th>{heads}</tr>\n{rows}</table></body></html>\n"
    )


def picture(checkpoints: Sequence[Checkpoint], part: str) -> str:
    """The SVG: one line for each figure, from 0 to 1. A checkpoint without a figure leaves a gap in its line."""
    count = len(checkpoints)
    body = [_grid(), *(_label(each.dataset, index, count) for index, each in enumerate(checkpoints))]
    for place, (key, colour) in enumerate(_COLOURS.items()):
        values = [each.metrics[part][key] for each in checkpoints]
        points = [(_x(i, count), _y(value)) for i, value in enumerate(values) if value is not None]
        body.append(_line(points, colour))
        body.append(
            f'<text x="{_LEFT + 10 + 120 * place}" y="{_HEIGHT - 10}" fill="{colour}">&#9679; {_WORDS[key]}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="Learning curve">{"".join(body)}</svg>'
    )


def _row(checkpoint: Checkpoint, part: str) -> str:
    figures = [checkpoint.metrics[part][key] for key in _COLOURS]
    cells = "".join(f"<td>{'none' if value is None else f'{value:.4f}'}</td>" for value in figures)
    return f"<tr><td>{html.escape(checkpoint.dataset)}</td>{cells}</tr>\n"


def _grid() -> str:
    lines: list[str] = []
    for fifth in range(6):
        y = _y(fifth / 5)
        lines.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{fifth / 5:.1f}</text>')
    return "".join(lines)


def _label(dataset: str, index: int, count: int) -> str:
    """The dataset's name below its point; of many datasets only some are named."""
    every = -(-count // _MOST_LABELS)
    if index % every:
        return ""
    name = html.escape(PurePosixPath(dataset).stem[:16])
    place = f'x="{_x(index, count):.1f}" y="{_HEIGHT - _BOTTOM + 18}"'
    return f'<text {place} text-anchor="middle" font-size="10">{name}</text>'


def _line(points: list[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'


def _x(index: int, count: int) -> float:
    """In the middle of the dataset's share of the width."""
    return _LEFT + (index + 0.5) * (_WIDTH - _LEFT - _RIGHT) / count


def _y(value: float) -> float:
    return _TOP + (1 - value) * (_HEIGHT - _TOP - _BOTTOM)

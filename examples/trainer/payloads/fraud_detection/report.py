"""The chain for people: the report, the learning curve and the checkpoints under their datasets' names.

Each time all of it is made anew from the chain: nothing is ever appended, so nothing is there twice or in part. The
curve is a page that needs nothing else, drawn as SVG: two lines do not need a plotting library in every worker's image.
"""

from __future__ import annotations

import html
import uuid
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.chain import Chain, Checkpoint, Figures, Links, model_name
from payloads.fraud_detection.share import replace, using

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REPORT: Final = "report.txt"
CURVE: Final = "learning_curve.html"
_PARTS: Final = {"training": "training", "held_out": "held-out", "testing": "testing"}
_WIDTH: Final = 960
_HEIGHT: Final = 420
_LEFT: Final = 60
_RIGHT: Final = 20
_TOP: Final = 20
_BOTTOM: Final = 70
_COLOURS: Final = {"accuracy": "#1f6fb4", "average precision": "#c4501b"}
_MOST_LABELS: Final = 12
_PAGE: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Learning curve</title><style>
body{{font-family:sans-serif;margin:2em}}table{{border-collapse:collapse}}
td,th{{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}}
td:first-child,th:first-child{{text-align:left}}
</style></head>
<body><h1>Learning curve</h1>
<p>After each dataset, on {data}.</p>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="sans-serif"
 font-size="12" role="img" aria-label="Learning curve">{picture}</svg>
<table><tr><th>dataset</th><th>accuracy</th><th>average precision</th></tr>
{rows}</table></body></html>
"""


def complete(chain: Chain, links: Links) -> None:
    """Bring everything in the output folder up to the chain. Only the worker with the chain's lock may call this.

    A worker that was paused in here, and so lost the lock, may put an older report over a newer one; so the chain is
    read again afterwards.

    Raises:
        StoreError: the share does not accept a file.
    """
    while links.sound:
        with using(chain.output):
            for checkpoint in links.sound:
                _name(chain.path(checkpoint.position), chain.output / model_name(checkpoint.trained))
            for path, text in ((chain.output / CURVE, page(links.sound)), (chain.output / REPORT, report_text(links))):
                if not path.is_file() or path.read_bytes() != text.encode():
                    replace(path, [text.encode()])
        written, links = links, chain.read()
        if links.trained == written.trained:
            return


def _name(link: Path, name: Path) -> None:
    """Give a link its name for people, in place of the file that has the name."""
    if name.exists() and not name.is_symlink() and name.samefile(link):
        return
    temporary = name.with_name(f".{uuid.uuid4().hex}.part")
    temporary.hardlink_to(link)
    temporary.replace(name)


def report_text(links: Links) -> str:
    """An entry per sound checkpoint, from the first to the newest."""
    return "\n".join(_entry(checkpoint) for checkpoint in links.sound)


def _entry(checkpoint: Checkpoint) -> str:
    lines = [
        f"Report generated on: {datetime.fromisoformat(checkpoint.created).replace(tzinfo=None)}",
        f"Training dataset: {PurePosixPath(checkpoint.dataset).name}",
        f"Model checkpoint: {model_name(checkpoint.trained)}",
        "---",
    ]
    for part, words in _PARTS.items():
        if part in checkpoint.metrics:
            for figure, value in _figures(checkpoint.metrics[part]).items():
                shown = "none (no such rows)" if value is None else value
                lines.append(f"{figure.capitalize()} on {words} data: {shown}")
    lines.append(f"Rows trained on: {checkpoint.metrics['training']['rows']}")
    lines.append(f"Training time: {checkpoint.seconds:.3f} s")
    return "".join(f"{line}\n" for line in lines)


def _figures(figures: Figures) -> dict[str, float | int | None]:
    """The figures under the words for them, in the order of `_COLOURS`."""
    return {"accuracy": figures["accuracy"], "average precision": figures["average_precision"]}


def page(checkpoints: Sequence[Checkpoint]) -> str:
    """An HTML page with the picture and the same figures as a table.

    The figures are those of the test set if every checkpoint was tested, else of each dataset's own held-out rows. The
    picture has a line for each figure, from 0 to 1; a checkpoint without a figure leaves a gap in its line.
    """
    part = "testing" if all("testing" in each.metrics for each in checkpoints) else "held_out"
    figures = {each.dataset: _figures(each.metrics[part]) for each in checkpoints}
    lines = [_line(number, [each[word] for each in figures.values()]) for number, word in enumerate(_COLOURS)]
    return _PAGE.format(
        data="the test set" if part == "testing" else "each dataset's held-out rows",
        width=_WIDTH,
        height=_HEIGHT,
        picture="".join([*map(_grid, range(6)), _labels(list(figures)), *lines]),
        rows="".join(_row(dataset, each) for dataset, each in figures.items()),
    )


def _row(dataset: str, figures: dict[str, float | int | None]) -> str:
    cells = "".join(f"<td>{'none' if value is None else f'{value:.4f}'}</td>" for value in figures.values())
    return f"<tr><td>{html.escape(dataset)}</td>{cells}</tr>\n"


def _grid(fifths: int) -> str:
    y = _y(fifths / 5)
    line = f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
    return f'{line}<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{fifths / 5:.1f}</text>'


def _labels(datasets: list[str]) -> str:
    """The datasets' names below their points; of many datasets only some are named."""
    count, place = len(datasets), f'y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle" font-size="10"'
    return "".join(
        f'<text x="{_x(index, count):.1f}" {place}>{html.escape(PurePosixPath(datasets[index]).stem[:16])}</text>'
        for index in range(0, count, -(-count // _MOST_LABELS))
    )


def _line(number: int, values: list[float | int | None]) -> str:
    """The line of a figure, with its word below the picture."""
    word, colour = list(_COLOURS.items())[number]
    points = [(_x(i, len(values)), _y(value)) for i, value in enumerate(values) if value is not None]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    place = f'x="{_LEFT + 10 + 120 * number}" y="{_HEIGHT - 10}"'
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return f'{line}{dots}<text {place} fill="{colour}">&#9679; {word}</text>'


def _x(index: int, count: int) -> float:
    """In the middle of the dataset's part of the width."""
    return _LEFT + (index + 0.5) * (_WIDTH - _LEFT - _RIGHT) / count


def _y(value: float) -> float:
    return _TOP + (1 - value) * (_HEIGHT - _TOP - _BOTTOM)

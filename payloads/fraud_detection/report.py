"""The chain for people: the report, the learning curve and the checkpoints under their datasets' names.

Each time all of it is made anew from the chain: nothing is ever appended, so nothing is there twice or in part.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.chain import model_name
from payloads.fraud_detection.curve import page
from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.files import replace

if TYPE_CHECKING:
    from pathlib import Path

    from payloads.fraud_detection.chain import Chain, Links
    from payloads.fraud_detection.checkpoint import Checkpoint

REPORT: Final = "report.txt"
CURVE: Final = "learning_curve.html"
_PARTS: Final = {"training": "training", "held_out": "held-out", "testing": "testing"}


def is_complete(chain: Chain, links: Links) -> bool:
    """Whether the report and the names are those of the newest link."""
    if links.newest is None:
        return True
    try:
        report = (chain.output / REPORT).read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError):
        return False
    is_named = (chain.output / model_name(links.trained)).is_file()
    return is_named and report == report_text(links)


def complete(chain: Chain, links: Links) -> None:
    """Bring everything in the output folder up to the chain. Only the worker with the chain's lock may call this.

    A worker that was paused in here, and so lost the lock, may put an older report over a newer one; so the chain is
    read again afterwards.

    Raises:
        StoreError: the share does not accept a file.
    """
    while True:
        _write(chain, links)
        written, links = links, chain.read()
        if links.trained == written.trained:
            return


def _write(chain: Chain, links: Links) -> None:
    try:
        for checkpoint in links.sound:
            _name(chain.path(checkpoint.position), chain.output / model_name(checkpoint.trained))
        replace(chain.output / CURVE, [page(links.sound).encode()])
        replace(chain.output / REPORT, [report_text(links).encode()])
    except OSError as error:
        raise StoreError(f"{chain.output}: {error.strerror}") from error


def report_text(links: Links) -> str:
    """An entry per sound checkpoint, from the first to the newest."""
    return "\n".join(_entry(checkpoint) for checkpoint in links.sound)


def _entry(checkpoint: Checkpoint) -> str:
    created = datetime.fromisoformat(checkpoint.created).replace(tzinfo=None)
    lines = [
        f"Report generated on: {created}",
        f"Training dataset: {PurePosixPath(checkpoint.dataset).name}",
        f"Model checkpoint: {model_name(checkpoint.trained)}",
        "---",
    ]
    for part, words in _PARTS.items():
        if part in checkpoint.metrics:
            figures = checkpoint.metrics[part]
            lines.append(f"Accuracy on {words} data: {_figure(figures['accuracy'])}")
            lines.append(f"Average precision on {words} data: {_figure(figures['average_precision'])}")
    lines.append(f"Rows trained on: {checkpoint.metrics['training']['rows']}")
    lines.append(f"Training time: {checkpoint.seconds:.3f} s")
    return "".join(f"{line}\n" for line in lines)


def _figure(value: float | None) -> str:
    return "none (no such rows)" if value is None else str(value)


def _name(link: Path, name: Path) -> None:
    """Give a link its name for people, in place of the file that has the name."""
    if name.exists() and not name.is_symlink() and name.samefile(link):
        return
    temporary = name.with_name(f".{uuid.uuid4().hex}.part")
    temporary.hardlink_to(link)
    temporary.replace(name)

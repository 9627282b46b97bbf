"""The commands of the command line."""

from __future__ import annotations

import functools
import uuid
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection import report
from payloads.fraud_detection.chain import Chain
from payloads.fraud_detection.connect import Server, address_from_environment
from payloads.fraud_detection.curve import page
from payloads.fraud_detection.errors import BadDataError, StoreError
from payloads.fraud_detection.files import replace
from payloads.fraud_detection.share import DATASETS, FOLDERS, TRAINING, Share
from payloads.fraud_detection.through_pod import Pod, read_results, send
from payloads.fraud_detection.transfer import put, transfer
from payloads.fraud_detection.workqueue import WorkQueue

if TYPE_CHECKING:
    import argparse
    import datetime as dt
    from collections.abc import Callable, Mapping

    from payloads.fraud_detection.log import Log
    from payloads.fraud_detection.stop_signals import Stop


def work(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Train the queued datasets."""
    # Imported only here: it spares the other commands half a second and the memory.
    from payloads.fraud_detection.training import FraudDetectionModelTrainer  # noqa: PLC0415
    from payloads.fraud_detection.worker import Worker  # noqa: PLC0415

    session, share = str(uuid.uuid4()), Share(arguments.share)
    queue = WorkQueue(_server(arguments, stop), session, lease_seconds=arguments.lease, tries=arguments.tries)
    rows = arguments.chunk_rows
    trainer = FraudDetectionModelTrainer(share, session, chunk_rows=rows)
    return Worker(session, share, Chain(share, log), queue, trainer, stop, log, rows).run()


def generate(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Make datasets: the days for training, and the day after them as the test set."""
    from payloads.fraud_detection.generate import csv_blocks, days  # noqa: PLC0415  as above

    first: dt.date = arguments.start
    *training, test = days(first, arguments.days + 1)
    for folder, day in (*(("training", day) for day in training), ("test", test)):
        stop.check()
        made = functools.partial(csv_blocks, day, arguments.rows, seed=arguments.seed, fraud_share=arguments.fraud)
        put(arguments.to / folder / f"{day}.csv", None, made, arguments.replace, log)
    return 0


def prepare(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Make the folders of the share and give them to the user that writes there."""
    del stop
    share = Share(arguments.share)
    for inside in FOLDERS:
        share.hand_over(inside, arguments.owner, log)
    return 0


def bring(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Copy a folder to the share that is mounted here."""
    to = Share(arguments.share).folder(DATASETS)
    transfer(arguments.folder, to, may_replace=arguments.replace, log=log, between=stop.check)
    return 0


def bring_through_pod(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Copy a folder of this machine to the share that a pod mounts."""
    del stop  # a second signal ends it and kubectl at once; no half-written file is left that looks whole
    send(arguments.folder, _pod(arguments), may_replace=arguments.replace, log=log)
    return 0


def enqueue(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Queue the training sets that the model has not seen and that are not queued."""
    share = Share(arguments.share)
    trained = set(Chain(share, log).read().trained)
    queue = WorkQueue(_server(arguments, stop), "queue")
    names = [_canonical(share, entry) for entry in share.entries(TRAINING)]
    states = {name: "trained" for name in names if name in trained}
    states |= queue.add([name for name in names if name not in trained])
    for name in names:
        log.say(states[name], f"{name}: {_WORDS[states[name]]}", dataset=name)
    count = list(states.values()).count("new")
    log.say("queued-all", f"{count} of {len(names)} training datasets queued", new=count, found=len(names))
    return 0


def revive(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """Queue datasets of the dead list again."""
    if arguments.dataset is None and not arguments.all:
        raise StoreError("no dataset given: name one of the dead list, or use --all")
    count = WorkQueue(_server(arguments, stop), "retry").revive(arguments.dataset)
    log.say("revived", f"{count} datasets queued again", count=count)
    return 0 if count or arguments.all else 1


def status(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """The datasets that wait, are in work or were given up (with reasons), and the length of the chain."""
    state = WorkQueue(_server(arguments, stop), "status").state()
    links = Chain(Share(arguments.share), log).read()
    for what, names in (("waiting", state.waiting), ("processing", state.processing), ("trained", links.trained)):
        log.say(what, f"{what}: {len(names)}" + "".join(f"\n  {name}" for name in names), datasets=list(names))
    lines = "".join(f"\n  {each['dataset']}: {each['reason']}" for each in state.dead)
    log.say("dead", f"dead: {len(state.dead)}{lines}", datasets=list(state.dead))
    return 0


def results(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """The files of the output folder, and the report."""
    del stop
    if arguments.pod is not None:
        names, text = read_results(_pod(arguments))
        log.say("results", "\n".join([*names, "", text]).rstrip(), files=names, report_text=text)
        return 0
    chain = Chain(Share(arguments.share), log)
    names = sorted(path.name for path in chain.output.iterdir() if path.is_file() and not path.name.startswith("."))
    links = chain.read()
    entries = [{"dataset": each.dataset, "metrics": each.metrics} for each in links.sound]
    text = "\n".join([*names, "", report.report_text(links)])
    log.say("results", text.rstrip(), files=names, report=entries)
    return 0


def curve(arguments: argparse.Namespace, log: Log, stop: Stop) -> int:
    """The learning curve as a page."""
    del stop
    chain = Chain(Share(arguments.share), log)
    links = chain.read()
    if links.newest is None:
        raise StoreError(f"{chain.output} has no checkpoints yet")
    to: Path = chain.output / report.CURVE if arguments.to is None else arguments.to
    try:
        replace(to, [page(links.sound).encode()])
    except OSError as error:
        raise StoreError(f"{to}: {error.strerror}") from error
    log.say("written", f"{to} written", file=str(to))
    return 0


def _pod(arguments: argparse.Namespace) -> Pod:
    return Pod(
        name=arguments.pod,
        share=PurePosixPath(arguments.share),
        namespace=arguments.namespace,
        container=arguments.container,
        context=arguments.context,
    )


COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace, Log, Stop], int]]] = {
    "work": work,
    "prepare": prepare,
    "generate": generate,
    "transfer": bring,
    "send": bring_through_pod,
    "queue": enqueue,
    "retry": revive,
    "status": status,
    "results": results,
    "curve": curve,
}
_WORDS: Final = {
    "new": "queued",
    "queued": "queued already",
    "dead": "on the dead list; `retry` queues it again",
    "trained": "in the chain already",
}


def _canonical(share: Share, entry: str) -> str:
    """The dataset's one name. An entry that cannot be trained is queued as it is: the worker reports the reason."""
    try:
        return share.dataset(entry).name
    except BadDataError:
        return entry


def _server(arguments: argparse.Namespace, stop: Stop) -> Server:
    address = address_from_environment(arguments.redis_host, arguments.redis_port)
    return Server(address, patience=arguments.redis_patience, wait=stop.wait)

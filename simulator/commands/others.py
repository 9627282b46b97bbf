"""Every command but `exec`, by its name: what prints its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.kubeapi import KubeconfigError
from simulator.commands import CommandError
from simulator.commands.capacity import lose, stock, times
from simulator.commands.files import files
from simulator.commands.lifecycle import address, bring_up, describe, logs, take_down
from simulator.commands.listing import ListingError, gcloud, kubectl
from simulator.commands.recover import RecoveryError, recover
from simulator.commands.scenario import scenario
from simulator.commands.secrets import secret
from simulator.scaling.times import NAMES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from simulator.home import Home


def lines_of(arguments: argparse.Namespace, home: Home) -> Iterator[str]:
    """The lines that the command of a command line prints.

    Raises:
        CommandError: it refuses, and says why.
    """
    try:
        yield from _COMMANDS[arguments.command](arguments, home)
    except (KubeconfigError, ListingError, RecoveryError) as error:
        raise CommandError(str(error)) from error


def _set_times(arguments: argparse.Namespace, home: Home) -> Iterable[str]:
    return times(home, {name: each for name in NAMES if (each := getattr(arguments, name)) is not None})


def _address(arguments: argparse.Namespace, home: Home) -> Iterable[str]:
    return [address(home, arguments.service, arguments.namespace, arguments.port, arguments.cluster)]


_COMMANDS: dict[str, Callable[[argparse.Namespace, Home], Iterable[str]]] = {
    "up": lambda _, home: [bring_up(home)],
    "status": lambda _, home: describe(home),
    "address": _address,
    "files": lambda arguments, home: files(home, arguments.folder, arguments.stack),
    "logs": lambda arguments, home: logs(home, arguments.name, arguments.lines),
    "gcloud": lambda arguments, home: gcloud(home, arguments.words),
    "kubectl": lambda arguments, home: kubectl(home, arguments.words),
    "recover": lambda arguments, home: recover(home, arguments.stack),
    "secret": lambda arguments, home: secret(home, arguments.name, arguments.project, arguments.data_file),
    "stock": lambda arguments, home: stock(home, out=arguments.out, back=arguments.back),
    "lose": lambda arguments, home: lose(home, arguments.name),
    "scenario": lambda arguments, home: scenario(home, arguments.what),
    "times": _set_times,
    "down": lambda arguments, home: take_down(home, delete=arguments.delete),
}

"""`recover`: make a stack whose update was killed whole again, without losing or doubling anything.

A killed engine leaves three things: its lock, operations in the state that it never saw the end of, and perhaps what
those operations made. The lock goes when its holder is dead. `recover` waits for what a pending creation made in the
cloud and imports it under its own URN; it uninstalls a Helm release that was being installed, because Helm refuses to
go on with it; objects in the cluster need nothing, since a second apply does not create them again. It waits for
controllers that start again, because the API server refuses objects whose webhooks it cannot call.

An engine whose provider was killed goes on, and takes the creation for one that failed: nothing is pending then. So
where the cloud or a cluster has something that no state has, `recover` asks for a preview, imports what that would
create and the cloud already has, and uninstalls what Helm was installing.

A killed destroy leaves one more thing: node pools and releases that the engine removed from the state without a call,
because their cluster was to go next. Those come back from the copy of the state that the engine keeps of each update.
"""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Final, cast

from components.kubeapi.documents import entries, section
from components.model.project import ADOPTING, PROJECT
from simulator.client import RemoteCloud, ensure
from simulator.cloud.api import CloudApi, Kind
from simulator.commands.clusters import apis, await_webhooks
from simulator.commands.execute import inner_environment
from simulator.commands.strays import RESOURCES, has_strays, ids_elsewhere, is_whole, releases_in
from simulator.files import BrokenFileError, read_json, write_whole
from simulator.locks import locks_of, running_holder
from simulator.pending import RELEASE, Orphan, PendingOperation, creations, dropped, import_file, pending_operations
from simulator.providers.gcp.settings import Settings
from simulator.providers.kube.helm import HelmError, HelmTool, helm_tool
from simulator.stacks import Command, arranged
from simulator.toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from simulator.home import Home
    from simulator.providers.values import Properties
    from simulator.rpc import Client

_UNSETTLED: Final = ("PROVISIONING", "CREATING", "STOPPING")
"""States of a cloud resource whose operation still runs."""
_POLL_SECONDS: Final = 0.2
_COPIES: Final = 2
"""How many of the engine's copies of the state may hold what a destroy removed."""
_WEBHOOK_SECONDS: Final = 180.0
"""How long controllers that start again are waited for."""


class RecoveryError(Exception):
    """The stack cannot be repaired now; the text says why."""


def recover(home: Home, stack: str) -> Iterator[str]:
    """Repair `stack` of the project in this folder; yields a line about each thing that was done.

    Raises:
        BrokenFileError: the stack's state is not whole, and no copy of it is.
        RecoveryError: an update of the stack still runs, or the engine refuses a step.
    """
    client = ensure(home)
    cloud, engine = RemoteCloud(client), _Engine(home, stack, client)
    yield from put_state_back(home, stack)
    copies = last_copies(home, stack)
    yield from _unlock(home, engine)
    pending = list(pending_operations(engine.state()))
    if not pending:
        yield f"stack {stack}: nothing is pending"
    orphans: list[Orphan] = []
    for operation in pending:
        yield f"{operation.verb} {operation.type} {operation.name} was not seen to end"
        orphan = _settled(operation, cloud)
        if orphan is not None:
            orphans.append(orphan)
            yield f"  it exists in the cloud: {orphan.id}"
        elif operation.type == RELEASE:
            yield from mend_release(helm_tool(engine.environment), operation)
    await_rest(cloud)
    engine.refresh()
    yield from _put_back_dropped(copies, engine)
    if orphans:
        engine.adopt(import_file(orphans))
        yield f"imported {', '.join(orphan.operation.name for orphan in orphans)}"
    releases = set[str]()
    for api in apis(home):
        yield from await_webhooks(api, _WEBHOOK_SECONDS)
        releases |= releases_in(api)
        api.close()
    yield from _take_in_strays(cloud, engine, releases, ids_elsewhere(home, stack))
    yield f"stack {stack} is whole again; `pulumi up` finishes what was begun"


def await_rest(cloud: CloudApi) -> None:
    """Return when no cluster or node pool is being made or deleted: a state that is read earlier may be outdated.

    A deletion goes on in the cloud after the command that asked for it has failed, and nothing is pending then.
    """
    pause = threading.Event()
    while any(each.get("status") in _UNSETTLED for kind in (Kind.CLUSTER, Kind.NODE_POOL) for each in cloud.list(kind)):
        pause.wait(_POLL_SECONDS)


class _Engine:
    """The Pulumi CLI inside the simulator, on one stack."""

    def __init__(self, home: Home, stack: str, daemon: Client) -> None:
        self.stack = stack
        self._home = home
        self._pulumi = locate(("pulumi",)).binary("pulumi")
        self.environment = inner_environment(home, lambda: daemon)

    def run(self, *arguments: str, **variables: str) -> str:
        """The output of the command, which has these environment variables too.

        Raises:
            RecoveryError: it failed; the text has its last output.
        """
        command = Command((*arguments, f"--stack={self.stack}", "--non-interactive"))
        words = arranged(command, self._home, self._pulumi, self.environment)
        environment = {**self.environment, **variables}
        done = subprocess.run([str(self._pulumi), *words], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RecoveryError(f"pulumi {' '.join(arguments)}: {failure(done.stdout, done.stderr)}")
        return done.stdout

    def state(self) -> dict[str, Any]:
        """The stack's state, as `pulumi stack export` prints it."""
        return json.loads(self.run("stack", "export"))

    def preview(self) -> dict[str, Any]:
        """What the next update would do, as `pulumi preview --json` prints it in one piece."""
        adopting = f"--config={PROJECT}:{ADOPTING}=true"  # what the cluster has and the state lost is taken in
        return json.loads(self.run("preview", "--json", adopting, PULUMI_ENABLE_STREAMING_JSON_PREVIEW="false"))

    def refresh(self) -> None:
        """Compare the state with the cloud and the clusters, and keep what exists."""
        self.run("refresh", "--yes", "--skip-preview", "--clear-pending-creates", "--suppress-outputs")

    def adopt(self, document: Mapping[str, Any]) -> None:
        """Import the resources that the file names."""
        self._with_file(
            document, "import", "--yes", "--skip-preview", "--generate-code=false", "--protect=false", "--file"
        )

    def replace_state(self, state: Mapping[str, Any]) -> None:
        """Make that the stack's state."""
        self._with_file(state, "stack", "import", "--file")

    def _with_file(self, document: Mapping[str, Any], *arguments: str) -> None:
        path = self._home.root / "import.json"
        write_whole(path, json.dumps(document))
        self.run(*arguments, str(path))
        path.unlink()


def put_state_back(home: Home, stack: str) -> Iterator[str]:
    """Replace a broken state by the last whole one: the engine keeps one of each update."""
    folder = home.backend / ".pulumi"
    for state in sorted(folder.glob(f"stacks/*/{stack}.json")):
        if is_whole(state):
            continue
        kept = folder.glob(f"history/{state.parent.name}/{stack}/*.checkpoint.json")
        whole = [path for path in (state.with_suffix(".json.bak"), *kept) if is_whole(path)]
        last = max(whole, key=lambda path: path.stat().st_mtime, default=None)
        if last is None:
            raise BrokenFileError(state)
        write_whole(state, last.read_bytes())
        yield f"stack {stack}: its state was broken; {last.name} is in its place"


def last_copies(home: Home, stack: str) -> list[Path]:
    """The engine's copies of the stack's state, the newest first, that may hold what a destroy removed.

    The engine writes a copy at the end of each update, a refresh too. The newest is that from before the destroy; where
    the destroy failed, and was not killed, the newest is its own.
    """
    copies = home.backend.glob(f".pulumi/backups/*/{stack}/*.json")
    return sorted(filter(is_whole, copies), key=lambda path: path.stat().st_mtime, reverse=True)[:_COPIES]


def _put_back_dropped(copies: list[Path], engine: _Engine) -> Iterator[str]:
    """Put back what a destroy that did not end removed from the state with a cluster that is still there."""
    state = engine.state()
    resources = entries(section(state, "deployment"), "resources")
    found = len(resources)
    for copy in copies:
        resources += dropped(resources, entries(section(read_json(copy), "checkpoint", "latest"), "resources"))
    if len(resources) == found:
        return
    engine.replace_state(state)
    engine.refresh()
    kept = {each["urn"] for each in entries(engine.state(), "deployment", "resources")}
    back = [str(each["urn"]) for each in resources[found:] if each["urn"] in kept and each.get("custom")]
    if back:
        yield f"put back, as their cluster is still there: {', '.join(urn.rpartition('::')[2] for urn in back)}"


def _take_in_strays(cloud: CloudApi, engine: _Engine, releases: set[str], taken: set[str]) -> Iterator[str]:
    """Import what the program declares and the cloud has, although no state has it; mend such releases of Helm."""
    known = taken | {str(each.get("id")) for each in entries(section(engine.state(), "deployment"), "resources")}
    if not (releases - known or has_strays(cloud, known)):
        return
    try:
        begun = list(creations(engine.state(), engine.preview()))
    except RecoveryError as error:
        yield f"whether there is more of what the stack declares is not known: {error}"
        return
    for each in begun:
        if each.type == RELEASE and each.provider_inputs:
            yield from mend_release(helm_tool(engine.environment), each)
    found = (_settled(each, cloud) for each in begun)
    orphans = [orphan for orphan in found if orphan is not None and orphan.id not in taken]
    if orphans:
        engine.adopt(import_file(orphans))
        yield f"imported what the state did not have: {', '.join(orphan.operation.name for orphan in orphans)}"


def _unlock(home: Home, engine: _Engine) -> Iterator[str]:
    """Remove the locks of dead engines; one that names no process is of an engine that died as it wrote the lock."""
    locks = locks_of(home, engine.stack)
    for holder in filter(None, map(running_holder, locks)):
        raise RecoveryError(f"an update of stack {engine.stack} still runs (process {holder})")
    if locks:
        engine.run("cancel", "--yes")
        yield f"stack {engine.stack}: the lock of a dead engine was removed"


def _settled(operation: PendingOperation, cloud: CloudApi) -> Orphan | None:
    """The resource that a pending creation made in the cloud, once the cloud is done with it; None without one."""
    resource = RESOURCES.get(operation.type)
    if resource is None or operation.verb not in ("creating", "create"):
        return None
    settings = Settings.read(cast("Properties", {**operation.provider_inputs}))
    name = resource.api_name(settings, cast("Properties", operation.inputs))
    pause = threading.Event()
    while (body := resource.get(cloud, name)) is not None and body.get("status") in _UNSETTLED:
        pause.wait(_POLL_SECONDS)
    return None if body is None else Orphan(operation, resource.id_of(name))


def mend_release(helm: HelmTool, operation: PendingOperation) -> Iterator[str]:
    """Bring a release out of a state in which Helm refuses every further operation on it; yields what was done.

    A deployed release stays as it is, unless its creation was not seen to end: Helm had not begun or had finished, and
    the next update goes on from there.

    Raises:
        RecoveryError: Helm fails, or the state does not say which cluster the release is in.
    """
    kubeconfig = operation.provider_inputs.get("kubeconfig")
    if not isinstance(kubeconfig, str):
        raise RecoveryError(f"the state does not say which cluster the release {operation.name} is in")
    namespace, name = str(operation.inputs["namespace"]), str(operation.inputs["name"])
    try:
        status = helm.status(kubeconfig, namespace, name)
        if status is None or (status["info"]["status"] == "deployed" and operation.verb != "creating"):
            return
        verb = "rollback" if operation.verb == "updating" else "uninstall"
        helm.run(kubeconfig, [verb, name, f"--namespace={namespace}", "--wait"])
    except HelmError as error:
        raise RecoveryError(f"helm release {namespace}/{name}: {error}") from error
    yield f"  helm {verb} {name}: it was {status['info']['status']}"


def failure(out: str, err: str) -> str:
    """Why the engine failed, by its output: all of its diagnostics, or else the last lines of what it wrote."""
    _, found, diagnostics = out.rpartition("Diagnostics:")
    written = diagnostics if found else err.strip() or out
    lines = [line for line in written.splitlines() if line.strip()]
    return "\n  ".join(lines if found else lines[-8:])

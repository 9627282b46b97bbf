"""`gcloud` and `kubectl`: list what exists, as the two do with `--format=json` and with `-o json` or `-o yaml`.

Only the listings that this project reads are supported: gcloud prints the REST document of each resource, kubectl what
the API server has. Every other command of either is refused. The real kubectl works inside the simulator too
(`exec -- kubectl`), where it is installed.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import yaml

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import entries
from simulator.client import RemoteCloud, ensure
from simulator.cloud.api import Body, Kind
from simulator.commands.answered import ANSWERED, EVERYWHERE, LISTS, OF_GCLOUD, OF_KUBECTL, ONLY
from simulator.commands.clusters import api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from simulator.home import Home

_OURS: Final = "apiName"
_OURS_ALONE: Final = (_OURS, "mountRange")
"""The fields that the simulated cloud adds to a document, which the real API does not have."""


class ListingError(Exception):
    """The command is not supported here; the text says which ones are."""


def gcloud(home: Home, words: Sequence[str]) -> Iterator[str]:
    """What `gcloud WORDS --format=json` prints.

    Raises:
        ListingError: the listing or one of its flags is not supported.
    """
    asked = _parsed("gcloud", words, OF_GCLOUD, ONLY)
    names = tuple(asked.words)
    policy = names[:-1] if names[:2] == ("projects", "get-iam-policy") else names
    if policy not in LISTS or asked.format != "json":
        raise ListingError(f"gcloud {' '.join(words)} is not supported here. {ANSWERED['gcloud']}")
    kind = LISTS[policy]
    if kind is Kind.NODE_POOL and not (asked.cluster and (asked.location or asked.region)):
        raise ListingError("gcloud container node-pools list needs --cluster and --location")
    found = RemoteCloud(ensure(home)).list(kind)
    if kind is Kind.IAM_MEMBER:
        yield _dumped(_policy(found, f"projects/{names[-1]}"))
        return
    prefix = f"projects/{asked.project}/" if asked.project else ""
    yield _dumped(
        [_printed(kind, each) for each in found if _is_asked_for(each, asked) and each[_OURS].startswith(prefix)]
    )


def _is_asked_for(body: Body, asked: argparse.Namespace) -> bool:
    place = asked.location or asked.region
    parts = str(body[_OURS]).split("/")
    return (not asked.cluster or asked.cluster in parts) and (not place or place in parts)


def _printed(kind: Kind, body: Body) -> Body:
    printed = {key: value for key, value in body.items() if key not in _OURS_ALONE}
    if kind is Kind.SERVICE:
        printed["config"] = {"name": str(body["name"]).rpartition("/")[2]}
    return printed


def _policy(members: list[Body], resource: str) -> Body:
    """The members of a resource as one IAM policy."""
    bindings: dict[str, list[str]] = {}
    for each in members:
        if each["resource"] == resource:
            bindings.setdefault(each["role"], []).append(each["member"])
    return {"bindings": [{"members": sorted(found), "role": role} for role, found in sorted(bindings.items())]}


def kubectl(home: Home, words: Sequence[str]) -> Iterator[str]:
    """What `kubectl get KINDS -A -o json` or `-o yaml` prints, of the cluster of the current context.

    Raises:
        ListingError: it is another command, there is no cluster, or the API server has no such kind.
    """
    asked = _parsed("kubectl", words, OF_KUBECTL, EVERYWHERE)
    dump = _OUTPUTS.get(asked.o or asked.output)
    if len(asked.words) != 2 or asked.words[0] != "get" or dump is None:  # noqa: PLR2004
        raise ListingError(f"kubectl {' '.join(words)} is not supported here. {ANSWERED['kubectl']}")
    api = api_of(home, asked.context)
    if api is None:
        raise ListingError("there is no cluster")
    try:
        paths = _paths(api)
        items: list[Any] = []
        for name in asked.words[1].split(","):
            if name not in paths:
                raise ListingError(f'the server doesn\'t have a resource type "{name}"')
            items += api.items(paths[name])
    except ApiError as error:
        raise ListingError(str(error)) from error
    finally:
        api.close()
    yield dump({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})


def _paths(api: Api) -> dict[str, str]:
    """Where the objects of each kind are, in the version that the server prefers.

    A kind is named by its plural, which the core has first, or by plural and group (`workloads.kueue.x-k8s.io`).
    """
    groups = entries(api.get("/apis"), "groups")
    roots = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
    found: dict[str, str] = {}
    for root in roots:
        for resource in entries(api.get(root), "resources"):
            if "/" not in resource["name"]:
                group = root.split("/")[2] if root.startswith("/apis/") else ""
                for name in (resource["name"], f"{resource['name']}.{group}"):
                    found.setdefault(name, f"{root}/{resource['name']}")
    return found


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """A wrong flag is an error like others."""
        raise ListingError(f"{self.prog}: {message}")


def _parsed(program: str, words: Sequence[str], valued: Sequence[str], flags: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog=program, add_help=False, allow_abbrev=False)
    parser.add_argument("words", nargs="+")
    for name in valued:
        parser.add_argument(name)
    for name in flags:
        parser.add_argument(name, action="store_true")
    return parser.parse_intermixed_args(list(words))


def _dumped(document: object) -> str:
    return json.dumps(document, indent=2)


def _as_yaml(document: object) -> str:
    """As kubectl writes it: keys in order, text of several lines as a block."""
    return yaml.dump(document, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, width=math.inf).rstrip()


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        """Equal parts are written out: nothing that reads manifests wants anchors."""
        del data
        return True


def _block(dumper: _Dumper, text: str) -> yaml.Node:
    return cast("Any", dumper).represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _block)
_OUTPUTS: Final[Mapping[str | None, Callable[[object], str]]] = {"json": _dumped, "yaml": _as_yaml}
"""How kubectl prints, by the value of its flag."""

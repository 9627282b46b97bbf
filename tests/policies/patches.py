"""Objects that are like another one, but for a patch: how the catalogue of rules states each object once.

A patch maps paths to values, in a manifest or in the properties of a cloud resource. A path is written as findings
write it: `spec.replicatedJobs[1].dependsOn`; in `spec.nodeSelector.cloud.google.com/gke-spot` the label is one key. The
value replaces the one that is there, or is added, also at the end of a list; null removes what is there, as in a merge
patch of Kubernetes. Where a text is a YAML mapping, as Kueue's configuration is, a path goes on into it.
"""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OBJECTS: Final = Path(__file__).parent / "objects.yaml"
"""The sound objects from which cases start, each under a name in words: a resource, or what `like` makes one."""
_OPTIONS: Final = {"protect", "after", "parent", "provider"}
_KEYS: Final = {"like", "name", "patch", *_OPTIONS}
_SPELLED_OUT: Final = {"manifest", "type", "name", "properties", *_OPTIONS}
_KEYED_BY_LABELS: Final = {
    "annotations", "capacity", "limits", "labels", "matchLabels", "nodeLabels", "nodeSelector", "requests",
}  # fmt: skip
"""Fields whose keys are labels or resources, which have dots."""
_INDEX: Final = re.compile(r"\[(\d+)\](?:\.|$|(?=\[))")


class PatchError(ValueError):
    """A patch, or a name of an object, that is not valid."""


def resource(stated: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A resource of a case, spelled out: if it is `like` a known one, a copy of that with the stated name and patch.

    `name` is that of a manifest, or `namespace/name`; or of a cloud resource, and of its property if both were equal.

    Raises:
        PatchError: `like` is not known, a key is not one of these, or `patch` raises it.
    """
    keys = _KEYS if "like" in stated else _SPELLED_OUT
    if unknown := stated.keys() - keys:
        what = "is like another" if "like" in stated else "is spelled out"
        raise PatchError(f"unknown: {_listed(unknown)}; an object that {what} has {_listed(keys)}")
    if "like" not in stated:
        return dict(stated)
    if stated["like"] not in known:
        raise PatchError(f"no object is called {stated['like']}; there are {_listed(known)}")
    own = {key: value for key, value in stated.items() if key not in {"like", "name", "patch"}}
    made = {**deepcopy(dict(known[stated["like"]])), **own}
    if "name" in stated:
        _rename(made, stated["name"])
    patch(made, stated.get("patch", {}))
    return made


def patch(made: dict[str, Any], changes: Mapping[str, Any]) -> None:
    """Change a resource that is spelled out.

    Raises:
        PatchError: the way to a value is not there, a key that is removed is not there, or nothing changes.
    """
    body = made["manifest"] if "manifest" in made else made["properties"]
    for path, value in changes.items():
        _put(body, path, path, value)


def shared() -> dict[str, dict[str, Any]]:
    """The objects of `objects.yaml` by name, spelled out."""
    return spelled_out(read(OBJECTS), {})


def spelled_out(stated: Mapping[str, Any], known: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The known objects and, under their names, those that are stated; one can be like those before it.

    Raises:
        PatchError: an object is not valid.
    """
    found = dict(known)
    for name, each in stated.items():
        found[name] = resource(each, found)
    return found


def read(file: Path) -> Any:  # noqa: ANN401 (whatever a YAML file has)
    """The content of a YAML file of one document."""
    (document,) = read_all(file)
    return document


def read_all(file: Path) -> list[Any]:
    """The documents of a YAML file."""
    return list(yaml.load_all(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def _rename(made: dict[str, Any], name: str) -> None:
    if "manifest" in made:
        space, _, own = name.rpartition("/")
        metadata = {key: value for key, value in made["manifest"]["metadata"].items() if key != "namespace"}
        made["manifest"]["metadata"] = {**metadata, "name": own, **({"namespace": space} if space else {})}
    else:
        if made["properties"].get("name") == made["name"]:
            made["properties"] = {**made["properties"], "name": name}
        made["name"] = name


def _put(target: Any, rest: str, path: str, value: Any, within: str = "") -> None:  # noqa: ANN401 (any part of an object)
    key, rest = _step(target, rest, path, within)
    is_there = key < len(target) if isinstance(key, int) else key in target
    if rest:
        if not is_there:
            raise PatchError(f"{path}: {within} has no [{key}]; it is a list of {len(target)}")
        document = _document(target[key])
        _put(target[key] if document is None else document, rest, path, value, str(key))
        if document is not None:
            target[key] = yaml.safe_dump(document, sort_keys=False)
    elif value is None:
        if not is_there:
            raise PatchError(f"{path}: there is nothing to remove; {within or 'the object'} has {_listed(target)}")
        del target[key]
    elif is_there and _same(target[key], value):
        raise PatchError(f"{path}: it is {value!r} already")
    elif isinstance(target, list) and not is_there:
        cast("list[Any]", target).append(value)
    else:
        target[key] = value


def _document(value: object) -> dict[str, Any] | None:
    """The mapping that a text is in YAML; None for any other value."""
    found = yaml.safe_load(value) if isinstance(value, str) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _step(target: object, rest: str, path: str, within: str) -> tuple[Any, str]:
    """The first key of a path, and the rest of the path: the longest key that is there, else one that can be new."""
    if isinstance(target, list):
        items, index = cast("list[Any]", target), _INDEX.match(rest)
        if index is None or int(index[1]) > len(items):
            raise PatchError(f"{path}: {within} is a list of {len(items)}; {rest} is not an index of it")
        return int(index[1]), rest[index.end() :]
    if not isinstance(target, dict):
        raise PatchError(f"{path}: {within} is {target!r}, which has no {rest}")
    keys = cast("dict[str, Any]", target)
    known = [key for key in keys if rest == key or rest.startswith((f"{key}.", f"{key}["))]
    if known:
        key = max(known, key=len)
        return key, rest[len(key) :].removeprefix(".")
    if "[" in rest or ("." in rest and within not in _KEYED_BY_LABELS):
        first = re.split(r"[.[]", rest)[0]
        raise PatchError(f"{path}: {within or 'the object'} has no {first}; it has {_listed(keys)}")
    return rest, ""


def _same(one: object, other: object) -> bool:
    """Whether two values are equal and of one type: True is not 1."""
    return type(one) is type(other) and one == other


def _listed(names: Sequence[Any] | Mapping[str, Any] | set[str]) -> str:
    return ", ".join(map(str, sorted(names) if isinstance(names, set) else names)) or "nothing"

"""What the controllers serve, as data: the text and what is read from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from components.model.facts import kinds, versions
from components.model.facts.apis import served
from components.model.facts.apis.fields import Field, Life
from policies.objects.releases import installed
from policies.objects.values import UNKNOWN
from policies.objects.world import World, cloud_object, manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.facts.kinds import Kind


def test_a_type_that_no_kind_refers_to_is_not_known() -> None:
    assert served.shared_fields("PodSpec")["containers"] == Field(type_="[]Container")
    with pytest.raises(KeyError):
        served.shared_fields("PodSpe")


def test_a_field_is_dated_with_what_is_in_it() -> None:
    assert not Field(type_="text").is_dated
    assert Field(fields={"mode": Field(values={"All": Life()})}).is_dated
    assert Field(fields={"spec": Field(fields={"old": Field(deprecated="")})}).is_dated


_SIMPLE = {"text", "int", "number", "bool", "quantity", "int-or-text", ""}


def _types(known: Mapping[str, Field]) -> Iterator[str]:
    for each in known.values():
        yield each.type_.replace("[]", "").replace("{}", "")
        yield from _types(each.fields)


@pytest.mark.parametrize("kind", served.MANIFEST_KINDS, ids=str)
def test_every_type_of_a_kind_is_known(kind: Kind) -> None:
    pending = [name for version in served.versions_of(kind).values() for name in _types(version.fields)]
    seen = set(_SIMPLE)
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending.extend(_types(served.shared_fields(name)))
    assert "ObjectMeta" in seen
    assert set(served.groups()[kind.group][kind.name]) <= set(served.versions_of(kind))


def test_the_data_are_of_the_tested_releases() -> None:
    newest = {api: releases.newest for api, releases in served.RELEASES.items()}
    assert (versions.KUEUE.version, versions.JOBSET.version) == (newest["kueue"], newest["jobset"])


def test_a_policy_of_later_releases_is_known_with_its_release() -> None:
    spec = served.versions_of(kinds.CLUSTER_QUEUE)["v1beta2"].fields["spec"]
    assert spec.fields["concurrentAdmissionPolicy"].since == "0.18"
    assert "concurrentAdmissionPolicy" not in served.versions_of(kinds.CLUSTER_QUEUE)["v1beta1"].fields["spec"].fields


@pytest.mark.parametrize(("release", "is_deprecated"), [("0.18.3", False), ("0.19.0", True), ("0.20.1", True)])
def test_a_field_is_deprecated_from_a_release_on(release: str, is_deprecated: bool) -> None:  # noqa: FBT001  a column
    assert Life(deprecated="0.19").is_deprecated_in(release) == is_deprecated
    assert Life(deprecated="").is_deprecated_in(release)
    assert not Life().is_deprecated_in(release)


@pytest.mark.parametrize(
    ("charts", "images", "stated", "found"),
    [
        ([("kueue", "0.16.2")], [], {}, "0.16.2"),
        ([("kueue", "0.16.2"), ("jobset", "0.12.0")], ["registry.k8s.io/kueue/kueue:v0.16.2"], {}, "0.16.2"),
        ([], ["mirror.example.com/a/kueue/kueue:v0.17.1", "registry.k8s.io/kueue/kueueviz:v0.18.0"], {}, "0.17.1"),
        ([], ["registry.k8s.io/kueue/kueue:main"], {"kueue": "0.18.3"}, "0.18.3"),
        ([("kueue", "0.16.2"), ("kueue", "0.19.2")], [], {}, None),
        ([("kueue", "0.16.2")], [], {"kueue": "0.19.2"}, None),
        ([("kueue", "~0.16"), ("kueue", UNKNOWN)], [], {"jobset": "0.12.0"}, None),
        ([], [], {}, None),
    ],
)
def test_the_release_that_is_installed(
    charts: list[tuple[str, Any]], images: list[str], stated: dict[str, str], found: str | None
) -> None:
    releases = [
        cloud_object(kinds.RELEASE, {"chart": chart, "version": version}, origin=f"r{index}")
        for index, (chart, version) in enumerate(charts)
    ]
    containers = [{"name": "c", "image": image} for image in images]
    body: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "controller"},
        "spec": {"template": {"spec": {"containers": containers}}},
    }
    deployment = manifest(body, origin="d")
    assert deployment is not None
    assert installed(World([*releases, deployment], releases=stated), versions.KUEUE) == found

"""Managed Lustre instances and disks that listings make, and what is left out of them for which reason."""

from __future__ import annotations

from typing import Final

from tests.adopt.listed import PROJECT, Item, adopted, cluster, errors, network, of, platform, pool, told

_BASE: Final = (cluster(), pool("system"), *network())
_LUSTRE: Final = "lustre.csi.storage.gke.io", f"{PROJECT}/us-west4-a/scratch"
_DISK: Final = "pd.csi.storage.gke.io", f"projects/{PROJECT}/zones/us-west4-a/disks/model"


def _instance(on: str = "ml") -> Item:
    return {
        "name": f"projects/{PROJECT}/locations/us-west4-a/instances/scratch",
        "filesystem": "scratch",
        "capacityGib": "18000",
        "perUnitStorageThroughput": "1000",
        "network": f"projects/{PROJECT}/global/networks/{on}",
    }


def _disk(kind: str, **settings: object) -> Item:
    at = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/zones/us-west4-a"
    return {
        "name": "model",
        "selfLink": f"{at}/disks/model",
        "type": f"{at}/diskTypes/{kind}",
        "sizeGb": "100",
        **settings,
    }


def _volume(name: str, behind: tuple[str, str], claim: str = "data") -> Item:
    driver, handle = behind
    reference = {"namespace": "research", "name": claim}
    spec = {"csi": {"driver": driver, "volumeHandle": handle}, "claimRef": reference}
    return of("PersistentVolume", "v1", name, spec=spec)


def test_an_instance_is_stated_with_the_claims_on_it() -> None:
    found = adopted(*_BASE, _instance(), _volume("scratch-research-data", _LUSTRE), _volume("theirs", _LUSTRE, "more"))
    assert errors(found) == []
    assert platform(found)["lustre"] == [
        {
            "name": "scratch",
            "location": "us-west4-a",
            "filesystem": "scratch",
            "throughput": 1000,
            "capacity_gib": 18000,
            "claims": [{"name": "data", "namespace": "research"}],
        }
    ]
    says = "PersistentVolume theirs uses it, but the stack would name the volume scratch-research-more."
    assert f"Managed Lustre instance scratch: {says}" in told(found)
    assert "shared_storage" not in platform(found)


def test_an_instance_of_another_network_or_of_nobody_is_left_out() -> None:
    apart = adopted(*_BASE, _instance("other"), _volume("scratch-research-data", _LUSTRE))
    unused = adopted(*_BASE, _instance())
    assert "lustre" not in platform(apart)
    assert "lustre" not in platform(unused)
    assert "Managed Lustre instance scratch: it is on network other, but the cluster is on ml." in told(apart)
    assert "Managed Lustre instance scratch: no PersistentVolume of the cluster uses it." in told(unused)


def test_a_disk_is_stated_with_its_access_and_speed() -> None:
    item = _disk("hyperdisk-ml", accessMode="READ_ONLY_MANY", provisionedThroughput="2400", provisionedIops="38400")
    found = adopted(*_BASE, item, _volume("model-research-data", _DISK))
    assert errors(found) == []
    assert platform(found)["disks"] == [
        {
            "name": "model",
            "kind": "ml",
            "zone": "us-west4-a",
            "size_gib": 100,
            "access": "ReadOnlyMany",
            "throughput": 2400,
            "claims": [{"name": "data", "namespace": "research"}],
        }
    ]


def test_boot_disks_and_disks_of_other_kinds_are_not_of_the_stack() -> None:
    found = adopted(*_BASE, _disk("pd-balanced"), _volume("model-research-data", _DISK))
    assert "disks" not in platform(found)
    assert "disks" not in platform(adopted(*_BASE, _disk("hyperdisk-balanced")))

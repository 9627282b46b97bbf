"""Property bags of the wire as plain Python, and back."""

from __future__ import annotations

import pytest
from google.protobuf import struct_pb2

from simulator.providers.values import UNKNOWN, UnsupportedValueError, Value, contains_unknown, decode, encode

_SIGNATURE = "4dabf18193072939515e22adb298388d"


def marked(signature: str, **more: Value) -> struct_pb2.Struct:
    """A bag whose one value is marked with a signature of the engine."""
    return encode({"p": {_SIGNATURE: signature, **more}})


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, 3, -7, 1.5, "", "text", [], {}, UNKNOWN, [1, [UNKNOWN, {"a": None}]], {"a": {"b": [True]}}],
)
def test_a_round_trip_changes_nothing(value: Value) -> None:
    bag = {"p": value}
    back = decode(encode(bag))
    assert back == bag
    assert type(back["p"]) is type(value)


def test_numbers_are_whole_where_they_can_be() -> None:
    struct = struct_pb2.Struct()
    struct.update({"nodes": 2.0, "share": 0.5})
    found = decode(struct)
    assert found == {"nodes": 2, "share": 0.5}
    assert [type(value) for value in found.values()] == [int, float]


def test_what_is_not_known_yet_is_one_value() -> None:
    struct = struct_pb2.Struct()
    struct.update({"a": "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "b": ["04da6b54-80e4-46f7-96ec-b56ff0331ba9"]})
    found = decode(struct)
    assert found["a"] is UNKNOWN
    assert found["b"] == [UNKNOWN]
    assert repr(UNKNOWN) == "UNKNOWN"


def test_secrets_come_out_bare() -> None:
    secret = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  a mark, not a secret
    assert decode(marked(secret, value="hidden")) == {"p": "hidden"}
    assert decode(marked(secret, value={"deep": [UNKNOWN]})) == {"p": {"deep": [UNKNOWN]}}


@pytest.mark.parametrize(
    ("signature", "kind"),
    [
        ("c44067f5952c0a294b673a41bacd8c17", "an asset"),
        ("0def7320c3a5731c473e5ecbe6d01bc7", "an archive"),
        ("5cf8f73096256a8f31e491e813e4eb8e", "a resource reference"),
        ("d0e6a833031e9bbcd3f4e8bde6ca49a4", "an output value"),
        ("something-new", "a value of an unknown kind"),
    ],
)
def test_other_marks_are_refused_by_their_name(signature: str, kind: str) -> None:
    with pytest.raises(UnsupportedValueError) as caught:
        decode(marked(signature, value="x"))
    assert str(caught.value) == f"{kind} is not supported here"


@pytest.mark.parametrize(
    ("value", "unknown"),
    [
        (UNKNOWN, True),
        ([1, {"a": [UNKNOWN]}], True),
        ({"a": {"b": UNKNOWN}}, True),
        ("UNKNOWN", False),
        ({"a": [1, None, "x", 2.5, True]}, False),
    ],
)
def test_an_unknown_is_found_at_any_depth(value: Value, *, unknown: bool) -> None:
    assert contains_unknown(value) is unknown

"""Property values of the Pulumi wire protocol, as plain Python and back.

A property bag is a `google.protobuf.Struct` in which some values are marked: a value that is not known yet is one fixed
string, a secret or an asset is an object with a signature key (sdk/proto and sdk/go/common/resource of the engine). The
stand-in providers ask the engine for plain values (no secrets, no outputs, no resources), so what reaches them is JSON
plus `UNKNOWN`; a marked value of another kind is refused, because it would otherwise be treated as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf import struct_pb2

from components.model.facts.engine import SECRET_SIGNATURE, SIGNATURE_KEY, UNKNOWN_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNATURES: Final = {
    "c44067f5952c0a294b673a41bacd8c17": "an asset",
    "0def7320c3a5731c473e5ecbe6d01bc7": "an archive",
    "5cf8f73096256a8f31e491e813e4eb8e": "a resource reference",
    "d0e6a833031e9bbcd3f4e8bde6ca49a4": "an output value",
}


class Unknown:
    """The one value that means "known only after the update"."""

    def __repr__(self) -> str:
        """`UNKNOWN`."""
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

Value = None | bool | int | float | str | Unknown | list["Value"] | dict[str, "Value"]
Properties = dict[str, Value]


class UnsupportedValueError(ValueError):
    """A property holds a kind of value that no stand-in provider accepts (an asset, an archive, ...)."""


def decode(struct: struct_pb2.Struct) -> Properties:
    """The properties in `struct` as plain Python: whole numbers as int, unknown values as `UNKNOWN`, secrets bare.

    Raises:
        UnsupportedValueError: a value is an asset, archive, resource reference or output value.
    """
    return {key: _decode(value) for key, value in struct.fields.items()}


def encode(properties: Mapping[str, Value]) -> struct_pb2.Struct:
    """`properties` as a Struct; the inverse of `decode`, except that secrets stay bare."""
    return struct_pb2.Struct(fields={key: _encode(value) for key, value in properties.items()})


def contains_unknown(value: Value) -> bool:
    """Whether `value` is unknown or holds an unknown value at any depth."""
    match value:
        case Unknown():
            return True
        case list():
            return any(contains_unknown(item) for item in value)
        case dict():
            return any(contains_unknown(item) for item in value.values())
        case _:
            return False


def _decode(value: struct_pb2.Value) -> Value:
    match value.WhichOneof("kind"):
        case "string_value":
            return UNKNOWN if value.string_value == UNKNOWN_TEXT else value.string_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_decode(item) for item in value.list_value.values]
        case "struct_value":
            return _decode_object(value.struct_value)
        case _:
            return None


def _decode_object(struct: struct_pb2.Struct) -> Value:
    if SIGNATURE_KEY not in struct.fields:
        return decode(struct)
    signature = struct.fields[SIGNATURE_KEY].string_value
    if signature == SECRET_SIGNATURE:
        return _decode(struct.fields["value"])
    raise UnsupportedValueError(f"{_SIGNATURES.get(signature, 'a value of an unknown kind')} is not supported here")


def _encode(value: Value) -> struct_pb2.Value:
    match value:
        case None:
            return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
        case Unknown():
            return struct_pb2.Value(string_value=UNKNOWN_TEXT)
        case bool():
            return struct_pb2.Value(bool_value=value)
        case int() | float():
            return struct_pb2.Value(number_value=value)
        case str():
            return struct_pb2.Value(string_value=value)
        case list():
            return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[_encode(item) for item in value]))
        case dict():
            return struct_pb2.Value(struct_value=encode(value))

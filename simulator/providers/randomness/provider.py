"""The engine's calls to the `random` provider: values drawn at creation, the same at every refresh after it.

Nothing can be changed in place: each input, `keepers` above all, replaces the resource. The values come from the
system's randomness, because a password drawn here protects something here. `bcryptHash` of a password is left out:
nothing that this project installs computes bcrypt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from simulator.cloud.schema import package
from simulator.providers.base import Checked, Created, Difference, Found, ProviderError, StandIn
from simulator.providers.bridged.checking import Checker
from simulator.providers.bridged.fields import Field, Fields
from simulator.providers.bridged.planning import DEFAULTS_KEY, Differ, plan, with_unknowns, without_ignored
from simulator.providers.bridged.reading import Importer
from simulator.providers.randomness import drawing
from simulator.providers.values import UNKNOWN, Properties
from simulator.providers.versions import plugin_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.providers.base import Engine, Target

_CLASSES: Final = ("lower", "numeric", "special", "upper")
_LEAST: Final = {"lower": "minLower", "numeric": "minNumeric", "special": "minSpecial", "upper": "minUpper"}
_STATED: Final = Field()
_TEXT: Final[Fields] = {
    "keepers": _STATED,
    "length": _STATED,
    "overrideSpecial": _STATED,
    **{name: Field(server=True) for name in (*_CLASSES, *_LEAST.values())},
}
_ID: Final[Fields] = {"byteLength": _STATED, "keepers": _STATED, "prefix": _STATED}
_PET: Final[Fields] = {
    "keepers": _STATED,
    "length": Field(server=True),
    "prefix": _STATED,
    "separator": Field(server=True),
}
_ENGINES_OWN: Final = ("version", "pluginDownloadURL", "__internal")


@dataclass(frozen=True, slots=True)
class _Type:
    """One resource type: its inputs, how it is drawn and how its id brings it back."""

    fields: Fields
    draw: Callable[[dict[str, Any]], tuple[str, Properties]]
    """From the inputs to the id and the outputs."""
    take_over: Callable[[str], Properties] | None
    """From an import's id to the outputs; None when the official provider has no import of the type."""


class RandomProvider(StandIn):
    """Random values."""

    package = "random"
    version = plugin_version("pulumi-random")

    def __init__(self, engine: Engine) -> None:
        """`engine` gets no messages: there is nothing to wait for."""
        super().__init__(engine)
        self._data = package("random")
        self._differ = Differ(self._data)

    def configure(self, config: Properties) -> None:
        """The package has no configuration."""
        unknown = sorted(config.keys() - set(_ENGINES_OWN))
        if unknown:
            raise ProviderError(f"stand-in provider: random has no configuration {', '.join(unknown)}")

    def check(self, target: Target, old: Properties | None, new: Properties, seed: bytes) -> Checked:  # noqa: ARG002
        """Types and required properties; no name is generated, so `old` and `seed` are unused."""
        fields = _type(target).fields
        checker = Checker(self._data, target, self.version)
        inputs = checker.inputs(self._data.resource(target.type), fields, new)
        return Checked(inputs, checker.failures)

    def diff(
        self,
        target: Target,
        id_: str,  # noqa: ARG002  the properties say it all
        old: Properties,
        outputs: Properties,
        new: Properties,
        ignored: list[str],
    ) -> Difference:
        """Every change replaces."""
        fields, before = _type(target).fields, outputs or old
        planned = without_ignored(before, plan(fields, before, new), ignored)
        return Difference(self._differ.changes(self._data.resource(target.type).inputs, fields, before, planned))

    def create(self, target: Target, inputs: Properties, *, preview: bool, timeout: float) -> Created:  # noqa: ARG002
        """Draw the value; at preview it is not drawn yet."""
        kind = _type(target)
        if preview:
            computed: Properties = dict.fromkeys(self._data.resource(target.type).computed, UNKNOWN)
            return Created("", computed | with_unknowns(kind.fields, plan(kind.fields, {}, inputs)))
        try:
            id_, outputs = kind.draw({name: value for name, value in inputs.items() if name != DEFAULTS_KEY})
        except drawing.ImpossibleDrawError as error:
            raise ProviderError(f"{target.name}: {error}") from None
        return Created(id_, outputs)

    def read(self, target: Target, id_: str, inputs: Properties, outputs: Properties) -> Found | None:
        """The drawn value, unchanged; an import has its value in the id."""
        if inputs or outputs:
            return Found(id_, inputs, outputs)
        kind = _type(target)
        if kind.take_over is None:
            raise ProviderError(f"{target.type} cannot be imported: the official provider has no import for it either")
        try:
            found = kind.take_over(id_)
        except drawing.ImpossibleDrawError as error:
            raise ProviderError(f"Import id: {error}") from None
        inputs = Importer(self._data).inputs(self._data.resource(target.type).inputs, kind.fields, found)
        return Found(_id_of(target, found), inputs, found)

    def update(
        self,
        target: Target,
        id_: str,  # noqa: ARG002  nothing is sought
        old: Properties,  # noqa: ARG002  nothing is compared
        outputs: Properties,
        new: Properties,
        *,
        preview: bool,  # noqa: ARG002  both are the same
        timeout: float,  # noqa: ARG002  nothing is awaited
    ) -> Properties:
        """Nothing of the value changes in place."""
        return plan(_type(target).fields, outputs, new)

    def delete(self, target: Target, id_: str, inputs: Properties, outputs: Properties, *, timeout: float) -> None:
        """Nothing exists outside the state."""


def _draw_text(inputs: dict[str, Any]) -> tuple[str, Properties]:
    outputs: Properties = {name: inputs.get(name, True) for name in _CLASSES}
    outputs |= {name: inputs.get(name, 0) for name in _LEAST.values()}
    recipe = drawing.Recipe(
        length=inputs["length"],
        enabled=frozenset(name for name in _CLASSES if outputs[name]),
        least={name: inputs[least] for name, least in _LEAST.items() if inputs.get(least)},
        special=inputs.get("overrideSpecial") or drawing.SPECIAL,
    )
    result = drawing.random_text(recipe)
    return result, {**inputs, **outputs, "result": result}


def _draw_password(inputs: dict[str, Any]) -> tuple[str, Properties]:
    return "none", _draw_text(inputs)[1]


def _draw_id(inputs: dict[str, Any]) -> tuple[str, Properties]:
    value = drawing.random_bytes(inputs["byteLength"])
    return drawing.url_form(value), {**inputs, **drawing.notations(value, inputs.get("prefix", ""))}


def _draw_pet(inputs: dict[str, Any]) -> tuple[str, Properties]:
    separator = inputs.get("separator", "-")
    length = inputs.get("length", 2)
    prefix = f"{inputs['prefix']}{separator}" if inputs.get("prefix") else ""
    return prefix + drawing.pet_name(length, separator), {**inputs, "length": length, "separator": separator}


def _take_over_text(text: str) -> Properties:
    outputs: Properties = dict.fromkeys(_CLASSES, True)
    outputs |= dict.fromkeys(_LEAST.values(), 0)
    return {**outputs, "length": len(text), "result": text}


def _take_over_id(text: str) -> Properties:
    prefix, _, encoded = text.rpartition(",")
    value = drawing.from_url_form(encoded)
    stated: Properties = {"prefix": prefix} if prefix else {}
    return {"byteLength": len(value), **stated, **drawing.notations(value, prefix)}


_TYPES: Final = {
    "random:index/randomPassword:RandomPassword": _Type(_TEXT, _draw_password, _take_over_text),
    "random:index/randomString:RandomString": _Type(_TEXT, _draw_text, _take_over_text),
    "random:index/randomId:RandomId": _Type(_ID, _draw_id, _take_over_id),
    "random:index/randomPet:RandomPet": _Type(_PET, _draw_pet, None),
}


def _type(target: Target) -> _Type:
    found = _TYPES.get(target.type)
    if found is None:
        raise ProviderError(
            f"stand-in provider: resource type {target.type} is not modelled by the simulator; it models "
            f"{', '.join(sorted(_TYPES))}. It refuses rather than ignores; see simulator/__init__.py."
        )
    return found


def _id_of(target: Target, outputs: Properties) -> str:
    """The id under which an imported value is kept."""
    if target.type.endswith(":RandomPassword"):
        return "none"
    prefix = cast("str", outputs.get("prefix", ""))
    return cast("str", outputs.get("result") or cast("str", outputs["b64Url"]).removeprefix(prefix))

"""The stand-in for the provider of package `random`: passwords, drawn at creation and never changed by a refresh.

Nothing can be changed in place: each input, `keepers` above all, replaces the resource. A password comes from the
system's randomness, because it protects something here. `bcryptHash` is left out: nothing that this project installs
computes bcrypt.
"""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud.schema import package
from simulator.providers.base import Checked, Created, Difference, Found, ProviderError, StandIn, not_modelled
from simulator.providers.bridged.checking import Checker
from simulator.providers.bridged.fields import Field, Fields
from simulator.providers.bridged.planning import DEFAULTS_KEY, Differ, plan, with_unknowns, without_ignored
from simulator.providers.bridged.reading import Importer
from simulator.providers.plugins import plugin_version
from simulator.providers.values import UNKNOWN, Properties

if TYPE_CHECKING:
    from simulator.providers.base import Engine, Request

_TYPE: Final = "random:index/randomPassword:RandomPassword"
_ID: Final = "none"
"""The id of every password, as with the official provider: the value itself would be no secret there."""
_CHARACTERS: Final = {
    "lower": string.ascii_lowercase,
    "numeric": string.digits,
    "special": "!@#$%&*()-_=+[]{}<>:?",
    "upper": string.ascii_uppercase,
}
"""By the input that admits them; `overrideSpecial` replaces the special ones."""
_LEAST: Final = {"lower": "minLower", "numeric": "minNumeric", "special": "minSpecial", "upper": "minUpper"}
_FIELDS: Final[Fields] = {
    "keepers": Field(),
    "length": Field(),
    "overrideSpecial": Field(),
    **{name: Field(server=True) for name in (*_CHARACTERS, *_LEAST.values())},
}
_ENGINES_OWN: Final = ("version", "pluginDownloadURL", "__internal")


class RandomProvider(StandIn):
    """Random passwords."""

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

    def check(self, request: Request) -> Checked:
        """Types and required properties; no name is generated."""
        if request.type != _TYPE:
            raise not_modelled(f"resource type {request.type}", [_TYPE])
        checker = Checker(self._data, request, self.version)
        inputs = checker.inputs(self._data.resource(_TYPE), _FIELDS, request.new)
        return Checked(inputs, checker.failures)

    def diff(self, request: Request) -> Difference:
        """Every change replaces."""
        before = request.outputs or request.old
        planned = without_ignored(before, plan(_FIELDS, before, request.new), request.ignored)
        return Difference(self._differ.changes(self._data.resource(_TYPE).inputs, _FIELDS, before, planned))

    def create(self, request: Request) -> Created:
        """Draw the password; at preview it is not drawn yet."""
        if request.preview:
            computed: Properties = dict.fromkeys(self._data.resource(_TYPE).computed, UNKNOWN)
            return Created("", computed | with_unknowns(_FIELDS, plan(_FIELDS, {}, request.new)))
        stated = {name: value for name, value in request.new.items() if name != DEFAULTS_KEY}
        rules = {**dict.fromkeys(_CHARACTERS, True), **dict.fromkeys(_LEAST.values(), 0), **stated}
        try:
            return Created(_ID, {**rules, "result": _password(rules)})
        except ValueError as error:
            raise ProviderError(f"{request.name}: {error}") from None

    def read(self, request: Request) -> Found | None:
        """The password, unchanged; an import has it in the id."""
        if request.old or request.outputs:
            return Found(request.id, request.old, request.outputs)
        rules: Properties = {**dict.fromkeys(_CHARACTERS, True), **dict.fromkeys(_LEAST.values(), 0)}
        found = {**rules, "length": len(request.id), "result": request.id}
        return Found(_ID, Importer(self._data).inputs(self._data.resource(_TYPE).inputs, _FIELDS, found), found)

    def update(self, request: Request) -> Properties:
        """Nothing of the value changes in place."""
        return plan(_FIELDS, request.outputs, request.new)

    def delete(self, request: Request) -> None:
        """Nothing exists outside the state."""


def _password(rules: dict[str, Any]) -> str:
    """A password of the length, the characters and the least numbers of them in the inputs `rules`.

    Raises:
        ValueError: no password satisfies them.
    """
    characters = _CHARACTERS | {"special": rules.get("overrideSpecial") or _CHARACTERS["special"]}
    alphabet = "".join(characters[name] for name in _CHARACTERS if rules[name])
    least = {name: int(rules[field]) for name, field in _LEAST.items()}
    wanted, length = sum(least.values()), int(rules["length"])
    if length < max(1, wanted):
        raise ValueError(f"length {length} must be at least 1 and at least the sum {wanted} of the min_* values")
    if not alphabet:
        raise ValueError("at least one of lower, numeric, special and upper must be true")
    letters = [secrets.choice(characters[name]) for name, count in least.items() for _ in range(count)]
    letters += [secrets.choice(alphabet) for _ in range(length - wanted)]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)

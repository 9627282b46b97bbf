"""Draw passwords, strings, identifiers and pet names as the official provider does, from the system's randomness."""

from __future__ import annotations

import base64
import secrets
import string
from dataclasses import dataclass
from typing import Final

from simulator.providers.randomness.words import ADJECTIVES, ADVERBS, ANIMALS

SPECIAL: Final = "!@#$%&*()-_=+[]{}<>:?"
"""The special characters that are used when the program names none."""
_CLASSES: Final = {
    "lower": string.ascii_lowercase,
    "numeric": string.digits,
    "special": SPECIAL,
    "upper": string.ascii_uppercase,
}


class ImpossibleDrawError(ValueError):
    """No value satisfies the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The rules for a random string."""

    length: int
    enabled: frozenset[str]
    """Of `lower`, `numeric`, `special` and `upper`, the classes that may occur."""
    least: dict[str, int]
    """How many characters of a class there are at least; a class that is not named may be absent."""
    special: str = SPECIAL


def random_text(recipe: Recipe) -> str:
    """A string that satisfies the recipe.

    Raises:
        ImpossibleDrawError: no string does.
    """
    classes = _CLASSES | {"special": recipe.special}
    alphabet = "".join(classes[name] for name in sorted(recipe.enabled))
    wanted = sum(recipe.least.values())
    if recipe.length < max(1, wanted):
        raise ImpossibleDrawError(
            f"length {recipe.length} must be at least 1 and at least the sum {wanted} of the min_* values"
        )
    if not alphabet:
        raise ImpossibleDrawError("at least one of lower, numeric, special and upper must be true")
    letters = [secrets.choice(classes[name]) for name, count in sorted(recipe.least.items()) for _ in range(count)]
    letters += [secrets.choice(alphabet) for _ in range(recipe.length - wanted)]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)


def random_bytes(length: int) -> bytes:
    """`length` random bytes.

    Raises:
        ImpossibleDrawError: the length is not positive.
    """
    if length < 1:
        raise ImpossibleDrawError(f"byte_length {length} must be at least 1")
    return secrets.token_bytes(length)


def notations(value: bytes, prefix: str) -> dict[str, str]:
    """The forms of an identifier of these bytes, each behind the prefix.

    >>> notations(bytes([0, 255]), "x-")["dec"]
    'x-255'
    """
    return {
        "b64Std": prefix + base64.standard_b64encode(value).decode(),
        "b64Url": prefix + url_form(value),
        "dec": prefix + str(int.from_bytes(value, "big")),
        "hex": prefix + value.hex(),
    }


def url_form(value: bytes) -> str:
    """The bytes in the alphabet that needs no escaping in addresses, without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def from_url_form(text: str) -> bytes:
    """The bytes behind `url_form`.

    Raises:
        ImpossibleDrawError: `text` is not in that alphabet.
    """
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise ImpossibleDrawError(f"{text!r} is not an identifier in URL-safe base64") from None


def pet_name(words: int, separator: str) -> str:
    """A name of so many words: an animal, an adjective before it, adverbs before those.

    Raises:
        ImpossibleDrawError: `words` is less than 1.
    """
    if words < 1:
        raise ImpossibleDrawError(f"length {words} must be at least 1")
    name = [secrets.choice(ANIMALS)]
    if words > 1:
        name.insert(0, secrets.choice(ADJECTIVES))
    adverbs = [secrets.choice(ADVERBS) for _ in range(words - len(name))]
    return separator.join([*adverbs, *name])

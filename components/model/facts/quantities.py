"""Amounts of resources as Kubernetes writes them: `24`, `500m`, `10Gi`.

The API server returns every amount in one canonical form, and what is written in another looks changed at each refresh.
So amounts are read into thousandths, which compare and add, and written in the canonical form only. People write
amounts for `parse`; `thousandths` reads every amount that an API server sends.

Source: k8s.io/apimachinery 0.34, pkg/api/resource/quantity.go (CanonicalizeBytes).
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from msgspec import Struct

_MILLI: Final = 1000
_BINARY: Final = {suffix: 1024**power for power, suffix in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}
_DECIMAL: Final = {suffix: 1000**power for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))}
_UNITS: Final = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 10**3), **_DECIMAL, **_BINARY}
_FORM = re.compile(r"(?P<number>.*?)(?P<suffix>[KMGTPE]i|[numkMGTPE]|)")
_WRITTEN = re.compile(r"\d+(\.\d+)?([KMGTPE]i|[mkMGTPE]|)")
"""The form that `parse` takes: no sign, no exponent, nothing finer than a thousandth."""


class Quantity(Struct, frozen=True):
    """An amount, and whether it is counted in powers of two."""

    milli: int
    """Thousandths of a unit."""
    is_binary: bool = False

    def __str__(self) -> str:
        """The canonical form: the largest suffix that leaves a whole number.

        >>> [str(parse(text)) for text in ("1000m", "0.5", "1024Mi", "1.5Gi", "512Ki", "2000")]
        ['1', '500m', '1Gi', '1536Mi', '512Ki', '2k']
        """
        whole, rest = divmod(self.milli, _MILLI)
        if rest:
            return f"{self.milli}m"
        is_binary = self.is_binary and whole >= _BINARY["Ki"]
        for suffix, unit in reversed((_BINARY if is_binary else _DECIMAL).items()):
            if whole and whole % unit == 0:
                return f"{whole // unit}{suffix}"
        return str(whole)

    def times(self, count: int) -> Quantity:
        """The amount `count` times."""
        return Quantity(self.milli * count, self.is_binary)

    def multiplied(self, other: Quantity) -> Quantity:
        """The amount as many times as `other` says, a part of a thousandth counted as one.

        >>> str(parse("300m").multiplied(parse("1000"))), str(parse("1m").multiplied(parse("1500m")))
        ('300', '2m')
        """
        return Quantity(-(-self.milli * other.milli // _MILLI), self.is_binary)

    def rounded_up(self) -> Quantity:
        """Whole units, a part of one counted as one.

        >>> str(parse("1500m").rounded_up())
        '2'
        """
        return Quantity(-(-self.milli // _MILLI) * _MILLI, self.is_binary)

    def plus(self, other: Quantity) -> Quantity:
        """Both amounts together, in the form of the first."""
        return Quantity(self.milli + other.milli, self.is_binary)


@lru_cache(maxsize=1024)
def parse(text: str) -> Quantity:
    """The amount that `text` states.

    Raises:
        ValueError: `text` is not such an amount, or is finer than a thousandth.
    """
    if _WRITTEN.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not an amount such as 24, 500m or 10Gi")
    exact = _thousandths(text)
    if exact.denominator != 1:
        raise ValueError(f"{text!r} is finer than a thousandth")
    return Quantity(exact.numerator, text.endswith("i"))


@lru_cache(maxsize=1024)
def thousandths(text: str) -> int:
    """An amount in any form that an API server sends, rounded up to thousandths.

    >>> thousandths("500m"), thousandths("2Gi"), thousandths("1e3"), thousandths("1n")
    (500, 2147483648000, 1000000, 1)

    Raises:
        ValueError: `text` is not an amount.
    """
    return math.ceil(_thousandths(text))


def _thousandths(text: str) -> Fraction:
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"{text!r} is not an amount")
    return Fraction(form["number"]) * _UNITS[form["suffix"]] * _MILLI


def whole(count: int) -> str:
    """A whole number of things, such as chips, in the canonical form.

    >>> whole(24), whole(4000)
    ('24', '4k')
    """
    return str(Quantity(count * _MILLI))


def canonical(text: str) -> str:
    """The canonical form of an amount.

    Raises:
        ValueError: `text` is none.
    """
    return str(parse(text))

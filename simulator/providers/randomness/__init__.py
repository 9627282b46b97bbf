"""The stand-in for the provider of package `random`: values that are random once and then stay.

`provider.py` answers the engine, `drawing.py` draws the values, `words.py` has the words of pet names.
"""

from simulator.providers.randomness.provider import RandomProvider

__all__ = ["RandomProvider"]

"""The pack `all`."""

from policies.start import start

start("all")

"""The pack `quota`."""

from policies.start import start

start("quota")

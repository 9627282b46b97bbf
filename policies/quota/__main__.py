"""The pack `quota`."""

from policies.pack import start

start("quota")

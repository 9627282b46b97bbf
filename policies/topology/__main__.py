"""The pack `topology`."""

from policies.pack import start

start("topology")

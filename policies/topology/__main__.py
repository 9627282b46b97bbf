"""The pack `topology`."""

from policies.start import start

start("topology")

"""The pack `all`."""

from policies.pack import start

start("all")

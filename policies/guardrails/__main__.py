"""The pack `guardrails`."""

from policies.pack import start

start("guardrails")

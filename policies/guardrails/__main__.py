"""The pack `guardrails`."""

from policies.start import start

start("guardrails")

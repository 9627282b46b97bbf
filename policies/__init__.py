"""The rules over objects as Pulumi policies: they judge what any program registers, this one or another.

`observe.py` reads what the engine hands over, `run.py` keeps it and judges it once, `pack.py` makes a policy of each
rule, `settings.py` says what owners allow, `remedies.py` holds the fixes that are mechanical, and `serving.py` answers
the engine. `report/` tells reviewers what a preview would do. The folders `topology`, `quota`, `guardrails` and `all`
are the packs, `config/` their levels and settings by environment.
"""

"""The rules over objects as Pulumi policies: they judge what any program registers, this one or another.

`observe.py` reads what the engine hands over, `run.py` keeps it and judges it once, `pack.py` makes a policy of each
rule, `settings.py` says what owners allow, `remedies.py` holds the fixes that are mechanical, `serving.py` answers the
engine, and `start.py` is how a pack comes to that. `report/` tells reviewers what a preview would do. The folders
`topology`, `quota`, `guardrails` and `all` are the packs, `config/` their levels and settings by environment.
"""

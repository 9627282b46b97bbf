"""Checks of anybody's objects and files: rules over objects, as policy packs of Pulumi, as lint and as reports.

`observe.py` reads what the engine hands over, `run.py` keeps it and checks it once, `pack.py` makes the policies that
report it and serves them with the policy SDK, `settings.py` reads levels and policy settings of the environment, and
`remedies.py` applies mechanical fixes. All of them use `objects/` and `rules/`, `lint/` applies the rules to files, and
`report/` shows reviewers what a preview would do. The folders `topology`, `quota`, `guardrails` and `all` are the
packs, `config/` their levels and settings by environment.
"""

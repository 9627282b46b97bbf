"""Objects of Google Cloud and Kubernetes as anybody wrote them, and the rules over them.

`values` reads fields with their types, `world` holds the objects, `judging` says what a rule is, `rules/` has the rules
over single objects and their neighbours, `rebuilding/` makes a plan of objects so that `ledger_rules` can apply the
program's own rules to it.
"""

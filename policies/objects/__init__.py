"""Objects of Google Cloud and Kubernetes, whoever wrote them.

`values` reads fields with their types, `world` has the objects, `judging` defines a rule over objects, and
`rebuilding/` makes a plan of objects, so that `ledger_rules` can apply the rules over a plan to them.
"""

"""The model: from a stack file to a plan without errors, or to everything that is wrong with it.

Read in this order: a stack file; `config/`, what it may declare; `plan/`, what will exist; `planning/`, how the one
becomes the other; `rules/`, what is forbidden and why (`rule.py` says what a rule is). `facts/` has the facts of GKE,
Kueue and JobSet, `names.py` derives names, and `stack_file/reading.py` does all of it for one stack. `findings.py`,
`places.py` and the other modules of `stack_file/` turn an error into the text that users read.

Nothing here imports Pulumi, reads a file, asks for the time or looks at the environment.
"""

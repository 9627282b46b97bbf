"""Adoption: a stack of this program takes over a platform that already runs, and recreates nothing.

Reading order: `listings.py` (what gcloud and kubectl print), `cloud.py`, `nodes.py`, `queueing.py`, `storage.py`,
`runs.py` (each a part of the stack file), `stack_file.py` (all of it, read back and compared with the listings); then
`preview.py`, `ids.py`, `import_file.py` (what `pulumi import` needs) and `settling.py` (what it leaves to be done).
"""

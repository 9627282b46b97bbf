"""Adoption: a platform that runs already comes under a stack of this program, and nothing of it is made anew.

Reading order: `listings.py` (what gcloud and kubectl print), `cloud.py`, `nodes.py`, `queueing.py`, `storage.py`,
`runs.py` (each a part of the stack file), `stack_file.py` (all of it, read back and compared with the listings); then
`preview.py`, `ids.py`, `import_file.py` (what `pulumi import` needs) and `settling.py` (what it leaves to be done).
"""

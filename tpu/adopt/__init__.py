"""Adoption: a stack of this program takes over a platform that already runs, and recreates nothing.

Reading order: `listings.py` (what gcloud and kubectl print), `cloud.py`, `nodes.py`, `compute_classes.py`,
`queueing.py`, `storage.py` (each a part of the stack file), `documents.py` (the stack's objects beside those in the
cluster), `stack_file.py` (all of it, read back and compared with the listings); then `importing.py` (what `pulumi
import` needs, and what it leaves to be done). Workloads are not adopted: they end by themselves.
"""

"""The rules over files that anybody wrote: manifests, dumps of a cluster, what gcloud prints, stack files.

`tpu lint FILE...`. `files.py` reads bytes within limits, `documents.py` makes documents of them,
`recognising.py` objects of those, `linting.py` checks all of them together, `findings.py` says where a finding stands
and `formats.py` writes it down. Nothing in a file is run, and whatever is in it ends in a verdict.
"""

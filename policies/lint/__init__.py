"""The rules over files that anybody wrote: manifests, dumps of a cluster, what gcloud prints, stack files.

`tpu lint FILE...`. `files.py` walks folders and reads bytes within limits, `rendering.py` builds kustomizations.
`left_out.py` says what is not checked. `documents.py` makes documents of the rest, `placeholders.py` unknown values,
`recognising.py` objects; `reading.py` does all of this for a file. `worlds.py` checks the objects of each folder, with
the `shared_queues.py` of others. `findings.py` says where a finding stands, `accepted.py` and `report_options.py`
which are shown, and `formats.py` writes them down. Nothing in a file is run, and whatever is in it ends in a verdict.
"""

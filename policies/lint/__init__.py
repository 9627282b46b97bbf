"""The rules over files that anybody wrote: manifests, dumps of a cluster, what gcloud prints, stack files.

`tpu lint FILE...`. `files.py` reads bytes within limits, `walking.py` folders. `left_out.py` says what is not checked.
`documents.py` makes documents of the rest, `placeholders.py` unknown values, `recognising.py` objects; `reading.py`
does all of this for a file. `grouping.py` says which objects meet, `worlds.py` checks them, `findings.py` and
`shown.py` say where a finding stands, and `formats.py` writes it down. Nothing in a file is run, and whatever is in it
ends in a verdict.
"""

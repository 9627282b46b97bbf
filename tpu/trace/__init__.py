"""The record of a platform: what was asked for, admitted, evicted and finished, as a file of JSON lines.

`tpu record` appends to such a file; `tpu usage` and the rehearsal read it. docs/usage.md describes the format.

Reading order: `lines.py` (the format, version 1), `reading.py` (a file as checked lines, one at a time), `writing.py`
(appends whole lines, mends a file that a kill cut short). The recorder: `workloads.py` (a Workload and what is known
of it become lines, by what a file says already, and when its pods started), `capacity.py` (chips by flavor),
`recorder.py` (follows a cluster). Other ways to a record: `generating.py` makes a plausible week,
`importing.py` reads another program's table. `arrivals.py`: what asked for chips when and how long it ran.
"""

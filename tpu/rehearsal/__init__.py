"""Rehearsals: what Kueue would decide about Workloads, on a virtual clock.

A rehearsal (`document.py`) says which queues there are, what runs, what is asked for and when capacity comes. The
command `rehearse` (`simulator/toolchain/modules/control-plane/rehearse/`, with the pinned Kueue as a library)
decides about it and writes what it decided (`running.py`). `open_workloads.py` takes the Workloads of a running cluster
over. `change/` rehearses a recorded week before and after a change of the stack file.
docs/rehearsal.md describes both formats.
"""

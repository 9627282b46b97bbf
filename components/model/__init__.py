"""The model: from a stack file to a plan that is known to be sound, or to everything that is wrong with it.

To be read in this order: a stack file; `config.py`, what can be written in one; `plan.py`, what will exist;
`planning.py`, how the one becomes the other; the `*_rules.py`, what is forbidden and why. Facts are in `tpu.py` with
its catalogue, `compute.py`, `gpu.py`, `filestore.py`, `floors.py`, `gke.py` and `versions.py`; `names.py` derives
names, `project.py` has the project's own, and `engine.py` is what others read of Pulumi's engine. `reading.py` does
all of it for one stack, and `findings.py`, `stack_text.py`, `shape_findings.py` and `report.py` turn what is wrong into
what users read.

Nothing here imports Pulumi, reads a file, asks for the time or looks at the environment.
"""

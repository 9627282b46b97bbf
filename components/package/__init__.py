"""The package `tpu-platform`: TPU slices, queues and a JobSet as components for programs in any language of Pulumi.

`tpu_slices.py`, `queues.py` and `job_set.py` are the components, thin wrappers of those in `components/`. `inputs.py`
has their inputs beside the keys of stack files, and `schema.py` makes the package's schema of both. `planning.py` makes
a plan of the inputs with the reader of stack files, so that the program's own rules apply. `provider.py` serves all
this to the engine, and `wire.py` reads the engine's messages.

Annotations of components must not be strings: `schema.py` reads them.
"""

"""The package `tpu-platform`: TPU slices, queues and a JobSet as components for programs in any language of Pulumi.

`inputs.py` has the inputs of components, as types from which Pulumi makes the package's schema; `tpu_slices.py`,
`queues.py` and `job_set.py` are the components, thin wrappers of those in `components/`. `planning.py` makes a plan of
the inputs with the reader of stack files, so that the program's own rules apply. `provider.py` serves all this to the
engine, and `wire.py` reads the engine's messages.

Annotations in these files must not be strings: Pulumi reads them to make the schema.
"""

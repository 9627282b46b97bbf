"""The package `tpu-platform`: TPU slices, queues and a JobSet as components for programs in any language of Pulumi.

`inputs.py` says what a component takes, as types from which Pulumi makes the package's schema; `tpu_slices.py`,
`queues.py` and `job_set.py` are the components, thin faces of those in `components/`. `planning.py` makes a plan of the
inputs by the reader of stack files, so that the rules are the program's own. `provider.py` serves all this to the
engine, and `wire.py` reads what the engine sends.

Annotations in these files must not be strings: Pulumi reads them to make the schema.
"""

"""`tpu whatif`: when Kueue would admit a job that nobody has submitted yet, and what it would evict.

`platform_state.py` reads the platform and its open Workloads, `manifest.py` the job, and `pod_sets.py` makes a Workload
of it as Kueue does. `run_times.py` says how long the others may run. `asking.py` rehearses each variant of the job, and
`answer.py` makes text and data of what was decided.
"""

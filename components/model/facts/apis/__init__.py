"""What the controllers' APIs serve, release by release: kinds, versions, fields, values, keys of configurations.

`kueue.py`, `kueue_configuration.py`, `kueue_gates.py`, `kueue_chart.py`, `jobset.py`, `leader_worker_set.py`, `ray.py`,
`kubernetes.py` and `groups.py` are data, read from the pinned modules and written by `python -m toolchain.apis`. Only a
release in which something came, where it came before the release that was read, is put right by hand. `gke_kinds.py` is
written by hand. `fields.py` reads the data, `served.py` hands it out.
"""

"""The APIs of the controllers, release by release: kinds, versions, fields, values, keys of configurations.

The JSON files are data that the toolchain (its `apis/`) reads from the pinned modules: `groups.json` has every kind
that the pinned releases serve, with its versions, the best first; `releases.json` the oldest and the newest release
that was read of each API; `kueue_chart.json` the configuration that Kueue's chart states, without `integrations`, by
the first release that has it; the others have the fields of kinds, as `fields.py` describes them.
Only the release in which something came is put right by hand, where it came before the oldest release that was read.
`served.py` reads the data.

`gke_kinds.json` is written by hand: no pinned module has the kinds that GKE itself serves. A field that it lacks may be
new, so rules warn of it. Sources, read 2026-11: the Go types of ComputeClasses (ComputeClassSpec) that Google publishes
with its cluster autoscaler, and for `buffers`, which they lack, the GKE reference "ComputeClass"; for PodMonitorings,
charts/operator/crds of GoogleCloudPlatform/prometheus-engine.
"""

"""Files of a repository by what they hold: runs on slices, queues, Deployments, volumes and others.

NUMBER stands for the number of the file, NAME for a name.
"""

from __future__ import annotations

from typing import Final

_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: team-2, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: app-NUMBER}}
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
        cloud.google.com/gke-tpu-topology: 2x4
      containers:
        - name: main
          image: registry.example/train:1.NUMBER
          command: [python, train.py, --steps=100]
          env: [{name: RUN, value: "NUMBER"}, {name: BUCKET, value: gs://runs}]
          resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}
"""
_QUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: flavor-NUMBER}
spec: {nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice, team: team-NUMBER}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: queue-NUMBER}
spec:
  cohortName: all
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors: [{name: flavor-NUMBER, resources: [{name: google.com/tpu, nominalQuota: 16}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-NUMBER}
spec: {clusterQueue: queue-NUMBER}
"""
_SERVER: Final = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: server-NUMBER, namespace: team-NUMBER}
spec:
  replicas: 2
  selector: {matchLabels: {app: server-NUMBER}}
  template:
    metadata: {labels: {app: server-NUMBER}}
    spec: {containers: [{name: main, image: "registry.example/server:1.NUMBER", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: server-NUMBER, namespace: team-NUMBER}
spec: {selector: {app: server-NUMBER}, ports: [{port: 80}]}
"""
_VOLUME: Final = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-NUMBER}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadWriteMany]
  storageClassName: ""
  claimRef: {name: data, namespace: team-NUMBER}
  nfs: {server: 10.0.0.2, path: /data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team-NUMBER}
spec: {accessModes: [ReadWriteMany], storageClassName: "", resources: {requests: {storage: 1Ti}}}
"""
_ACCEPTED: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: accepted-NUMBER}
spec:
  namespaceSelector: {}
  queueingStrategy: Fifo # tpu-lint: ignore=queue-value-exists as planned
"""
_CONFIG: Final = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-NUMBER
  namespace: ${NAMESPACE}
data: {steps: "100", bucket: "<BUCKET>"}
"""
_OTHER: Final = "site_name: docs-NUMBER\nnav: [index.md, install.md]\ntheme: {name: plain}\n"
KINDS: Final = {
    "runs": _JOB.replace("NAME", "train-NUMBER"),
    "examples of one name": _JOB.replace("NAME", "sample"),
    "queues": _QUEUE,
    "servers": _SERVER,
    "volumes": _VOLUME,
    "accepted findings": _ACCEPTED,
    "placeholders": _CONFIG,
    "other programs": _OTHER,
}

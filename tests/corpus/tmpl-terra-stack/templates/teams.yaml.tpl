%{ for team in teams ~}
---
apiVersion: v1
kind: Namespace
metadata:
  name: ${team.name}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata:
  name: runs
  namespace: ${team.name}
spec:
  clusterQueue: ${team.queue}
%{ endfor ~}

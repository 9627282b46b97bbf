"""Registers what two files beside it say, as it stands there: raw resources, and none of this project's components.

`cloud.yaml` lists resources of Google Cloud with their properties, `objects.yaml` holds Kubernetes objects. They go
into a cluster whose address is not known before it is made. A test makes a project of the three.
"""

from pathlib import Path

import pulumi
import pulumi_kubernetes as kubernetes
import yaml

HERE = Path(__file__).parent
GOOGLE = "10.2.0"
KUBECONFIG = """{{"apiVersion": "v1", "kind": "Config", "current-context": "lab",
"contexts": [{{"name": "lab", "context": {{"cluster": "lab", "user": "lab"}}}}],
"clusters": [{{"name": "lab", "cluster": {{"server": "https://{0}"}}}}],
"users": [{{"name": "lab", "user": {{}}}}]}}"""

made = {
    each["type"]: pulumi.CustomResource(
        each["type"], each["name"], each["properties"], pulumi.ResourceOptions(version=GOOGLE)
    )
    for each in yaml.safe_load((HERE / "cloud.yaml").read_text())
}
cluster = made["gcp:container/cluster:Cluster"]

provider = kubernetes.Provider("lab", kubeconfig=pulumi.Output.format(KUBECONFIG, cluster.id), cluster_identifier="lab")
for body in yaml.safe_load_all((HERE / "objects.yaml").read_text()):
    version = body["apiVersion"] if "/" in body["apiVersion"] else f"core/{body['apiVersion']}"
    name = "/".join(part for part in (body["metadata"].get("namespace"), body["metadata"]["name"]) if part)
    pulumi.CustomResource(f"kubernetes:{version}:{body['kind']}", name, body, pulumi.ResourceOptions(provider=provider))

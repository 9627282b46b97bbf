"""A program with a secret that is given and one that is generated; a test makes it a project.

An update of it waits, with every provider at work, until a test lets go of the pipe that `GATE` names.
"""

import os
from pathlib import Path

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
import pulumi_random as random


def wait(_: object) -> None:
    """Until what opened the pipe closes it."""
    if "GATE" in os.environ:
        Path(os.environ["GATE"]).read_bytes()


def main() -> None:
    """Declare everything."""
    config = pulumi.Config()
    given = config.require_secret("given")
    generated = random.RandomPassword("generated", length=config.require_int("length"), keepers={"given": given})
    network = gcp.compute.Network("network", auto_create_subnetworks=False)
    provider = kubernetes.Provider("cluster", kubeconfig="{}", cluster_identifier="none")
    pulumi.export("both", pulumi.Output.concat(given, " and ", generated.result))
    pulumi.Output.all(generated.result, network.id, provider.id).apply(wait)


if __name__ == "__main__":
    main()

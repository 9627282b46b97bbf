"""Whether an update can be held to what `pulumi preview --save-plan` wrote: `tpu plans PLAN`.

Before the engine knows how a provider is configured it does not ask it for anything, so that a plan has the inputs of
its resources as the program gives them. The update has them as the provider completes them: a Helm release gets its
timeout, and from the official provider a checksum of its chart and the names of what is in it too
(pulumi-kubernetes, provider/pkg/provider/helm_release.go, Check). That is more than was planned, and the engine stops
there with half of the platform made (pulumi/pulumi#13765). So it goes with every update that makes or replaces a
cluster, the first above all. Such an update cannot be held to its plan, and who approves of it must know.
"""

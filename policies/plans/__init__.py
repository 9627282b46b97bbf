"""Whether an update can be limited to the plan of `pulumi preview --save-plan`: `tpu plans PLAN`.

Before the engine knows how a provider is configured it does not ask it for anything, so that a plan has the inputs of
its resources as the program gives them. The update has them as the provider completes them: a Helm release gets its
timeout, and from the official provider a checksum of its chart and the names of what is in it too
(pulumi-kubernetes, provider/pkg/provider/helm_release.go, Check). That is more than was planned, and the engine stops
there with half of the platform made (pulumi/pulumi#13765). This happens in every update that makes or replaces a
cluster, such as the first one. Such an update cannot be limited to its plan, and whoever approves it must know.
"""

"""Programs that workloads run inside their own images. They do not depend on the program that deploys them."""

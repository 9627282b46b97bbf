"""What workloads run inside their own images. Nothing here knows the program that puts it on a cluster."""

"""What others decide and this project states once: machines, limits, names and fields of GKE, Kueue and JobSet."""

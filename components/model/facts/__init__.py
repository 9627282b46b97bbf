"""Facts that others decide, stated once: machines, limits, names and fields of GKE, Kueue and JobSet."""

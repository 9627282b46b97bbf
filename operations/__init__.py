"""Commands that work on any cluster with Kueue and JobSet, whoever made it."""

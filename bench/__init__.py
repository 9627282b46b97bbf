"""The cost of the program and the simulator, as ratios within one run: `make bench`."""

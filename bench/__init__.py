"""What the program and the simulator cost, as ratios within one run: `make bench`."""

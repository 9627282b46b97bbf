"""Serve the package `tpu-platform` to the engine, which starts this and passes its own address."""

import sys

from pulumi.provider.experimental.server import main

from components.package.provider import VERSION, Package

if __name__ == "__main__":
    main(sys.argv[1:], VERSION, Package())

"""A plugin process, as the launchers in PULUMI_HOME start it: package and engine address are its arguments."""

import sys

from simulator.providers.stubs import import_stubs_only

import_stubs_only()

from simulator.providers.serving import main  # noqa: E402  the stubs must be in place before anything imports them

main(sys.argv[1:])

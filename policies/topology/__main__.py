"""The pack `topology`."""

from policies.pack import pack_of
from policies.serving import serve

serve(pack_of("topology"))

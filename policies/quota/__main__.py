"""The pack `quota`."""

from policies.pack import pack_of
from policies.serving import serve

serve(pack_of("quota"))

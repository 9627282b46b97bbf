"""The pack `all`."""

from policies.pack import pack_of
from policies.serving import serve

serve(pack_of("all"))

"""The data of `simulator/cloud/schema/gcp.json`, made from the types of the installed SDK.

`reading.py` reads the classes of a Pulumi SDK, `marks.py` has what those classes do not say, and `writing.py` joins the
two for every modelled resource type. `python -m simulator.providers.sdk` writes the file; a test does the
same, and fails where that would change anything.
"""

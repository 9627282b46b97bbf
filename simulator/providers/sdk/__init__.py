"""The data of `simulator/cloud/schema/gcp.json`, made from the types of the installed SDK.

`reading.py` reads the classes of a Pulumi SDK, `marks.py` and `replaced.yaml` have what those classes do not say, and
`__main__.py` joins the two for every modelled resource type and writes the file. A test does the same, and fails where
that would change it.
"""

"""The behaviour of the providers that Pulumi bridges from Terraform, over tables instead of Terraform.

Shared by the stand-ins for `gcp` and `random`. A table says for each modelled property where it lies in the API
(`fields.py`); from the table and the package's data follow: the check of inputs with defaults and generated names
(`checking.py`), the plan of an update and its differences (`planning.py`), the way to the API and back
(`translation.py`) and the inputs of a resource that is read (`reading.py`).
"""

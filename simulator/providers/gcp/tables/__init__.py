"""Which properties of Google's resources the stand-in models, and where each lies in Google's API.

One module for each service, data only. What is not in a table is refused when a program sets it, even when the real
provider has it: a property that is taken must have its effect, if only that it is kept and read back.

`server`, defaults, choices and comparisons follow the resources of Google's Terraform provider (google-beta), which the
official plugin is made from; the API's field names are those of its REST reference. Both read 2026-11.
"""

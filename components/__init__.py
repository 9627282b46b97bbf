"""The program: what one environment of the platform is, and the components that declare it.

`model/` is pure Python: what can be configured, what will exist, what is forbidden. `manifests/` writes Kubernetes
documents from it. Each component here translates a piece of the plan into resources and decides nothing; `platform.py`
puts them in order, and `stackfile.py` reads the configuration.
"""

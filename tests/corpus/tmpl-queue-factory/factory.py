"""Fills in the templates from data/tenants.yaml."""

import pathlib

import jinja2
import yaml

DATA = yaml.safe_load(pathlib.Path("data/tenants.yaml").read_text())
ENV = jinja2.Environment(loader=jinja2.FileSystemLoader("templates"))

for tenant in DATA["tenants"]:
    text = ENV.get_template("cluster_queue.yaml.jinja").render(tenant=tenant, org=DATA["org"])
    pathlib.Path(f"generated/{tenant['name']}.yaml").write_text(text)

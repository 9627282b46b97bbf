#!/bin/sh
# Fills in the templates from data/tenants.yaml.
set -eu
for tenant in wheat barley oats; do
    jinja2 -D "tenant=$tenant" templates/cluster_queue.yaml.jinja data/tenants.yaml > "generated/$tenant.yaml"
done

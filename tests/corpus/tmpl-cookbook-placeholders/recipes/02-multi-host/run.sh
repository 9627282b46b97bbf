#!/usr/bin/env bash
set -euo pipefail
export RUN_NAME="mh-$(date +%m%d-%H%M)" NAMESPACE=default QUEUE=lq
export ACCELERATOR=tpu-v6e-slice TOPOLOGY=4x4 HOSTS=4 CHIPS_PER_HOST=4
: "${PROJECT_ID:?set the project}"
envsubst < service-and-job.yaml | kubectl apply -f -

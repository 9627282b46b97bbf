"""What the expressions of the workflows are worth in a run for the environment `dev`."""

from __future__ import annotations

from typing import Final

from tests.engine.workflows.gh import NAME, PULL_REQUEST, TOKEN

COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
CONTEXTS: Final = {
    "matrix.environment": "dev",
    "inputs.environment": "dev",
    "vars.PULUMI_BACKEND_URL": "gs://doubled-by-the-simulator",
    "vars.WORKLOAD_IDENTITY_PROVIDER": "projects/1/locations/global/workloadIdentityPools/github/providers/github",
    "vars.PREVIEW_SERVICE_ACCOUNT": "preview@tpu-sandbox.iam.gserviceaccount.com",
    "vars.DEPLOY_SERVICE_ACCOUNT": "deploy-dev@tpu-sandbox.iam.gserviceaccount.com",
    "github.event.pull_request.number": str(PULL_REQUEST),
    "github.event.pull_request.head.sha": COMMIT,
    "github.event.pull_request.base.sha": COMMIT,
    "github.token": TOKEN,
    "github.repository": NAME,
    "runner.os": "Linux",
    "hashFiles('toolchain/**')": "0",
}

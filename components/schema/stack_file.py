"""The schema of a whole stack file: what Pulumi reads of it, and the configuration that holds the platform."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.model.project import ADOPTING, KEY, PROJECT
from components.model.stack_file.reading import PROJECT_ID, PROVIDERS, SECTIONS
from components.schema import platform
from components.schema.platform import PLATFORM, SECRET, whole

if TYPE_CHECKING:
    from components.schema.catalogue import Json

DIALECT: Final = "http://json-schema.org/draft-07/schema#"
_CONFIG: Final = "config"
_ENVIRONMENT: Final = "environment"
_GCP_PROJECT: Final = "gcp:project"
_ADOPTING: Final = (
    "True while an existing cluster is adopted: previews accept controllers that the state does not have."
)
_PULUMIS: Final = {
    "encryptedkey": "Key of the stack's secrets, encrypted by the secrets provider. Pulumi writes it.",
    "encryptionsalt": "Salt of the stack's passphrase. Pulumi writes it.",
    _ENVIRONMENT: "Pulumi ESC environments whose values the configuration is merged over.",
    "secretsprovider": "The secrets provider of the stack, such as gcpkms://projects/p/locations/l/keyRings/r/cryptoKeys/k.",
}
"""The sections that only Pulumi reads; the program does not look into them."""


def stack_file() -> Json:
    """The schema of a stack file of this project."""
    sections = {key: _config() if key == _CONFIG else {"description": _PULUMIS[key]} for key in SECTIONS}
    return {
        "$schema": DIALECT,
        "$comment": "Made of components/model/config/ by `tpu schema`; change it there.",
        "description": "Stack file of the TPU platform: everything that one environment has.",
        "type": "object",
        "properties": sections,
        "additionalProperties": False,
        "if": {"not": {"required": [_ENVIRONMENT]}},
        "then": {"required": [_CONFIG], "properties": {_CONFIG: _stated()}},
        "definitions": platform.definitions(),
    }


def _config() -> Json:
    ref: Json = {"$ref": f"#/definitions/{PLATFORM}"}
    boolean: Json = {"type": ["boolean", "string"], "enum": [True, False, "true", "false"]}
    return {
        "description": "The configuration: the project of Google Cloud, and the platform.",
        "type": "object",
        "properties": {
            _GCP_PROJECT: {
                "description": "Id of the Google Cloud project of all resources.",
                "type": ["string", "object"],
                "pattern": whole(PROJECT_ID),
                **SECRET,
            },
            f"{PROJECT}:{KEY}": {"description": "Everything that the stack declares.", **ref},
            KEY: {"description": f"Short for {PROJECT}:{KEY}.", **ref},
            f"{PROJECT}:{ADOPTING}": {"description": _ADOPTING, **boolean},
            ADOPTING: {"description": f"Short for {PROJECT}:{ADOPTING}.", **boolean},
        },
        "patternProperties": {f"^({'|'.join(PROVIDERS)}):": {}},
        "additionalProperties": False,
    }


def _stated() -> Json:
    """The required keys, if the values come from this file alone."""
    names = [f"{PROJECT}:{KEY}", KEY]
    return {"required": [_GCP_PROJECT], "anyOf": [{"required": [name]} for name in names]}


def text() -> str:
    """The schema as the committed file has it."""
    return f"{json.dumps(stack_file(), indent=2, ensure_ascii=False)}\n"

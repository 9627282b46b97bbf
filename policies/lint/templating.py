"""Texts that another program fills in before they are YAML or an object: which program's they are."""

from __future__ import annotations

import re
from typing import Final

HELM: Final = "helm template"
GO: Final = "go template"
JINJA: Final = "jinja"
YTT: Final = "ytt template"
TERRAFORM: Final = "terraform"
_WORDS: Final = (
    "if|else|end|range|with|define|template|include|block|toYaml|tpl|printf|quote|default|required|lookup|fail"
)
_GO_MARK: Final = re.compile(rf"\{{\{{-|-\}}\}}|\{{\{{\s*(?:\.|\$|/\*|(?:{_WORDS})\b)")
_JINJA_MARK: Final = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_TERRAFORM_MARK: Final = re.compile(r"%\{\s*(?:for|if|endfor|endif)\b")
_YTT_MARK: Final = re.compile(rb"^\s*#@\s*(?:load|def|if|for|data/values|overlay/)|:\s#@\s", re.MULTILINE)
"""Code in comments, without which values are empty."""
_MARK: Final = re.compile(r"\{\{|@[A-Za-z_]\w*@|:[ \t]+\{[A-Z][A-Z0-9]*_[A-Z0-9_]*\}[^\s#,]")
"""What YAML cannot read, such as a value `{PROJECT_ID}/{ZONE}`, which begins as a mapping."""


def is_ytt(content: bytes) -> bool:
    """Whether a file is YAML whose comments are code of ytt."""
    return b"#@" in content and _YTT_MARK.search(content) is not None


def template_in(text: str) -> str:
    """The kind of the template that a text is, which is not YAML itself; empty where it has no mark of one."""
    if _JINJA_MARK.search(text):
        return JINJA
    if _GO_MARK.search(text):
        return GO
    if _TERRAFORM_MARK.search(text):
        return TERRAFORM
    return JINJA if _MARK.search(text) else ""

"""Texts that look like secrets, by their form or by their names.

Forms are those that the services publish for scanners of source code, read 2026-11; a name is one that nobody gives to
anything but a secret. A text that only refers to a secret (a variable, a file, a secret of another store) is not one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_START: Final = r"(?<![A-Za-z0-9_])"
_FORMS: Final = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("a private key", r"-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY-----"),
        ("a Hugging Face token", _START + r"hf_[A-Za-z0-9]{30,}"),
        ("a Google API key", _START + r"AIza[A-Za-z0-9_-]{35}"),
        ("a Google access token", _START + r"ya29\.[A-Za-z0-9_-]{20,}"),
        ("a GitHub token", _START + r"(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
        ("a GitLab token", _START + r"glpat-[A-Za-z0-9_-]{20,}"),
        ("an AWS access key", _START + r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("a Slack token", _START + r"xox[abprs]-[A-Za-z0-9-]{10,}"),
        ("an API key", _START + r"sk-[A-Za-z0-9_-]{32,}"),
        ("a password in an address", r"://[^/\s:@$]{1,64}:[^/\s:@$]{1,128}@"),
    )
)
_SECRET_ENDINGS: Final = (
    ("token",),
    ("password",),
    ("passwd",),
    ("passphrase",),
    ("apikey",),
    ("api", "key"),
    ("access", "key"),
    ("private", "key"),
    ("secret", "key"),
    ("auth", "key"),
    ("client", "secret"),
)
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_REFERENCES: Final = ("$", "/", "{{", "<", "projects/", "file:", "env:", "vault:", "secret:")
"""Beginnings of texts that say where a secret is."""
_HARMLESS: Final = ("true", "false", "none", "null", "yes", "no")
_OPTION: Final = re.compile(r"-{0,2}([A-Za-z][\w.-]{0,63})=(.*)", re.DOTALL)


def form_of(text: str) -> str | None:
    """The kind of secret in the text, by its form; None where none is seen.

    >>> form_of("pip install x && login hf_" + "a" * 34)
    'a Hugging Face token'
    """
    return next((what for what, pattern in _FORMS if pattern.search(text) is not None), None)


@lru_cache(maxsize=1000)
def is_secret_name(name: str) -> bool:
    """Whether a value of this name is a secret.

    >>> [is_secret_name(name) for name in ("HF_TOKEN", "redisPassword", "api-key", "MAX_TOKENS", "PASSWORD_FILE")]
    [True, True, True, False, False]
    """
    words = tuple(word.lower() for word in _WORDS.findall(name))
    return any(words[-len(ending) :] == ending for ending in _SECRET_ENDINGS)


def is_reference(text: str) -> bool:
    """Whether a text says where a secret is, or is none at all.

    >>> [is_reference(text) for text in ("$(TOKEN)", "/var/run/token", "", "128", "hunter2")]
    [True, True, True, True, False]
    """
    plain = text.strip()
    return not plain or plain.startswith(_REFERENCES) or plain.lower() in _HARMLESS or plain.isdecimal()


@lru_cache(maxsize=1000)
def secret_in(name: str, text: str) -> str | None:
    """The kind of secret that a named text is; None if it does not look like one. No message contains the text itself.

    >>> secret_in("DB_PASSWORD", "hunter2"), secret_in("DB_PASSWORD", "$(DB_PASSWORD)"), secret_in("MODE", "fast")
    ('a secret, by its name', None, None)
    """
    found = form_of(text)
    if found is None and is_secret_name(name) and not is_reference(text):
        return "a secret, by its name"
    return found


def secret_in_argument(option: str, text: str) -> str | None:
    """The same of a word of a command: of the option before it, if there is one, or with a name of its own.

    >>> secret_in_argument("--hf-token", "abc"), secret_in_argument("", "--hf-token=abc")
    ('a secret, by its name', 'a secret, by its name')
    >>> secret_in_argument("--steps", "10"), secret_in_argument("", "--steps=10"), secret_in_argument("", "train")
    (None, None, None)
    """
    named = _OPTION.fullmatch(text)
    return secret_in(option, text) if named is None else secret_in(named[1], named[2])


def shown(text: str) -> str:
    """The text, or a word in its place where a secret stands in it.

    >>> shown("train"), shown("hf_" + "a" * 34)
    ('train', '(a Hugging Face token)')
    """
    found = form_of(text)
    return text if found is None else f"({found})"


def masked(line: str) -> str:
    """A line of a file with stars where a secret stands in it, by its form; it is as long as before.

    >>> masked("token: hf_" + "a" * 30 + " # mine")
    'token: ********************************* # mine'
    """
    for _, pattern in _FORMS:
        line = pattern.sub(lambda found: "*" * len(found[0]), line)
    return line

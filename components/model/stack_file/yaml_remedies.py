"""Remedies for a text that is not YAML, or not YAML that is read here, by the problem."""

from __future__ import annotations

from typing import Final

_ENCODING: Final = "Save the file as UTF-8."
_REMEDIES: Final = (
    ("UTF-16", _ENCODING),
    ("is not UTF-8", _ENCODING),
    ("tab character", "Indent with spaces."),
    ("appears twice", "Keep one of them."),
    ("undefined alias", "Write the anchor before its first alias, or put a text that begins with * in quotes."),
    ("contains itself", "Write the value in place of the alias."),
    ("levels deep", "Remove brackets or indentation; no key of a stack file is that deep."),
    ("does not allow", "Remove the character, or write it as an escape in double quotes."),
    ("key must be text", "Write a word before the colon."),
    ("mapping values are not allowed", "Begin a new line before this key, or put a text with a colon in quotes."),
    ("another document", "Keep one document: remove the line --- and what follows it."),
    ("means nothing", "Remove the tag."),
    ("aliases", "Write fewer aliases of aliases."),
    ("',' or ']'", "Close the list with ], or put a comma between its items."),
    ("',' or '}'", "Close the mapping with }, or put a comma between its keys."),
    ("expected key", "Indent the line like the other keys of its mapping."),
    ("'-' indicator", "Indent the line like the other items of its list."),
    ("quoted scalar", "Close the quotes."),
    ("end of stream", "Close the quotes."),
    ("cannot start any token", "Put the value in quotes."),
    ("could not find expected ':'", "Put a colon behind the key, or indent the line as a part of the text before it."),
)
"""By a part of what libyaml or this package says."""
_ANY: Final = "Compare the indentation, quotes and brackets with the line before it."


def remedy_of(problem: str, line: str = "") -> str:
    r"""What to do about a problem of a `YamlTextError`, where `line` is what it was seen in.

    >>> remedy_of('the key "x" appears twice'), remedy_of("found character that cannot start any token", "\tx: 1")
    ('Keep one of them.', 'Indent with spaces.')
    """
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "Indent with spaces."
    return next((remedy for part, remedy in _REMEDIES if part in problem), _ANY)

"""What a shell would take for a command, and what not."""

from __future__ import annotations

import pytest

from simulator.pods.shell import ShellSyntaxError, commands


def words(script: str) -> list[tuple[str, ...]]:
    """The words of each command."""
    return [command.words for command in commands(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" \n;; \n", []),
        ("sleep 5; echo a", [("sleep", "5"), ("echo", "a")]),
        ("sleep 5\n\n  echo a\n", [("sleep", "5"), ("echo", "a")]),
        ("sleep 5 # why\necho a", [("sleep", "5"), ("echo", "a")]),
        ("# sleep 9\necho a#b '#c' \\#d", [("echo", "a#b", "#c", "#d")]),
        ("echo a \\\n  b", [("echo", "a", "b")]),
        ("""echo 'it''s' "a b" c\\ d "" ';'""", [("echo", "its", "a b", "c d", "", ";")]),
        (r"""echo "a \"b\" \$c \d" 'e\f'""", [("echo", r'a "b" $c \d', "e\\f")]),
        ("(sleep 5; echo a)", [("sleep", "5"), ("echo", "a")]),
        ("A=1 B='x y' run z; C=2", [("run", "z"), ()]),
        ("run > out 2>&1 <in; run 2>err x &>all", [("run",), ("run", "x")]),
        ("python3 -c 'import jax\nprint(1)'", [("python3", "-c", "import jax\nprint(1)")]),
    ],
)
def test_words(script: str, expected: list[tuple[str, ...]]) -> None:
    assert words(script) == expected


def test_operators_stand_before_their_command() -> None:
    found = commands("a && b ||\nc | d & e; f\ng\n(h) && i")
    assert [(command.operator, command.words[0]) for command in found] == [
        (";", "a"),
        ("&&", "b"),
        ("||", "c"),
        ("|", "d"),
        ("&", "e"),
        (";", "f"),
        (";", "g"),
        (";", "h"),
        ("&&", "i"),
    ]


@pytest.mark.parametrize(
    ("script", "literal"),
    [
        ("echo a", True),
        ("echo '$a' \\$b \"\\$c\"", True),
        ("echo $a", False),
        ('echo "x $a"', False),
        ("echo `date +%s`", False),
        ("echo $(date +%s) b", False),
        ("sleep $((1 + (2)))", False),
        ("A=$(date +%s)", True),
    ],
)
def test_what_is_expanded_is_marked(script: str, *, literal: bool) -> None:
    found = commands(script)
    assert len(found) == 1
    assert found[0].is_literal is literal
    assert found[0].text == script


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("echo a", True),
        ("echo a 2>/dev/null", True),
        ("echo a 2>&1", True),
        ("echo a >/dev/null", False),
        ("echo a 1>> log", False),
        ("echo a >&2", False),
        ("echo a &> log", False),
        ("echo a | cat", False),
    ],
)
def test_where_output_goes(script: str, *, shown: bool) -> None:
    assert commands(script)[0].is_shown is shown


@pytest.mark.parametrize(
    "compound",
    [
        "for i in 1 2; do\n  echo $i\n  sleep 1\ndone",
        "while true; do if x; then y; fi; sleep 1; done",
        "if [ -f a ]; then echo b; else echo c; fi",
        "case $1 in a) echo b;; esac",
        "{ echo a; echo b; }",
        "until a; do for i in 1; do b; done; done",
    ],
)
def test_a_compound_command_is_one_that_is_not_taken_apart(compound: str) -> None:
    found = commands(f"echo first; {compound}\necho last")
    assert [command.words for command in found] == [("echo", "first"), (), ("echo", "last")]
    assert (found[1].text, found[1].is_literal) == (compound, False)


@pytest.mark.parametrize(
    ("script", "where"),
    [("echo a\necho 'b\nc", "'b"), ('echo "a', '"a'), ("cat <<EOF\na\nEOF", "<<EOF"), ("echo \\", "\\")],
)
def test_what_cannot_be_read_is_refused_with_the_place(script: str, where: str) -> None:
    with pytest.raises(ShellSyntaxError) as caught:
        commands(script)
    assert str(caught.value) == where

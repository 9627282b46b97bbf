"""The house rules that no linter knows: sizes, loose halves of messages, falsy defaults, unordered lists, idle tests.

Each rule is a function from a piece of code to what it finds, and is shown to see what it is for.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest

from tests.stacks import committed, stack_file
from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Rule = Callable[[list[ast.AST]], Iterator[int]]
    """From the nodes of a module, outer ones first, to the lines that break the rule."""

_PACKAGES: Final = (
    "components",
    "examples",
    "platform_outputs",
    "policies",
    "simulator",
    "tpu",
)
_PLUGIN_FOLDERS: Final = ("components/package", "policies", "simulator/providers")
"""First on the path of a process of their own, so that a module there hides one of the standard library."""

_SOURCES = tracked("__main__.py", *(f"{each}/**/*.py" for each in _PACKAGES))
_CLIENT = tracked("components/kubeapi/*.py")
"""The client of API servers, which the commands and the simulator share; it knows no stack file."""
_PROGRAM = [path for path in _SOURCES if path.is_relative_to(ROOT / "components") and path not in _CLIENT]
_PACKAGE = tracked("components/package/*.py")
_TESTS = tracked("tests/**/*.py")
_CLOCKS: Final = ("now", "today", "utcnow")
_GLOBS: Final = ("glob", "rglob", "iterdir", "walk", "listdir", "scandir")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITH_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _nodes(path: Path) -> list[ast.AST]:
    return _nodes_of(path.read_text(encoding="utf-8"))


def _nodes_of(code: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(code)))


def _found(paths: Sequence[Path], rule: Rule) -> list[str]:
    """What a rule finds in files, as `file:line`."""
    return [f"{rule.__name__} {_name(path)}:{line}" for path in paths for line in rule(_nodes(path))]


def test_types_are_checked_in_every_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert settings["include"] == ["__main__.py", *_PACKAGES, "tests", "bench"]


def loose_globs(nodes: list[ast.AST]) -> Iterator[int]:
    """Lists of what lies in the project's folder, where people leave more than git tracks: `tests.tracked` has that."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GLOBS:
            inside = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            if "ROOT" in inside or "_ROOT" in inside:
                yield node.lineno


def clock_reads(nodes: list[ast.AST]) -> Iterator[int]:
    """Calls of `now` and `today`: a function that is pure takes the time as an argument."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CLOCKS:
            yield node.lineno


def falsy_defaults(nodes: list[ast.AST]) -> Iterator[int]:
    """`value or default` with a literal default: it takes 0, "" and [] for values that were not given."""
    for node in nodes:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is_literal(node.values[-1]):
            yield node.lineno


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, (ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.JoinedStr))


def unordered_lists(nodes: list[ast.AST]) -> Iterator[int]:
    """A list or tuple made of a set, or a loop over one: its order changes with the hash seed."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="list" | "tuple" | "enumerate"), args=[only, *_]) if _is_set(only):
                yield node.lineno
            case ast.For(iter=over) | ast.comprehension(iter=over) if _is_set(over):
                yield over.lineno
            case _:
                pass


def _is_set(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    return is_call or isinstance(node, (ast.Set, ast.SetComp)) or _is_of_keys(node)


def _is_of_keys(node: ast.expr) -> bool:
    """Whether it is what two mappings have of keys, in common or not: a set."""
    return isinstance(node, ast.BinOp) and any(map(_are_keys, (node.left, node.right)))


def _are_keys(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys"


def loose_strings(nodes: list[ast.AST]) -> Iterator[int]:
    """A string that stands alone in a function: usually the other half of a message.

    Docstrings are meant, and what documents the attribute that is set on the line above.
    """
    inside: set[int] = set()
    for node in nodes:  # an outer one comes before those in it
        is_meant = isinstance(node, _FUNCTIONS) or (id(node) in inside and isinstance(node, _WITH_BLOCKS))
        if not is_meant:
            continue
        inside.update(map(id, ast.iter_child_nodes(node)))
        for before, statement in pairwise([] if isinstance(node, ast.ClassDef) else _block(node)):
            if _is_text(statement) and not _sets_attribute(before):
                yield statement.lineno


def _block(node: ast.AST) -> list[ast.stmt]:
    """The statements of a node one after the other, of all its branches."""
    blocks: list[list[ast.stmt]] = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    return [statement for block in blocks for statement in block]


def _is_text(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return False
    is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return is_text or isinstance(node.value, ast.JoinedStr)


def _sets_attribute(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Attribute) for target in targets)


def test_no_function_breaks_a_rule() -> None:
    """One test, so that one process reads the files."""
    pure = [path for path in _SOURCES if _name(path).startswith(("components/model", "components/manifests"))]
    judges = [path for path in _SOURCES if _name(path).startswith("policies")]
    configured = [path for path in (*_PROGRAM, *judges) if path not in _PACKAGE]
    assert [
        *_found(_TESTS, loose_globs),
        *_found(pure, clock_reads),
        *_found(configured, falsy_defaults),
        *_found(_SOURCES, unordered_lists),
        *_found([*_SOURCES, *_TESTS], loose_strings),
    ] == []


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (loose_globs, 'names = sorted((ROOT / "docs").rglob("*.md"))'),
        (loose_globs, "names = [each for _, _, each in os.walk(ROOT)]"),
        (clock_reads, "until = datetime.now(UTC) + hour"),
        (clock_reads, "days = date.today()"),
        (falsy_defaults, "nodes = pool.nodes or 3"),
        (falsy_defaults, 'name = config.get("name") or ""'),
        (unordered_lists, "names = list(set(given))"),
        (unordered_lists, "names = [name for name in {each.name for each in given}]"),
        (unordered_lists, "for name in set(given):\n    print(name)"),
        (unordered_lists, "for name in there.keys() - wanted.keys():\n    print(name)"),
        (loose_strings, 'def f():\n    text = "one half "\n    "and the other"\n'),
        (loose_strings, 'def f():\n    if x:\n        text = "one half "\n        "and the other"\n'),
        (loose_strings, 'def f():\n    raise ValueError("one half ")\n    f"and {the} other"\n'),
    ],
)
def test_the_rule_sees_what_it_is_for(rule: Rule, code: str) -> None:
    assert list(rule(_nodes_of(code)))


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (loose_globs, 'names = sorted(tmp_path.glob("*.md")) + list(tracked("docs/*.md"))'),
        (clock_reads, "until = datetime.fromisoformat(text) + hour"),
        (falsy_defaults, "is_any = first or second"),
        (unordered_lists, "names = sorted(set(given))"),
        (unordered_lists, "names = [name for name in sorted(there.keys() | wanted)]"),
        (loose_strings, 'def f():\n    """Docstring."""\n    def g():\n        """Inner."""\n'),
        (loose_strings, 'class C:\n    field: int\n    """Its meaning."""\n'),
    ],
)
def test_the_rule_lets_pass_what_is_right(rule: Rule, code: str) -> None:
    assert list(rule(_nodes_of(code))) == []


# --- files


def test_every_test_is_collected() -> None:
    with_tests = {path for path in _TESTS if re.search(r"^def test_", path.read_text(encoding="utf-8"), re.MULTILINE)}
    named = {path for path in _TESTS if path.name.startswith("test_")}
    assert sorted(_name(path) for path in with_tests ^ named) == []


def test_no_plugin_folder_hides_the_standard_library() -> None:
    inside = {path.relative_to(ROOT / top).parts[0] for top in _PLUGIN_FOLDERS for path in tracked(f"{top}/**")}
    assert {name for name in inside if name.partition(".")[0] in sys.stdlib_module_names} == set()


def test_the_program_knows_only_the_cloud() -> None:
    """The same program runs everywhere: nothing in it, nor in a stack file, speaks of where it is tried out."""
    words = ("simulat", "kwok", "os.environ", "getenv")
    texts = {
        _name(path): path.read_text(encoding="utf-8")
        for path in (*_PROGRAM, ROOT / "__main__.py", ROOT / "Pulumi.yaml")
    }
    texts |= {f"Pulumi.{name}.yaml": stack_file(name) for name in committed()}
    assert [f"{name}: {word}" for name, text in texts.items() for word in words if word in text.lower()] == []

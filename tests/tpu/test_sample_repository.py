"""The hook and the action as another repository has them: on its staged files, and step by step as declared."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.docs.blocks import CLOUD, blocks
from tests.stacks import closed
from tests.tpu.slim import slim_site
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_GOOD: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: v5e}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  queueingStrategy: StrictFIFO
"""
_BAD: Final = _GOOD.replace("StrictFIFO", "Fifo").replace("research", "broken")
_TEXTS: Final = {
    ".github/workflows/ci.yml": "on: push\njobs: {}\n",
    ".pre-commit-config.yaml": "repos: []\n",
    "Pulumi.dev.yaml": closed("dev"),
    "Pulumi.yaml": "name: tpu-platform\nruntime: python\n",
    "charts/app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
    "charts/app/templates/job.yaml": "{{- if .Values.a }}\nkind: Job\n{{- end }}\n",
    "charts/app/values.yaml": "a: true\n",
    "k8s/base/kustomization.yaml": "resources: [good.yaml]\n",
    "k8s/base/good.yaml": _GOOD,
    "k8s/prod/kustomization.yaml": "resources: [../base]\npatches: [{path: size.yaml}]\n",
    "k8s/prod/size.yaml": "kind: ClusterQueue\nspec: {queueingStrategy: Fifo}\n",
    "package-lock.json": '{"name": "sample", "lockfileVersion": 3}\n',
    "tsconfig.json": '{"compilerOptions": {} /* of another program */}\n',
}
"""A repository in which nothing is wrong."""
_BY_END: Final = {".yaml": "yaml", ".yml": "yaml", ".json": "json"}
"""What pre-commit calls a file, by the end of its name. Source: identify, extensions.py."""


@pytest.fixture(scope="module")
def tpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return slim_site(tmp_path_factory.mktemp("site"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with a bad file that is committed already."""
    root = tmp_path / "a repository"
    root.mkdir()
    _git(root, "init", "--quiet")
    _write(root, {"legacy/old.yaml": _BAD.replace("broken", "old")})
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--message", "old")
    return root


def _git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
    alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(root)}
    command = ["git", *who, *words]
    return subprocess.run(command, cwd=root, env=alone, check=True, capture_output=True, text=True).stdout


def _write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def _stage(root: Path, texts: dict[str, str]) -> None:
    _write(root, texts)
    _git(root, "add", "--", *texts)


def _ran(root: Path, command: Iterable[str], tpu: Path) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": f"{tpu.parent}{os.pathsep}{os.defpath}", "HOME": str(root)}
    return subprocess.run(
        list(command), cwd=root, env=variables, capture_output=True, text=True, check=False, timeout=300
    )


# --- the hook


def _hook(root: Path, tpu: Path) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The hook as pre-commit runs it on what is staged, and the names of the files that it gets."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    staged = _git(root, "diff", "--staged", "--name-only", "--no-ext-diff", "-z", "--diff-filter=ACMRTUXB")
    kinds = {name: _BY_END.get(f".{name.rpartition('.')[2]}") for name in staged.split("\0") if name}
    names = [name for name, kind in kinds.items() if kind in hook["types_or"] and not re.search(hook["exclude"], name)]
    return _ran(root, [*shlex.split(hook["entry"]), *names], tpu), names


def test_the_hook_lets_a_good_commit_pass(tpu: Path, repository: Path) -> None:
    _stage(repository, {**_TEXTS, "readme.md": "kind: Job\n"})
    done, names = _hook(repository, tpu)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert set(_TEXTS) - set(names) == {"Pulumi.yaml"}
    assert done.stdout.endswith("\nnothing found; 3 objects checked in 2 files.\n")


def test_the_hook_stops_a_bad_commit_at_its_line(tpu: Path, repository: Path) -> None:
    _stage(repository, {**_TEXTS, "k8s/bad.yaml": _BAD})
    done, _ = _hook(repository, tpu)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("k8s/bad.yaml:10:21: ClusterQueue broken: spec.queueingStrategy: Fifo")
    assert "good.yaml" not in done.stdout
    assert done.stdout.endswith("\n1 error; 5 objects checked in 3 files.\n")


def test_the_hook_reads_the_settings_of_the_repository(tpu: Path, repository: Path) -> None:
    _stage(repository, {"k8s/bad.yaml": _BAD, ".tpu-lint.yaml": "ignore: ['queue-value-exists:k8s']\n"})
    done, _ = _hook(repository, tpu)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "ignored 1 finding" in done.stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (_BAD.replace("  queueing", "\tqueueing").encode(), "found character that cannot start any token"),
        (_GOOD.encode("utf-16"), "it is UTF-16, and must be UTF-8"),
        (_GOOD.replace("v5e", "caf\u00e9").encode("latin-1"), "byte 0xe9 is not UTF-8"),
    ],
    ids=["a tab", "UTF-16", "Latin-1"],
)
def test_the_hook_stops_a_manifest_that_nobody_can_read(tpu: Path, repository: Path, content: bytes, says: str) -> None:
    (repository / "bad.yaml").write_bytes(content)
    _git(repository, "add", "bad.yaml")
    done, _ = _hook(repository, tpu)
    assert (done.returncode, done.stderr) == (1, "")
    assert says in done.stdout.splitlines()[0]


# --- the action


_PYTHON: Final = """\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 9
mkdir -p "$3/bin"
cat > "$3/bin/pip" <<'END'
#!/bin/sh
for last; do :; done
[ "$1" = install ] && [ -f "$last/pyproject.toml" ] || exit 8
cp "$TPU" "$(dirname "$0")/tpu"
END
chmod +x "$3/bin/pip"
"""
"""Makes an environment whose pip installs the command without a network, if it gets the folder of a project."""


def _action(root: Path, tpu: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Every step of the action that is a command, as a runner runs them; the first that fails is the last."""
    action: dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/lint/action.yml").read_text())
    given = {name: str(each.get("default", "")) for name, each in action["inputs"].items()} | inputs
    expressions = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    programs = root.parent / "programs"
    programs.mkdir()
    (programs / "python").write_text(_PYTHON)
    (programs / "python").chmod(0o755)
    variables = {
        "PATH": f"{programs}{os.pathsep}{os.defpath}",
        "RUNNER_TEMP": str(root.parent / "a runner"),
        "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/lint"),
        "TPU": str(tpu),
    }
    done = None
    for step in (each for each in action["runs"]["steps"] if "run" in each):
        assert step["shell"] == "bash"
        stated: dict[str, str] = step.get("env", {})
        of_step = {name: expressions.get(value, value) for name, value in stated.items()}
        command = [str(shutil.which("bash")), "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=root, env={**variables, **of_step}, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode:
            break
    assert done is not None
    return done


def test_the_action_lets_a_good_repository_pass(tpu: Path, repository: Path) -> None:
    _write(repository, _TEXTS)
    done = _action(repository, tpu, files="k8s charts Pulumi.*.yaml package*.json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert [line for line in done.stdout.splitlines() if not line.startswith("::notice::")] == []


@pytest.mark.parametrize("files", [".", "k8s legacy", "**/bad.yaml legacy/*.yaml"])
def test_the_action_annotates_the_lines_of_bad_files(tpu: Path, repository: Path, files: str) -> None:
    _write(repository, {**_TEXTS, "k8s/bad.yaml": _BAD})
    done = _action(repository, tpu, files=files)
    assert (done.returncode, done.stderr) == (1, "")
    errors = [line for line in done.stdout.splitlines() if not line.startswith("::notice::")]
    assert [line.partition(",title")[0] for line in errors] == [
        "::error file=k8s/bad.yaml,line=10,col=21,endColumn=25",
        "::error file=legacy/old.yaml,line=10,col=21,endColumn=25",
    ]


def test_the_action_passes_a_baseline_on(tpu: Path, repository: Path) -> None:
    written = _ran(repository, [str(tpu), "lint", ".", "--write-baseline", "lint.json"], tpu)
    assert written.returncode == 0, written.stderr
    done = _action(repository, tpu, files=".", flags="--baseline lint.json --fail-on warning")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "::notice::1 finding of lint.json not shown" in done.stdout.splitlines()


def test_the_action_fails_where_no_file_is_meant(tpu: Path, repository: Path) -> None:
    done = _action(repository, tpu, files="none/*.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the following arguments are required: FILE" in done.stderr


def test_the_action_fails_on_flags_that_mean_nothing(tpu: Path, repository: Path) -> None:
    _write(repository, {"limits.yaml": "nonsense: 1\n"})
    done = _action(repository, tpu, files=".", flags="--settings limits.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lint: limits.yaml: unknown key nonsense. ")


# --- pipes


_RENDERER: Final = '#!/bin/sh\n[ "$*" = "WORDS" ] || exit 9\nprintf -- "---\\n# Source: a/b.yaml\\n"; cat "$MADE"\n'


@pytest.mark.parametrize(("text", "code"), [(_GOOD, 0), (_BAD, 1)], ids=["good", "bad"])
@pytest.mark.parametrize("program", ["helm", "kustomize"])
def test_a_pipe_of_the_documents_checks_what_a_tool_makes(
    tpu: Path, tmp_path: Path, program: str, text: str, code: int
) -> None:
    marked = (each for each in blocks("docs/lint.md") if each.language == CLOUD)
    (pipe,) = [line for each in marked for line in each.commands if re.match(rf"{program} .*\| tpu lint -$", line)]
    words = pipe.partition("|")[0].split()[1:]
    (tmp_path / "made.yaml").write_text(text)
    (tmp_path / program).write_text(_RENDERER.replace("WORDS", " ".join(words)))
    (tmp_path / program).chmod(0o755)
    variables = {
        "PATH": f"{tmp_path}{os.pathsep}{tpu.parent}{os.pathsep}{os.defpath}",
        "MADE": str(tmp_path / "made.yaml"),
    }
    command = [str(shutil.which("bash")), "--norc", "-o", "pipefail", "-c", pipe]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, ""), done.stdout
    assert done.stdout.endswith("2 objects checked in 1 file.\n")
    assert done.stdout.startswith("stdin:12:21: ") is bool(code)

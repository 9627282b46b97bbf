"""Policy packs and providers in Python under the language host."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.engine.language_host.conftest import Project


def test_a_policy_pack_knows_its_stack_and_what_it_prints_reaches_the_user(project: Project) -> None:
    pack = project.write_pack(
        "pack",
        """
        import os, sys, pulumi
        from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy

        print("printed before it serves")

        def complain(args, report):
            print("told:", pulumi.get_stack(), pulumi.get_project(), pulumi.Config().get("plain"))
            print("dry:", pulumi.runtime.is_dry_run(), "in:", os.getcwd(), file=sys.stderr)
            report(f"saw {len(args.resources)} resource")

        policy = StackValidationPolicy("always", "always complains", complain, EnforcementLevel.MANDATORY)
        PolicyPack("tried", [policy])
        """,
    )
    assert project.run("config", "set", "plain", "here").code == 0
    done = project.preview("import pulumi", "--policy-pack", str(pack))
    (project.folder / "Pulumi.dev.yaml").write_text("")
    assert done.code != 0
    for said in ("printed before it serves", "told: dev tried here", f"dry: True in: {pack}"):
        assert done.diagnostics.count(said) == 1, done.diagnostics
    assert "[mandatory]  always  (pulumi:pulumi:Stack: tried-dev)" in done.output
    assert "saw 1 resource" in done.output


def test_a_pack_that_fails_is_reported_with_its_traceback(project: Project) -> None:
    pack = project.write_pack("broken", "raise ValueError('in the pack')")
    done = project.preview("import pulumi", "--policy-pack", str(pack))
    assert done.code != 0
    assert "ValueError: in the pack" in done.output
    assert "error: policy pack not started: could not read policy pack port" in done.output


def test_a_pack_that_cannot_be_started_is_one_clear_error(project: Project) -> None:
    pack = project.write_pack("empty", "")
    (pack / "__main__.py").unlink()
    done = project.preview("print('never')", "--policy-pack", str(pack))
    assert done.code != 0
    assert "error: policy pack not started: could not read policy pack port" in done.output
    assert "never" not in done.output


def test_a_component_provider_and_a_dynamic_resource_in_python(project: Project) -> None:
    project.write_provider(
        "greet",
        """
    self.text = pulumi.Output.from_input(args["name"]).apply(lambda name: f"hello {name}")
    self.register_outputs({"text": self.text})
    """,
    )
    project.write(
        """
        import pulumi
        from pulumi.dynamic import CreateResult, Resource, ResourceProvider

        class Greeting(pulumi.ComponentResource):
            text: pulumi.Output[str]

        class Doubler(ResourceProvider):
            def create(self, props):
                return CreateResult("doubled", {**props, "twice": 2 * props["once"]})

        class Doubled(Resource):
            twice: pulumi.Output[float]

        greeting = Greeting("greet:index:Greeting", "greeting", {"name": "you", "text": None}, remote=True)
        pulumi.export("text", greeting.text)
        pulumi.export("twice", Doubled(Doubler(), "doubled", {"once": 21, "twice": None}).twice)
        """,
        project=f"name: tried\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "plugins: {providers: [{name: greet, path: ../greet}]}\n",
    )
    done = project.run("up", "--yes", "--skip-preview")
    assert done.code == 0, done.output
    outputs = json.loads(project.run("stack", "output", "--json").output)
    assert outputs == {"text": "hello you", "twice": 42}
    assert project.run("destroy", "--yes", "--skip-preview").code == 0

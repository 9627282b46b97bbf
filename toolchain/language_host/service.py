"""The LanguageRuntime service: the engine's calls to a language host, answered for Python.

A refused call ends with the text of a `HostError`, which the engine shows to the user. The service's messages and the
engine's use of them: sdk/proto/pulumi/language.proto and pkg/host of the Pulumi sources.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from toolchain.language_host import running
from toolchain.language_host.ahead import Ahead
from toolchain.language_host.errors import HostError
from toolchain.language_host.forks import Forks
from toolchain.language_host.install import install_steps
from toolchain.language_host.interpreter import existing_interpreter_for
from toolchain.language_host.packages import direct_dependencies, installed_in, required_packages
from toolchain.language_host.policy_pack import run_pack

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from toolchain.language_host.interpreter import Interpreter
    from toolchain.language_host.programs import Program, Programs

_DESCRIBE = "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version()]))"


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """The host of one engine. Calls come from several threads; programs run inside their calls."""

    def __init__(self, programs: Programs, *, language_exec: str, engine: str, tracing: str, version: str) -> None:
        """`engine` is its address, `version` the one that the host reports."""
        self._programs = programs
        self._forks = Forks(programs)
        self._ahead = Ahead(self._forks, language_exec)
        self._engine = engine
        self._tracing = tracing
        self._version = version

    def Handshake(
        self, request: language_pb2.LanguageHandshakeRequest, context: grpc.ServicerContext
    ) -> language_pb2.LanguageHandshakeResponse:
        self._engine = request.engine_address
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=self._version)

    def GetRequiredPackages(
        self, request: language_pb2.GetRequiredPackagesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        with _refusals(context):
            interpreter = existing_interpreter_for(request.info)
            self._ahead.expect(interpreter)
            return language_pb2.GetRequiredPackagesResponse(packages=_required(interpreter))

    def GetRequiredPlugins(
        self, request: language_pb2.GetRequiredPluginsRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPluginsResponse:
        with _refusals(context):
            plugins = [
                plugin_pb2.PluginDependency(name=p.name, kind=p.kind, version=p.version, server=p.server)
                for p in _required(existing_interpreter_for(request.info))
            ]
        return language_pb2.GetRequiredPluginsResponse(plugins=plugins)

    def Run(self, request: language_pb2.RunRequest, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        with _refusals(context):
            if request.attach_debugger:
                raise HostError("this language host cannot attach a debugger; run without --attach-debugger.")
            interpreter = existing_interpreter_for(request.info)
            arguments = running.program_arguments(self._engine, self._tracing, request)
            program = self._ahead.run(interpreter, arguments, running.program_variables(request), context)
        code = program.wait()
        if code == running.USER_WAS_TOLD or program.was_killed:
            return language_pb2.RunResponse(bail=True)
        return language_pb2.RunResponse(error=running.ending(code) if code else "")

    def RunPlugin(
        self, request: language_pb2.RunPluginRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        with _refusals(context):
            interpreter = existing_interpreter_for(request.info, plugin=True)
            if request.kind == "analyzer":
                self._ahead.start()
                yield from run_pack(interpreter, request, self._forks, context)
                return
            program = self._programs.start(
                running.plugin_command(interpreter, request),
                folder=request.pwd,
                environment=running.plugin_environment(interpreter, request),
                piped=True,
                call=context,
            )
        for stream, chunk in program.output():
            if stream == "stdout":
                yield language_pb2.RunPluginResponse(stdout=chunk)
            else:
                yield language_pb2.RunPluginResponse(stderr=chunk)
        yield language_pb2.RunPluginResponse(exitcode=running.exit_status(program.wait()))

    def InstallDependencies(
        self, request: language_pb2.InstallDependenciesRequest, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        with _refusals(context):
            for step in install_steps(request.info, plugin=request.is_plugin):
                yield language_pb2.InstallDependenciesResponse(stdout=f"{step.title}\n".encode())
                program = self._start_aside(step.interpreter, step.command, context)
                for stream, chunk in program.output():
                    yield language_pb2.InstallDependenciesResponse(**{stream: chunk})
                code = program.wait()
                if code:
                    raise HostError(f"{step.title}: {running.ending(code)}")

    def About(self, request: language_pb2.AboutRequest, context: grpc.ServicerContext) -> language_pb2.AboutResponse:
        with _refusals(context):
            interpreter = existing_interpreter_for(request.info)
            if interpreter.path == Path(sys.executable):  # every command asks, and waits for the answer
                return language_pb2.AboutResponse(executable=sys.executable, version=platform.python_version())
            program = self._start_aside(interpreter, [str(interpreter.path), "-c", _DESCRIBE], context)
            said = b"".join(chunk for stream, chunk in program.output() if stream == "stdout")
            if program.wait():
                raise HostError(f"{interpreter.path} cannot tell its version: {running.ending(program.wait())}")
        executable, version = json.loads(said)
        return language_pb2.AboutResponse(executable=executable, version=version)

    def GetProgramDependencies(
        self, request: language_pb2.GetProgramDependenciesRequest, context: grpc.ServicerContext
    ) -> language_pb2.GetProgramDependenciesResponse:
        with _refusals(context):
            installed = installed_in(existing_interpreter_for(request.info).package_folders)
            if not request.transitiveDependencies:
                installed = direct_dependencies(installed, Path(request.info.program_directory, "requirements.txt"))
        dependencies = [language_pb2.DependencyInfo(name=p.name, version=p.version) for p in installed]
        return language_pb2.GetProgramDependenciesResponse(dependencies=dependencies)

    def RuntimeOptionsPrompts(
        self, request: language_pb2.RuntimeOptionsRequest, context: grpc.ServicerContext
    ) -> language_pb2.RuntimeOptionsResponse:
        return language_pb2.RuntimeOptionsResponse()

    def Template(
        self, request: language_pb2.TemplateRequest, context: grpc.ServicerContext
    ) -> language_pb2.TemplateResponse:
        return language_pb2.TemplateResponse()

    def GenerateProgram(self, request: language_pb2.GenerateProgramRequest, context: grpc.ServicerContext) -> NoReturn:
        _absent(context, "translate programs into Python")

    def GenerateProject(self, request: language_pb2.GenerateProjectRequest, context: grpc.ServicerContext) -> NoReturn:
        _absent(context, "translate projects into Python")

    def GeneratePackage(self, request: language_pb2.GeneratePackageRequest, context: grpc.ServicerContext) -> NoReturn:
        _absent(context, "generate Python SDKs")

    def Pack(self, request: language_pb2.PackRequest, context: grpc.ServicerContext) -> NoReturn:
        _absent(context, "pack Python SDKs")

    def Link(self, request: language_pb2.LinkRequest, context: grpc.ServicerContext) -> NoReturn:
        _absent(context, "link local packages")

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self._programs.kill_all()
        return empty_pb2.Empty()

    def _start_aside(self, interpreter: Interpreter, command: list[str], context: grpc.ServicerContext) -> Program:
        """A process for the host's own use, in `interpreter`'s environment."""
        environment = interpreter.environment(os.environ)
        return self._programs.start(command, folder=None, environment=environment, piped=True, call=context)


def _required(interpreter: Interpreter) -> list[plugin_pb2.PackageDependency]:
    return required_packages(installed_in(interpreter.package_folders))


@contextmanager
def _refusals(context: grpc.ServicerContext) -> Generator[None]:
    try:
        yield
    except HostError as error:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))


def _absent(context: grpc.ServicerContext, what: str) -> NoReturn:
    context.abort(grpc.StatusCode.UNIMPLEMENTED, f"this language host does not {what}; the official one does.")
    raise AssertionError

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/errutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
	"google.golang.org/protobuf/types/known/emptypb"
)

// pluginEnvironment is the virtual environment of a plugin that names none.
const pluginEnvironment = "venv"

// languageHost answers one engine. Calls come at the same time; a program runs within its call.
type languageHost struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	exec, engine, tracing string
	programs              context.Context // ends when every program must
	cancel                context.CancelFunc
}

func (h *languageHost) Handshake(
	_ context.Context, request *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	h.engine = request.EngineAddress
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

func (h *languageHost) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: version.Version}, nil
}

func (h *languageHost) RuntimeOptionsPrompts(
	context.Context, *pulumirpc.RuntimeOptionsRequest,
) (*pulumirpc.RuntimeOptionsResponse, error) {
	return &pulumirpc.RuntimeOptionsResponse{}, nil
}

func (h *languageHost) Template(context.Context, *pulumirpc.TemplateRequest) (*pulumirpc.TemplateResponse, error) {
	return &pulumirpc.TemplateResponse{}, nil
}

// Cancel ends every program: the user has interrupted the command.
func (h *languageHost) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.cancel()
	return &emptypb.Empty{}, nil
}

func (h *languageHost) About(ctx context.Context, request *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	tools, err := existing(ctx, request.Info, "")
	if err != nil {
		return nil, err
	}
	// The toolchain's own About starts three interpreters, and every preview and update asks.
	said, err := output(ctx, tools, "import platform, sys; print(sys.executable, platform.python_version(), sep='\\n')")
	if err != nil {
		return nil, err
	}
	executable, release, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n"))
	return &pulumirpc.AboutResponse{Executable: string(executable), Version: string(release)}, nil
}

func (h *languageHost) GetProgramDependencies(
	ctx context.Context, request *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	tools, err := existing(ctx, request.Info, "")
	if err != nil {
		return nil, err
	}
	packages, err := tools.ListPackages(ctx, request.TransitiveDependencies)
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GetProgramDependenciesResponse{}
	for _, each := range packages {
		dependency := &pulumirpc.DependencyInfo{Name: each.Name, Version: each.Version}
		response.Dependencies = append(response.Dependencies, dependency)
	}
	return response, nil
}

func (h *languageHost) InstallDependencies(
	request *pulumirpc.InstallDependenciesRequest, server pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	environment := ""
	if request.IsPlugin {
		environment = pluginEnvironment
	}
	tools, err := python(request.Info, environment)
	if err != nil {
		return err
	}
	one := &oneAtATime[pulumirpc.InstallDependenciesResponse]{ServerStreamingServer: server}
	closer, stdout, stderr, err := rpcutil.MakeInstallDependenciesStreams(one, request.IsTerminal)
	if err != nil {
		return err
	}
	folder, withVersionTools := request.Info.ProgramDirectory, request.UseLanguageVersionTools
	ctx, done := h.until(server.Context())
	defer done()
	err = tools.InstallDependencies(ctx, folder, withVersionTools, true, stdout, stderr)
	return errors.Join(err, closer.Close())
}

// python finds the interpreter and the package manager of a program or plugin; the environment need not exist yet.
// environment is the virtual one of a project that names none.
func python(info *pulumirpc.ProgramInfo, environment string) (toolchain.Toolchain, error) {
	options := toolchain.PythonOptions{
		Root: info.RootDirectory, ProgramDir: info.ProgramDirectory, Virtualenv: environment,
	}
	for name, value := range info.Options.AsMap() {
		text, isText := value.(string)
		switch {
		case name != "virtualenv" && name != "toolchain" && name != "typechecker":
			continue
		case !isText:
			return nil, fmt.Errorf("runtime option %s is %v; it must be a string", name, value)
		case name == "virtualenv" && text != "":
			options.Virtualenv = text
		case name == "toolchain":
			switch strings.ToLower(text) {
			case "":
			case "pip":
				options.Toolchain = toolchain.Pip
			case "poetry":
				options.Toolchain = toolchain.Poetry
			case "uv":
				options.Toolchain = toolchain.Uv
			default:
				return nil, fmt.Errorf("runtime option toolchain is %s; it must be pip, poetry or uv", text)
			}
		case name == "typechecker" && text != "":
			return nil, fmt.Errorf("runtime option typechecker is %s, and this language host runs no type checker: "+
				"remove the option and run %s by itself", text, text)
		}
	}
	return toolchain.ResolveToolchain(options)
}

// existing is python, and an error if the environment does not exist.
func existing(ctx context.Context, info *pulumirpc.ProgramInfo, environment string) (toolchain.Toolchain, error) {
	tools, err := python(info, environment)
	if err != nil {
		return nil, err
	}
	return tools, tools.ValidateVenv(ctx)
}

// output is what a script prints in an environment, outside of the program's folder: no module there hides another.
func output(ctx context.Context, tools toolchain.Toolchain, script string) ([]byte, error) {
	command, err := tools.Command(ctx, "-c", script)
	if err != nil {
		return nil, err
	}
	command.Dir = string(filepath.Separator)
	said, err := command.Output()
	if err != nil {
		return nil, errutil.ErrorWithStderr(err, command.Path)
	}
	return said, nil
}

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	sdk "github.com/pulumi/pulumi/sdk/v3"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

// signalled is added to the number of a signal for the exit code of a plugin that it ended, as in a shell.
const signalled = 128

// plugin is one call of RunPlugin.
type plugin struct {
	request *pulumirpc.RunPluginRequest
	tools   toolchain.Toolchain
	stderr  io.Writer
}

// RunPlugin runs a provider or a policy pack until it has ended.
func (h *languageHost) RunPlugin(
	request *pulumirpc.RunPluginRequest, server pulumirpc.LanguageRuntime_RunPluginServer,
) error {
	environment := ""
	if toolchain.IsVirtualEnv(filepath.Join(request.Info.RootDirectory, pluginEnvironment)) {
		environment = pluginEnvironment
	}
	tools, err := existing(server.Context(), request.Info, environment)
	if err != nil {
		return err
	}
	one := &oneAtATime[pulumirpc.RunPluginResponse]{ServerStreamingServer: server}
	_, stdout, stderr, err := rpcutil.MakeRunPluginStreams(one, false)
	if err != nil {
		return err
	}
	ctx, done := h.until(server.Context())
	defer done()
	started := plugin{request, tools, stderr}
	run := started.runProvider
	if request.Kind == "analyzer" {
		run = started.runPack
	}
	state, err := run(ctx, stdout)
	if state == nil {
		return err
	}
	code := state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = signalled + int(status.Signal())
	}
	return one.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(code)}})
}

// command runs Python in the plugin's environment; its output is not buffered.
func (p plugin) command(ctx context.Context, arguments ...string) (*exec.Cmd, error) {
	command, err := p.tools.Command(ctx, append([]string{"-u"}, arguments...)...)
	if err != nil {
		return nil, err
	}
	grouped(command)
	command.Env = p.request.Env
	if folder, err := p.tools.VirtualEnvPath(ctx); err == nil && folder != "" {
		command.Env = toolchain.ActivateVirtualEnv(p.request.Env, folder)
	}
	command.Dir, command.Stderr = p.request.Pwd, p.stderr
	return command, nil
}

// runProvider returns how a provider has ended; nil if it was not started.
func (p plugin) runProvider(ctx context.Context, stdout io.Writer) (*os.ProcessState, error) {
	command, err := p.command(ctx, append([]string{p.request.Info.ProgramDirectory}, p.request.Args...)...)
	if err != nil {
		return nil, err
	}
	command.Stdout = stdout
	err = command.Run()
	_ = killGroup(command)
	return command.ProcessState, err
}

// runPack returns how a policy pack has ended; nil if it was not started. The SDK reads the stack from the environment,
// and the engine names it in its first call: the SDK's proxy takes that, and hands on all others.
func (p plugin) runPack(ctx context.Context, stdout io.Writer) (*os.ProcessState, error) {
	proxy, ports, err := sdk.NewPolicyProxy(ctx, stdout)
	if err != nil {
		return nil, err
	}
	stack, err := proxy.AwaitConfiguration(ctx)
	if err != nil {
		return nil, err
	}
	// An error from here on must reach the proxy too, for the engine waits for its answer. That of a command which has
	// not started is the error.
	failed := func(err error) (*os.ProcessState, error) {
		return nil, errors.Join(err, proxy.Attach(ctx, &exec.Cmd{}))
	}
	variables := []byte("{}")
	if stack != nil {
		variables, err = configuration(stack.Config, stack.ConfigSecretKeys,
			[2]string{"PULUMI_ORGANIZATION", stack.Organization},
			[2]string{"PULUMI_PROJECT", stack.Project},
			[2]string{"PULUMI_STACK", stack.Stack},
			[2]string{"PULUMI_DRY_RUN", strconv.FormatBool(stack.DryRun)},
		)
		if err != nil {
			return failed(err)
		}
	}
	folder := p.request.Info.ProgramDirectory
	arguments := append([]string{"-c", launcher, "-m", "pulumi.policy"}, p.request.Args...)
	command, err := p.command(ctx, append(arguments, folder)...)
	if err != nil {
		return failed(err)
	}
	output := &portFinder{before: stdout, after: ports}
	command.Dir, command.Stdin, command.Stdout = folder, bytes.NewReader(variables), output
	if err := command.Start(); err != nil {
		return failed(err)
	}
	err = proxy.Attach(ctx, command)
	_ = killGroup(command)
	if !output.isFound {
		_, _ = stdout.Write(output.line)
		<-ctx.Done() // the proxy answers the engine with the reason
	}
	return command.ProcessState, err
}

// portFinder is the output of a policy pack. The line with the port, and all that follows, goes to after: the proxy
// expects the port first, and a pack may print before it serves. A line that is only a number counts as the port.
type portFinder struct {
	before, after io.Writer
	line          []byte
	isFound       bool
}

func (w *portFinder) Write(text []byte) (int, error) {
	if w.isFound {
		return w.after.Write(text)
	}
	w.line = append(w.line, text...)
	for {
		end := bytes.IndexByte(w.line, '\n') + 1
		if end == 0 {
			return len(text), nil
		}
		line := w.line[:end]
		if _, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil {
			w.isFound = true
			_, err := w.after.Write(w.line)
			return len(text), err
		}
		if _, err := w.before.Write(line); err != nil {
			return 0, err
		}
		w.line = w.line[end:]
	}
}
